package scaffold

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// leave notes what is left to the user at a place in a Go file.
func (j *join) leave(pos token.Pos, format string, args ...any) {
	at := j.fset.Position(pos)
	j.left = append(j.left, fault.InLine(at.Filename, at.Line, format, args...))
}

// edit notes edits of a file, and imports that they need.
func (f *goFile) edit(edits []files.Edit, imports ...string) {
	f.edits, f.imports = append(f.edits, edits...), append(f.imports, imports...)
}

// rewrite plans the Go files that have edits.
func (j *join) rewrite() error {
	for _, f := range j.theirs {
		if f.edits == nil {
			continue
		}
		text, err := j.edited(f)
		if err != nil {
			return err
		}
		j.plan.anew = append(j.plan.anew, file{f.name, []byte(withEnds(string(f.text), string(text))), string(f.text)})
	}
	return nil
}

// edited returns the text of a file after its edits.
func (j *join) edited(f *goFile) ([]byte, error) {
	edits, imports := f.edits, f.imports
	if at := j.beforeImports(f); at >= 0 && len(imports) > 0 {
		edits = append(edits, files.Edit{From: at, To: at, Text: `"` + strings.Join(imports, "\"\n\t\"") + "\"\n\n\t"})
		imports = nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.name, files.Edited(string(f.text), edits), parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, path := range imports {
		astutil.AddImport(fset, syntax, path)
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, syntax)
	return b.Bytes(), err
}

// beforeImports returns the offset of the first import, if the file imports nothing of the
// standard library: its packages are a group of their own, before the others. Else it is -1.
func (j *join) beforeImports(f *goFile) int {
	for _, d := range f.syntax.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT && d.Lparen.IsValid() && len(d.Specs) > 0 {
			if !slices.ContainsFunc(f.syntax.Imports, func(s *ast.ImportSpec) bool { return isStandard(strings.Trim(s.Path.Value, "`\"")) }) {
				return j.fset.Position(d.Specs[0].Pos()).Offset
			}
		}
	}
	return -1
}

// span is the edit that puts a text in place of a node.
func (j *join) span(n ast.Node, text string) files.Edit {
	return files.Edit{From: j.fset.Position(n.Pos()).Offset, To: j.fset.Position(n.End()).Offset, Text: text}
}

// source returns the text of a node.
func (j *join) source(f *goFile, n ast.Node) string {
	e := j.span(n, "")
	return string(f.text[e.From:e.To])
}

// joinMain has package main call addAccounts: in the function that flow.Run gets, or in one that
// it makes of the Router that flow.Main gets. Other forms are left to the user.
func (j *join) joinMain() {
	const write = "before the Router serves, write if err := addAccounts(r); err != nil { return err }, with your Router for r"
	type run struct {
		file *goFile
		chainCall
	}
	var runs []run
	for _, f := range j.theirs {
		flow := calls.ImportName(f.syntax)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && j.isMain(f) && isOf(call.Fun, flow) {
				if name := call.Fun.(*ast.SelectorExpr).Sel.Name; name == "Main" || name == "Run" {
					runs = append(runs, run{f, chainCall{name, call}})
				}
			}
			return true
		})
	}
	if len(runs) != 1 {
		for _, r := range runs {
			j.leave(r.call.Pos(), "%s", write)
		}
		if runs == nil {
			j.left = append(j.left, fault.In(shown(j.main), "it calls neither flow.Main nor flow.Run: %s", write))
		}
		return
	}
	r := runs[0]
	if r.name == "Main" {
		j.joinFlowMain(r.file, r.call)
		return
	}
	f, body := r.file, (*ast.BlockStmt)(nil)
	if len(r.call.Args) == 2 {
		switch build := r.call.Args[1].(type) {
		case *ast.FuncLit:
			body = build.Body
		case *ast.Ident:
			f, body = j.function(build.Name)
		}
	}
	if body == nil {
		j.leave(r.call.Pos(), "%s", write)
		return
	}
	j.joinBuild(f, body)
}

// isMain reports whether a file is one of the program.
func (j *join) isMain(f *goFile) bool { return filepath.Dir(f.name) == j.main && !f.isTest() }

