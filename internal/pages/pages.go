// Package pages makes templates ready. [Read] takes the template files of a tree,
// [Make] parses them, puts each page into its layouts, has html/template escape it, and
// checks all that can be checked before a request: the result are [Views], which render,
// and a fault for everything that is wrong. What templates may ask of the application is
// given as functions, in a [Host].
package pages

import (
	"html/template"
	"reflect"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/routetree"
)

// A Host is what templates may ask of an application. Where a function takes at, it is
// the request that a view is rendered for, or nil if there is none.
type Host struct {
	Funcs template.FuncMap // of the application
	Route func(at any, name string, params []any) (string, error)
	Asset func(at any, name string) (string, error)
	User  func(at any) any

	Sample     any                         // stands for a request when templates are checked
	Request    reflect.Type                // of what {{request}} returns; nil if it is not known
	Data       map[string][]Data           // of views, by what View takes: a template has to work with each of them
	ErrorData  reflect.Type                // of error pages; nil if it is not known
	PerRequest bool                        // URLs depend on the request
	Names      map[string]*routetree.Route // of routes; nil if they are not checked
	Excused    func(name string) bool      // a route may have the name, but for a fault that is told already
}

// Data is the type of what a view, or a block of it, is rendered with.
type Data struct {
	Type  reflect.Type
	Block string         // "" for the whole view
	Where fault.Position // in Go code, for messages
}

// Make makes a view of each template, and reports what is wrong about them. What has not
// changed since before, which may be nil, is taken over from there: a file of the same text,
// and a view of the same files. The Host has to be the same, but may know other public files.
func NewViews(t *routetree.Tree, texts []Text, host Host, before *Views) (*Views, []fault.Fault) {
	if before == nil {
		before = &Views{}
	}
	l := newLibrary(host)
	l.parseAll(texts, before.files)
	return l.views(t, before), l.faults
}
