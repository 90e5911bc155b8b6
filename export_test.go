package flow

import (
	"io"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/livereload"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
)

// The tests of this package stand outside of it. This is what some of them see of its inside.

var (
	RunProcess      = runProcess
	ParseHandler    = parseHandler
	ParseMiddleware = parseMiddleware
	RequestKey      = requestKey{}
)

type (
	StaticFile = registry.File[handler, middleware]
	StaticVerb = registry.Verb[handler, middleware]
)

func (r *Router) Tree() *routetree.Tree {
	t, _ := r.parse()
	return t
}
func (r *Router) Warnings() error                 { return r.compile().warnings }
func (r *Router) TemplateFaults() []devpage.Fault { return r.templateFaults() }
func (r *Router) WrongOnDisk() (faults, warnings []devpage.Fault) {
	return r.wrongOnDisk()
}
func (r *Router) Begun() bool { return r.serving.Load() != nil }

func FileOf(f *StaticFile) *File { return &File{f} }

// SetApp makes r that of a directory, and returns the static calls of its files.
func (r *Router) SetApp(path string) *registrations {
	r.app = &application{path: path}
	return &r.app.statics
}

// BeginDev begins to serve, with faults in the terminal.
func (r *Router) BeginDev(terminal io.Writer) {
	r.begin()
	r.front.Terminal = &livereload.Terminal{To: terminal}
}

// DeclaredPage is the answer of a PageOf in the file stem.go.
func DeclaredPage(stem string, data any) Response {
	return Response{kind: kindView, more: &more{data: data, view: &declaredView{stem: stem}}}
}