// function returns the body of a function of the program, and its file.
func (j *join) function(name string) (*goFile, *ast.BlockStmt) {
	for _, f := range j.theirs {
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && j.isMain(f) && d.Recv == nil && d.Name.Name == name {
				return f, d.Body
			}
		}
	}
	return nil, nil
}

// joinFlowMain writes flow.Run in place of flow.Main, if that is all that the function main does.
func (j *join) joinFlowMain(f *goFile, call *ast.CallExpr) {
	_, body := j.function("main")
	alone := body != nil && len(body.List) == 1 && body.List[0].Pos() == call.Pos() && len(call.Args) == 1
	if _, taken := j.function("build"); !alone || taken != nil {
		j.leave(call.Pos(), "write flow.Run in place of flow.Main, with a function that makes the Router and ends with return r, addAccounts(r)")
		return
	}
	flow := calls.ImportName(f.syntax)
	end := j.fset.Position(body.End()).Offset
	f.edit([]files.Edit{
		j.span(call, fmt.Sprintf("os.Exit(%s.Run(context.Background(), build))", flow)),
		{From: end, To: end, Text: fmt.Sprintf(`

// build returns the Router. It connects with nothing yet: check and routes need no database.
func build(context.Context) (*%s.Router, error) {
	r := %s
	return r, addAccounts(r)
}`, flow, j.source(f, call.Args[0]))},
	}, "context", "os")
}

// joinBuild has a function that returns a Router and nil return the error of addAccounts. It has
// to do so at one place only.
func (j *join) joinBuild(f *goFile, body *ast.BlockStmt) {
	var returns []*ast.ReturnStmt
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			failed := len(n.Results) == 2 && isNil(n.Results[0]) // return nil, err
			if !failed {
				returns = append(returns, n)
			}
		}
		return true
	})
	if len(returns) == 1 && len(returns[0].Results) == 2 && isNil(returns[0].Results[1]) {
		router := returns[0].Results[0]
		if _, ok := router.(*ast.Ident); ok {
			f.edit([]files.Edit{j.span(returns[0].Results[1], fmt.Sprintf("addAccounts(%s)", j.source(f, router)))})
			return
		}
		if !uses(body, "r") {
			f.edit([]files.Edit{j.span(returns[0], fmt.Sprintf("r := %s\n\treturn r, addAccounts(r)", j.source(f, router)))})
			return
		}
	}
	for _, r := range returns {
		j.leave(r.Pos(), "write return r, addAccounts(r), with your Router for r")
	}
	if returns == nil {
		j.leave(body.Pos(), "have the function end with return r, addAccounts(r), with your Router for r")
	}
}

func isNil(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "nil"
}

// uses reports whether a name is used in a node, whatever for.
func uses(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// makers returns the functions and the variable of the application that make a Router, or are one.
func (j *join) makers() (functions map[string]bool, variable string) {
	functions = map[string]bool{}
	for _, f := range j.theirs {
		if !j.isInside(f) || f.isTest() {
			continue
		}
		flow := calls.ImportName(f.syntax)
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Type.Results.NumFields() == 1 && isRouter(d.Type.Results.List[0].Type, flow) {
					functions[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR && len(s.Names) == 1 && len(s.Values) == 1 {
						if chain := chainOf(s.Values[0]); len(chain) > 0 && chain[len(chain)-1].name == "New" && isOf(chain[len(chain)-1].call.Fun, flow) {
							variable = s.Names[0].Name
						}
					}
				}
			}
		}
	}
	return functions, variable
}

// isRouter reports whether a type is *flow.Router.
func isRouter(t ast.Expr, flow string) bool {
	star, ok := t.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Router" && isOf(sel, flow)
}

