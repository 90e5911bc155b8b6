package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"slices"
	"strings"
)

// A Mutant is one change of one condition.
type Mutant struct {
	ID   int // from 1
	Pos  token.Position
	Func string // the function that it is in
	Code string // the condition
	As   string // what it becomes
}

// String returns "trie.go:12: in insert, a < b becomes a <= b".
func (m Mutant) String() string {
	return fmt.Sprintf("%s:%d: in %s, %s becomes %s", m.Pos.Filename, m.Pos.Line, m.Func, m.Code, m.As)
}

// environment is the variable of the environment with the ID of the mutant that runs.
const environment = "FLOW_MUTANT"

// variables is the end of a file that a mutated package gets.
const variables = `
import (
	"os"
	"strconv"
)

var activeMutant, _ = strconv.Atoi(os.Getenv("` + environment + `"))
`

// A mutator puts mutants into the files of one package. All of them are in one program, where
// activeMutant chooses one, so that the package is compiled once.
type mutator struct {
	fset    *token.FileSet
	every   uint32 // one of so many mutants is taken
	mutants []Mutant
}

// An insertion is text to put into a file at an offset.
type insertion struct {
	at   int
	text string
}

// file returns the text of a Go file, with mutants of its conditions in it.
func (m *mutator) file(name string) ([]byte, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(m.fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var insertions []insertion
	function := ""
	text := func(n ast.Node) string {
		return string(source[m.fset.Position(n.Pos()).Offset:m.fset.Position(n.End()).Offset])
	}
	mutate := func(e ast.Expr) {
		before, after := "", ""
		take := func(as, open string) {
			code := text(e)
			if !m.takes(function, code, as) {
				return
			}
			id := len(m.mutants) + 1
			m.mutants = append(m.mutants, Mutant{id, m.fset.Position(e.Pos()), function, code, as})
			before += fmt.Sprintf(open, id)
			after += "))"
		}
		take("true", "(activeMutant == %d || (")
		take("false", "(activeMutant != %d && (")
		if b, ok := e.(*ast.BinaryExpr); ok {
			if op, ok := atBoundary[b.Op]; ok {
				other := text(b.X) + op + text(b.Y)
				take(other, "(activeMutant == %[1]d && ("+strings.ReplaceAll(other, "%", "%%")+") || activeMutant != %[1]d && (")
			}
		}
		insertions = append(insertions,
			insertion{m.fset.Position(e.Pos()).Offset, before}, insertion{m.fset.Position(e.End()).Offset, after})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.FuncDecl:
			function = n.Name.Name
		case *ast.IfStmt:
			leaves(n.Cond, mutate)
		case *ast.ForStmt:
			if n.Cond != nil {
				leaves(n.Cond, mutate)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						leaves(e, mutate)
					}
				}
			}
		case *ast.ReturnStmt:
			conditions(n.Results, mutate)
		case *ast.AssignStmt:
			conditions(n.Rhs, mutate)
		}
		return true
	})
	return insert(source, insertions), nil
}

// atBoundary has for each comparison the one that differs for equal operands only.
var atBoundary = map[token.Token]string{token.LSS: " <= ", token.LEQ: " < ", token.GTR: " >= ", token.GEQ: " > "}

// takes reports whether a mutant is among those that run. That depends on the code alone: two
// versions of a package have the same mutants where their code is the same.
func (m *mutator) takes(function, code, as string) bool {
	h := fnv.New32a()
	h.Write([]byte(function + "\x00" + code + "\x00" + as))
	return h.Sum32()%m.every == 0
}

// leaves calls do for the conditions that e joins with &&, || and !.
func leaves(e ast.Expr, do func(ast.Expr)) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		leaves(x.X, do)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			leaves(x.X, do)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			leaves(x.X, do)
			leaves(x.Y, do)
			return
		}
	}
	do(e)
}

// conditions calls do for the conditions in those of a list of expressions that are one by
// their operator.
func conditions(list []ast.Expr, do func(ast.Expr)) {
	for _, e := range list {
		switch x := e.(type) {
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				leaves(e, do)
			}
		case *ast.BinaryExpr:
			if x.Op.Precedence() <= token.EQL.Precedence() {
				leaves(e, do)
			}
		}
	}
}

// insert returns source with all insertions. Those at the same offset stay in their order.
func insert(source []byte, insertions []insertion) []byte {
	slices.SortStableFunc(insertions, func(a, b insertion) int { return a.at - b.at })
	var text []byte
	done := 0
	for _, in := range insertions {
		text = append(append(text, source[done:in.at]...), in.text...)
		done = in.at
	}
	return append(text, source[done:]...)
}
