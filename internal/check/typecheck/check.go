// Package typecheck finds, without running a template, the expressions in it that cannot
// work with data of a given type.
//
// There is one rule: an expression is reported if it fails whenever it is reached, for
// every value of the type; everything else passes. To know that, the package follows the
// execution of text/template step by step, with a [reflect.Type] in place of each value.
// What it does not follow: contradictory conditions, as in
//
//	{{if .A}}{{else}}{{with .A}}{{.Nope}}{{end}}{{end}}
//
// where {{.Nope}} is reported though it never runs.
package typecheck

import (
	"cmp"
	"reflect"
	"slices"
	"text/template/parse"
)

// A Set holds the templates of a page and all that they call, before html/template has
// rewritten them. A Set is not changed by Check, and may be used by several goroutines.
type Set struct {
	Trees map[string]*parse.Tree
	// Funcs are the types of the functions that templates may call, beside those that
	// text/template has itself. A call of any other function is not checked. If dict is
	// of the type of language.Dict, it is taken for that.
	Funcs map[string]reflect.Type
	// Method is asked about each call of a method that is right by its types. It may be nil.
	Method func(Call) Verdict
	// Writes is told of each action that is reached whether it writes text for every value that it
	// has: nothing that may be HTML. It may be nil.
	Writes func(n *parse.ActionNode, text bool)
	// Decides is told of the pipeline of each {{if}} and {{with}} that is reached whether it may be true, and
	// whether it may be false. It may be nil.
	Decides func(pipe *parse.PipeNode, isTrue, isFalse bool)
}

// Check returns what cannot work when the template of the given name is executed with a
// value of the type data as its dot, in order of position. If data is nil, nothing is
// known of the dot. A {{template}} whose name is not in the Set is passed over.
//
// Check also returns the fields that Method has found.
func (s *Set) Check(name string, data reflect.Type) ([]Problem, []Field) {
	c := s.check(name, data)
	problems := make([]Problem, 0, len(c.found))
	for _, f := range c.found {
		problems = append(problems, f.Problem)
	}
	return problems, c.fields
}

// A finding is a problem with the node of the template that fails.
type finding struct {
	Problem
	node parse.Node
}

// maxBodies bounds how often Check walks through a template: templates that call each
// other with ever new combinations of known keys would take too long.
const maxBodies = 10_000

func (s *Set) check(name string, data reflect.Type) *checker {
	c := &checker{
		set:   s,
		seen:  map[job]bool{},
		dicts: dicts{interned: map[dict]*dict{}, read: map[readKey]bool{}},
	}
	if s.Writes != nil {
		c.written = map[*parse.ActionNode]bool{}
	}
	if s.Decides != nil {
		c.decided = map[*parse.PipeNode]tri{}
	}
	dot := valueOf(data)
	if dot.isInterface() {
		dot = dot.orAbsent() // the template gets what is in the interface: nothing, if that is nil
	}
	c.add(job{name, dot}, nil)
	for len(c.todo) > 0 && len(c.seen) < maxBodies {
		next := c.todo[0]
		c.todo = c.todo[1:]
		next.check()
	}
	if len(c.todo) == 0 { // else an action may be reached with more values
		c.reportKeys()
		for n, text := range c.written {
			s.Writes(n, text)
		}
		for pipe, truth := range c.decided {
			s.Decides(pipe, truth != no, truth != yes)
		}
	}
	slices.SortFunc(c.found, func(a, b finding) int {
		return cmp.Or(a.Pos.compare(b.Pos), cmp.Compare(a.Text, b.Text))
	})
	c.found = slices.CompactFunc(c.found, func(a, b finding) bool { return a.Pos == b.Pos && a.Text == b.Text })
	return c
}

// A checker is the state of one Check.
type checker struct {
	set    *Set
	seen   map[job]bool
	todo   []*body
	found  []finding
	fields []Field
	// written has the actions for Set.Writes. Later passes over a template know no more of a value
	// than earlier ones.
	written map[*parse.ActionNode]bool
	decided map[*parse.PipeNode]tri // the truth of pipelines for Set.Decides
	dicts
}

// A job is a template with the value that it gets as its dot.
type job struct {
	name string
	dot  value
}

// add puts a template on the list of those to check, once for each value. from is the
// {{template}} that makes the value, or nil.
func (c *checker) add(next job, from *parse.TemplateNode) {
	t := c.set.Trees[next.name]
	if t == nil || t.Root == nil || c.seen[next] {
		return
	}
	c.seen[next] = true
	c.todo = append(c.todo, &body{checker: c, job: next, from: from})
}