// isOf reports whether an expression is a name of an imported package.
func isOf(e ast.Expr, pkg string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// The function of the template that makes the Router of a test, and how it makes it.
const (
	testLog     = "slog.New(slog.NewTextHandler(t.Output(), nil))"
	newSiteMade = "New(&App{Logger: " + testLog + "})"
	newSiteFunc = "func newSite(t *testing.T) *testSite {\n\treturn siteOf(t, " + newSiteMade + ")\n}"
)

// joinTests gives the Routers of tests the accounts, and has those of the accounts make the
// Router as others do. Routers of other packages are left to the user.
func (j *join) joinTests() {
	functions, variable := j.makers()
	made := ""
	for _, f := range j.theirs {
		j.eachRouter(f, functions, variable, func(e ast.Expr, around []ast.Node) {
			if call, ok := e.(*ast.CallExpr); ok && made == "" {
				made = j.closed(f, call)
			}
			if f.isTest() {
				j.joinRouter(f, e, around)
			}
		})
	}
	for _, f := range j.others {
		j.eachRouter(f, functions, variable, func(e ast.Expr, around []ast.Node) { j.joinRouter(f, e, around) })
	}
	if made == "" {
		made = variable
	}
	for _, f := range j.ours {
		if f.syntax == nil || !bytes.Contains(f.text, []byte(newSiteFunc)) {
			continue
		}
		text := strings.Replace(newSiteFunc, newSiteMade, made, 1)
		if made == "" {
			text = "func newSite(t *testing.T) *testSite {\n\tt.Skip(\"it makes no Router yet: return siteOf(t, r) with one\")\n\treturn nil\n}"
			like := "your tests do"
			if j.joined != "" {
				like = j.joined + " does"
			}
			j.left = append(j.left, fault.InLine(f.shown, 1+bytes.Count(f.text[:bytes.Index(f.text, []byte(newSiteFunc))], []byte("\n")), "have newSite make a Router as %s, and return siteOf(t, r): its tests are skipped until then", like))
		}
		text = strings.Replace(string(f.text), newSiteFunc, text, 1)
		if made == variable && made != "" {
			text += fmt.Sprintf("\nfunc init() { withAccounts(%s) } // before a test asks it\n", variable)
		}
		f.text = []byte(text)
	}
}

// closed returns a call of a function that makes the Router as package app writes it, if it
// names nothing but what that package declares. Otherwise it returns "".
func (j *join) closed(f *goFile, call *ast.CallExpr) string {
	app := j.qualifier(f)
	start, edits, isClosed := j.fset.Position(call.Pos()).Offset, []files.Edit(nil), true
	ast.Inspect(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr: // the key of a struct is no name by itself
			_, constant := n.Value.(*ast.BasicLit)
			isClosed = isClosed && (constant || isNil(n.Value) || j.source(f, n.Value) == testLog)
			return false
		case *ast.SelectorExpr:
			if app == "" || !isOf(n, app) {
				isClosed = false
				return false
			}
			e := j.span(n, n.Sel.Name)
			edits = append(edits, files.Edit{From: e.From - start, To: e.To - start, Text: e.Text})
			return false
		case *ast.Ident:
			isClosed = isClosed && (app == "" && j.pkg.taken[n.Name] || isNil(n))
		case *ast.FuncLit:
			isClosed = false
		}
		return true
	})
	if !isClosed {
		return ""
	}
	return files.Edited(j.source(f, call), edits)
}

// isInside reports whether a file is one of the package of the application.
func (j *join) isInside(f *goFile) bool {
	return filepath.Dir(f.name) == j.app.Dir && f.syntax.Name.Name == j.pkg.name
}

// qualifier returns what a file calls the package of the application: "" if it is one of that
// package, or does not import it.
func (j *join) qualifier(f *goFile) string {
	if j.isInside(f) {
		return ""
	}
	return importOf(f.syntax, j.app.ImportPath())
}

// importOf returns the name under which a file imports a package, or "".
func importOf(f *ast.File, path string) string {
	for _, s := range f.Imports {
		if s.Path.Value == `"`+path+`"` {
			return importName(s)
		}
	}
	return ""
}

// joinRouter gives a Router that a test makes the accounts. Where siteOf is not declared, or no
// test is there that could clean up, it is left to the user.
func (j *join) joinRouter(f *goFile, e ast.Expr, around []ast.Node) {
	if !j.isInside(f) {
		j.leave(e.Pos(), "the Router here has no accounts, and answers 500 without: give it some by %s.UseAccounts, as siteOf in %s and addAccounts in %s do", j.qualifier(f), j.ourFile("app/accounts_test.go"), j.ourFile("accounts.go"))
		return
	}
	switch name, more, ok := j.testOf(around); {
	case !ok:
		j.leave(e.Pos(), "the Router here has no accounts: write siteOf(t, r).router, with it for r")
	case name == "":
		f.edit([]files.Edit{j.span(e, fmt.Sprintf("withAccounts(%s)", j.source(f, e)))})
	default:
		f.edit(append(more, j.span(e, fmt.Sprintf("siteOf(%s, %s).router", name, j.source(f, e)))))
		j.joined = cmp.Or(j.joined, shownLine(j.fset, e.Pos()))
	}
}

