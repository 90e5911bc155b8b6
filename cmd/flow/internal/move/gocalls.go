package move

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"

	"example.com/flow/cmd/flow/internal/calls"
)

// rewriteGo looks at all Go code of the module.
func (p *planner) rewriteGo() {
	for _, broken := range p.code.broken {
		p.note("%s: calls without types are known by their names only", broken)
	}
	p.readLabels()
	p.readUses()
	p.finder = newFinder(p.c, p.goFiles, p.names.prefixes)
	p.readTests()
	p.eachCall(func(f *goFile, c call) {
		if c.directory && filepath.Dir(f.name) != p.app.Dir || c.Arg == nil && c.Kind != calls.RouteName {
			return
		}
		switch ref := p.reference(f, c); c.Kind {
		case calls.Dir:
			p.dir(f, ref)
		case calls.Param, calls.Segments:
			p.param(f, ref, c.Expr)
		default:
			p.refer(ref)
		}
	})
	for _, f := range p.code.files {
		p.literals(f)
	}
}

// reference returns what a call in Go code says of the tree.
func (p *planner) reference(f *goFile, c call) reference {
	ref := reference{kind: c.Kind, name: c.name, file: f.name, directory: c.directory, spread: c.Expr.Ellipsis.IsValid()}
	ref.ownTree = f.isTest() && makesRouter(f, c.Pos())
	ref.sure = !c.guessed && !ref.ownTree
	if c.Arg != nil {
		ref.argument = p.argumentOf(f, c.Arg)
	} else {
		ref.line = p.code.position(c.Pos()).Line
	}
	if c.Kind == calls.RouteName {
		for i := 1; i < len(c.Expr.Args); i += 2 {
			ref.keys = append(ref.keys, p.argumentOf(f, c.Expr.Args[i]))
		}
	}
	ref.what = c.name + "(…)"
	if ref.known {
		ref.what = fmt.Sprintf("%s(%q)", c.name, ref.value)
	}
	return ref
}

// argumentOf returns what is known of an argument.
func (p *planner) argumentOf(f *goFile, arg ast.Expr) (t argument) {
	if lit, value := calls.Literal(arg); lit != nil {
		pos := p.code.position(lit.Pos())
		return argument{value, true, pos.Line, pos.Offset, len(lit.Value)}
	}
	if f.info != nil {
		t.value, t.known = calls.StringOf(arg, f.info)
	}
	t.line = p.code.position(arg.Pos()).Line
	return t
}

// makesRouter reports whether the function around a position calls flow.New.
func makesRouter(f *goFile, pos token.Pos) bool {
	fn := enclosing(f.file, pos)
	return fn != nil && slices.ContainsFunc(f.calls, func(c call) bool { return c.Kind == calls.New && fn.Pos() <= c.Pos() && c.Pos() < fn.End() })
}

// dir rewrites the directory of In, and says what it covers now.
func (p *planner) dir(f *goFile, ref reference) {
	if !p.movesRoutes() {
		return
	}
	if !ref.known {
		p.guard(ref, "%s: the directory is known only when it runs: see whether it covers what moves, before and after", ref.what)
		return
	}
	cov, ok := p.c.directory(ref.value)
	if !ok {
		return
	}
	o := p.owner(ref, func(o *otherApp) bool { return o.tree.Covers(ref.value) })
	if o == theirs {
		return
	}
	if cov.written != ref.value {
		p.settle(ref, cov.written, rewritten, o)
		if ref.ownTree {
			return
		}
		kept := p.c.compare(ref.value, p.c.meant(ref.value))
		if o == ours && ref.sure && ref.size > 0 {
			if !p.c.dir {
				p.moves.Notes = append(p.moves.Notes, Note{ref.file, ref.line, fmt.Sprintf("%s %s, and is %s(%q) now, so that its middleware runs for what it did", ref.what, p.wouldCover(kept), ref.name, cov.written)})
			}
			ref.what = fmt.Sprintf("%s, now %s(%q),", ref.what, ref.name, cov.written)
		} else {
			cov = kept // it was not written anew
		}
	}
	guards := len(p.moves.Guards)
	for _, file := range cov.lost {
		p.guard(ref, "%s does not cover %s, and has covered it until now: its middleware does not run there any more", ref.what, p.app.Shown(file))
	}
	if !f.isTest() { // what only tests run guards nothing
		p.moves.Lost = append(p.moves.Lost, p.moves.Guards[guards:]...)
	}
	for _, file := range cov.gained {
		p.guard(ref, "%s covers %s, and has not until now: its middleware runs there, too", ref.what, p.app.Shown(file))
	}
	if cov.none {
		p.guard(ref, "%s covers no route file of the application any more, which Check calls a fault: write another directory, or take it away", ref.what)
	}
}

// wouldCover says what In would cover if it were not written anew.
func (p *planner) wouldCover(kept coverage) string {
	switch {
	case kept.none:
		return "would cover nothing"
	case len(kept.lost) > 0:
		return "would not cover " + p.inWords(kept.lost) + " any more"
	}
	return "would cover " + p.inWords(kept.gained) + ", too"
}

func (p *planner) guard(ref reference, format string, args ...any) {
	p.moves.Guards = append(p.moves.Guards, Note{ref.file, ref.line, fmt.Sprintf(format, args...)})
}
