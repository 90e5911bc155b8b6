// Package templates prepares the templates of an application for rendering. [ReadTexts] reads
// the template files of a tree. [NewViews] parses them, puts each page into its layouts,
// escapes the result with html/template, and compiles that. It returns [Views], which render, and
// the faults that keep templates from being rendered. What else can be checked is asked of what
// they were [Parsed] to. Templates reach the application through the functions of a [Host], so this
// package knows neither requests nor Routers.
package templates

import (
	"html/template"
	"reflect"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Host has the functions and types of an application that templates use. The parameter at
// is the request that a view is rendered for, or nil if there is none.
type Host struct {
	Funcs   template.FuncMap  // of the application
	Formats map[string]Format // by the extensions of their pages
	Route   func(at any, name string, params []any) (string, error)
	Asset   func(at any, name string) (string, error)
	User    func(at any) any
	Nonce   func(at any) string

	Plans      Plans
	Sample     any               // passed as at to Route and Asset while templates are checked
	Lists      *Lists            // for page and pages; nil if there are none
	Request    reflect.Type      // the type that {{request}} returns; nil if its fields are not checked
	Data       map[string][]Data // the types of the data of views, by what View takes
	ErrorData  reflect.Type      // the type of the data of error pages; nil if it is not known
	PerRequest bool              // Route and Asset depend on the request
	NoNonce    string            // why Nonce returns none, for the fault of a template that calls it; "" if it returns one
	// CheckFile returns what is wrong about the templates of a file, whatever their data are, given the
	// types of the functions that they may call. It may be nil.
	CheckFile func(trees map[string]*parse.Tree, funcs map[string]reflect.Type) []fault.Fault
	Excused   func(name string) bool // reports whether Route does not know a name because of a fault that is reported elsewhere
}

// Plans says how views are rendered.
type Plans string

const (
	UsePlans     Plans = ""        // by a plan where there is one, else by html/template
	NoPlans      Plans = "off"     // by html/template
	ComparePlans Plans = "compare" // by both, and a difference is a panic: for tests
)

// Data is the type of what a view, or a block of it, is rendered with.
type Data struct {
	Type  reflect.Type
	Block string         // "" for the whole view
	Where fault.Position // in Go code, for messages; zero for the data of a format
}

// NewViews makes a view of each template, and returns the faults of the templates. It takes
// over from before, which may be nil, a file whose text is the same, and a view whose files
// are the same. The Host must be that of before, except that there may be other public files.
func NewViews(t *routetree.Tree, texts []Text, host Host, before *Views) (*Views, []fault.Fault) {
	l := newLibrary(t, host)
	if before != nil {
		l.before = before.Parsed
	}
	l.parseAll(texts)
	return l.views(t), l.faults
}