// eachRouter calls a function for each place where a file makes the Router of the application,
// returns its variable or, in another package, names it: with the functions around the place.
func (j *join) eachRouter(f *goFile, functions map[string]bool, variable string, do func(e ast.Expr, around []ast.Node)) {
	app := j.qualifier(f)
	if app == "" && !j.isInside(f) {
		return
	}
	// named returns the name that the application declares of an expression, or "".
	named := func(e ast.Expr) string {
		if name, ok := e.(*ast.Ident); ok && app == "" {
			return name.Name
		}
		if app != "" && isOf(e, app) {
			return e.(*ast.SelectorExpr).Sel.Name
		}
		return ""
	}
	var around []ast.Node
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			around = append(around, n)
			if body := bodyOf(n); body != nil {
				ast.Inspect(body, visit)
			}
			around = around[:len(around)-1]
			return false
		case *ast.CallExpr:
			if functions[named(n.Fun)] {
				do(n, around)
				return false
			}
		case *ast.ReturnStmt:
			if app == "" && len(n.Results) == 1 && variable != "" && named(n.Results[0]) == variable {
				do(n.Results[0], around)
			}
		case *ast.SelectorExpr:
			if variable != "" && named(n) == variable {
				do(n, around)
			}
		}
		return true
	}
	ast.Inspect(f.syntax, visit)
}

func bodyOf(n ast.Node) *ast.BlockStmt {
	if d, ok := n.(*ast.FuncDecl); ok {
		return d.Body
	}
	return n.(*ast.FuncLit).Body
}

// testOf returns the name of the test, a testing.TB, in the functions around a place, and the
// edit that names it where it has no name. The name is "" in TestMain.
func (j *join) testOf(around []ast.Node) (name string, more []files.Edit, ok bool) {
	for _, n := range slices.Backward(around) {
		var params *ast.FieldList
		switch n := n.(type) {
		case *ast.FuncDecl:
			params = n.Type.Params
		case *ast.FuncLit:
			params = n.Type.Params
		}
		for _, p := range params.List {
			typ := p.Type
			if star, isStar := typ.(*ast.StarExpr); isStar {
				typ = star.X
			}
			sel, isSel := typ.(*ast.SelectorExpr)
			switch {
			case !isSel || !isOf(sel, "testing"):
			case sel.Sel.Name == "M":
				return "", nil, true
			case len(p.Names) == 0 && len(params.List) == 1:
				at := j.fset.Position(p.Pos()).Offset
				return "t", []files.Edit{{From: at, To: at, Text: "t "}}, true
			case len(p.Names) == 1 && p.Names[0].Name == "_":
				return "t", []files.Edit{j.span(p.Names[0], "t")}, true
			case len(p.Names) == 1:
				return p.Names[0].Name, nil, true
			}
		}
	}
	return "", nil, false
}

// findLeft finds what is never joined: an Authenticate, a database, the menu of the layout, a
// policy.
func (j *join) findLeft() error {
	policy, routers := false, token.NoPos
	module := j.app.Module
	err := module.EachFile(j.fset, calls.FlowPath, func(dir string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					sel, ok := to.(*ast.SelectorExpr)
					switch {
					case !ok:
					case sel.Sel.Name == "Authenticate":
						j.leave(n.Pos(), "the Router has an Authenticate already, and does not start with another: remove this one. Or keep it: take what asks for r.Authenticate, and what sets it, out of the function use in %s, and have yours return the *accounts.Session of Accounts.Session(ctx, Accounts.Token(req.Request)), which the pages of the accounts need", j.ourFile("app/accounts.go"))
					case sel.Sel.Name == "ContentSecurityPolicy":
						policy = true
					}
				}
			case *ast.CallExpr:
				if calls.ImportName(f) != "" && dir == j.app.Dir && isOf(n.Fun, calls.ImportName(f)) && n.Fun.(*ast.SelectorExpr).Sel.Name == "New" && !routers.IsValid() {
					routers = n.Pos()
				}
			}
			return true
		})
	})
	if err != nil {
		return err
	}
	if !policy && routers.IsValid() {
		j.leave(routers, "the Router has no policy, which holds back scripts that others bring into a page. Where it is made:\n\t%s", policyLine())
	}
	for _, opener := range []string{"sql.Open", "pgxpool.New"} {
		pkg, call, _ := strings.Cut(opener, ".")
		give := "open it by accounts.Open, or as that does"
		if pkg == "pgxpool" {
			give = "make a *sql.DB of it by stdlib.OpenDBFromPool"
		}
		err := module.EachFile(j.fset, opener, func(_ string, f *ast.File) {
			ast.Inspect(f, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && isOf(sel, pkg) && strings.HasPrefix(sel.Sel.Name, call) {
					j.leave(sel.Pos(), "the application has a database of its own, and the accounts have %s beside it, unless -db says another. To have them in yours, %s, and give it to accounts.New in %s: %s has the changes, \"In your own database\"", accountsFile, give, j.ourFile("accounts.go"), accountsManual())
				}
				return true
			})
		})
		if err != nil {
			return err
		}
	}
	j.leaveMenu()
	return nil
}

// accountsFile is the database of the accounts in an application that exists.
const accountsFile = "accounts.db"

// ourFile returns how messages name a file of the accounts.
func (j *join) ourFile(from string) string {
	for _, f := range j.ours {
		if f.from == from {
			return f.shown
		}
	}
	return from
}

// policyLine is the line of a new application with accounts that sets its policy.
func policyLine() string {
	for line := range strings.Lines(string(embedded("members/app/app.go"))) {
		if strings.Contains(line, "ContentSecurityPolicy =") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// leaveMenu says what the menu of the outermost layout needs.
func (j *join) leaveMenu() {
	source, ok := j.tree.Templates[layoutName]
	if !ok {
		return
	}
	text, _ := fs.ReadFile(source.Files, source.InTree)
	if bytes.Contains(text, []byte("request.IsAuthenticated")) {
		return
	}
	_, menu, _ := strings.Cut(string(embedded("members/app/router/"+layoutName+pageExt)), "{{if request.IsAuthenticated}}")
	menu, _, _ = strings.Cut(menu, "</nav>")
	j.left = append(j.left, fault.In(source.File, "the menu leads to no page of the accounts. Write in it:\n{{if request.IsAuthenticated}}%s", strings.TrimSpace(menu)))
}

// embedPattern matches a pattern of go:embed, without its quotes.
var embedPattern = regexp.MustCompile("[^\\s\"`]+")

// embed has the files of the accounts in the program: with "all:", since there is .well-known
// among them, and the public ones, which may be the first of the application.
func (j *join) embed() {
	const whole = "all:" + routetree.RouterDir
	for _, f := range j.theirs {
		if filepath.Dir(f.name) != j.app.Dir {
			continue
		}
		for _, group := range f.syntax.Comments {
			var router, part *files.Edit // where router/ is embedded, and where perhaps only a part of it
			all, public := false, false
			for _, c := range group.List {
				if !strings.HasPrefix(c.Text, "//go:embed ") {
					continue
				}
				start := j.fset.Position(c.Pos()).Offset
				for _, at := range embedPattern.FindAllStringIndex(c.Text, -1)[1:] {
					pattern := c.Text[at[0]:at[1]]
					name := strings.TrimPrefix(pattern, "all:")
					top, _, below := strings.Cut(name, "/")
					e := files.Edit{From: start + at[0], To: start + at[1], Text: whole}
					isRouter, _ := path.Match(top, routetree.RouterDir) // the go command reports patterns that are none
					isPublic, _ := path.Match(top, routetree.PublicDir)
					switch {
					case name == routetree.RouterDir:
						router = &e
					case isRouter && !below && name != pattern:
						all = true
					case isRouter:
						part = &e
					}
					public = public || isPublic
				}
			}
			switch {
			case router != nil:
				if !public {
					router.Text += " all:" + routetree.PublicDir
				}
				if router.Text != string(f.text[router.From:router.To]) {
					f.edit([]files.Edit{*router})
				}
			case part != nil && !all:
				j.leave(group.Pos(), "go:embed may leave out files of the accounts, such as those of .well-known: write //go:embed %s all:%s", whole, routetree.PublicDir)
			}
		}
	}
}
