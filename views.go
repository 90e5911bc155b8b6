package flow

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// views are the templates of an application, escaped and ready to be rendered.
type views struct {
	byName map[string]*view
	errors map[string]*view // error pages in their layouts, by directory
	places map[string]*view // the error page for what matches nothing, by URL of a directory
}

// A view is a template that is ready to be rendered: a page or an error page in
// its layouts, or a +file by itself.
type view struct {
	set   *template.Template // never executed, so that it can be cloned
	funcs template.FuncMap
	start string // what is executed: the outermost layout, or the template itself
	inner string // the template itself
	file  string
	// fixed: it is the same for every request, unless its data is not.
	fixed     bool
	fragments []string // what only Block can reach
	err       error    // why it cannot be rendered by itself

	shared *instance      // if it asks for no request
	idle   chan *instance // else: those that nobody uses now
}

// An instance is a copy of a view's templates. Functions of a template are the
// same for all its executions, so each request that is rendered at a time has an
// instance to itself, whose functions request and user speak of it.
type instance struct {
	templates *template.Template
	req       *Request
}

// views makes a view of each template, and reports what is wrong about them in
// the sets that they are in.
func (l *library) views(t *tree) *views {
	v := &views{byName: map[string]*view{}, errors: map[string]*view{}}
	called := map[string]bool{} // partials, in the set of another template
	for _, name := range sortedKeys(l.files) {
		f := l.files[name]
		if f.isLayout() || isPartial(name) {
			continue
		}
		view, faults := l.view(f, l.layoutsOf(name), called)
		if view == nil {
			l.faults = append(l.faults, faults...)
			continue
		}
		if path.Base(name) == errorName {
			v.errors[dirOf(name)] = view
			bare := *view
			bare.start = bare.inner
			view = &bare
		}
		v.byName[name] = view
	}
	for _, name := range sortedKeys(l.files) {
		f := l.files[name]
		if !isPartial(name) {
			continue
		}
		partial, faults := l.view(f, nil, map[string]bool{})
		switch {
		case partial != nil:
		case called[f.file]: // it may need what a page defines
			partial = &view{file: f.file, err: joinFaults(faults)}
		default:
			l.faults = append(l.faults, faults...)
			continue
		}
		v.byName[name] = partial
	}
	v.findPlaces(t)
	return v
}

// dirOf returns the directory of a template, "" for the outermost.
func dirOf(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// view makes the view of a file, and notes the files that it is made of. It
// returns nil, and faults unless they are those of the files by themselves, if
// that is not possible.
func (l *library) view(f *templateFile, layouts []*templateFile, called map[string]bool) (*view, []fault) {
	s, faults := l.assemble(f, layouts)
	if s == nil {
		return nil, faults
	}
	v := &view{set: template.New(""), funcs: l.funcs, start: s.outer, inner: s.inner, file: f.file, fixed: true, fragments: s.fragments}
	for _, name := range sortedKeys(s.trees) {
		called[name] = true
		if _, err := v.set.AddParseTree(name, s.trees[name]); err != nil {
			return nil, []fault{faultIn(f.file, "%v", err)}
		}
	}
	perRequest := s.calls["request"] || s.calls["user"]
	for name := range l.own {
		v.fixed = v.fixed && !s.calls[name]
	}
	v.fixed = v.fixed && !perRequest
	in, err := v.instance()
	if err != nil {
		return nil, []fault{templateFault(f.file, err)}
	}
	if !perRequest {
		v.shared = in
		return v, nil
	}
	v.idle = make(chan *instance, 2*runtime.GOMAXPROCS(0))
	v.idle <- in
	return v, nil
}

// instance makes another instance, escaped. html/template escapes at the first
// execution, which is one that cannot do anything: all functions fail then, and so
// does what it writes to.
func (v *view) instance() (*instance, error) {
	templates, err := v.set.Clone()
	if err != nil {
		return nil, err
	}
	idle := template.FuncMap{"request": notNow, "user": notNow}
	for name := range v.funcs {
		idle[name] = notNow
	}
	templates.Funcs(idle)
	for _, name := range append([]string{v.start}, v.fragments...) {
		var fault *template.Error
		if err := templates.ExecuteTemplate(notNowWriter{}, name, nil); errors.As(err, &fault) {
			return nil, v.where(fault)
		}
	}
	in := &instance{templates: templates}
	templates.Funcs(v.funcs).Funcs(template.FuncMap{
		"request": func() *Request { return in.req },
		"user":    func() any { return in.req.User() },
	})
	return in, nil
}

// where adds the file to an error that names a template only.
func (v *view) where(err *template.Error) error {
	if err.Node != nil || err.Name == "" {
		return err
	}
	name, _, _ := strings.Cut(err.Name, "$htmltemplate_") // html/template's copies for other contexts
	t := v.set.Lookup(name)
	if t == nil || t.Tree == nil {
		return err
	}
	return fmt.Errorf("template: %s:%d: %s", t.Tree.ParseName, max(err.Line, 1), err.Description)
}

var errNotNow = errors.New("not now")

func notNow(...any) (any, error) { return nil, errNotNow }

type notNowWriter struct{}

func (notNowWriter) Write([]byte) (int, error) { return 0, errNotNow }

// checkFuncs finds what html/template panics for, a value that is no function or
// a name that is no identifier, and names that are taken.
func checkFuncs(funcs template.FuncMap) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("Router.Funcs: %v", v)
		}
	}()
	template.New("").Funcs(funcs)
	for _, name := range []string{"asset", "request", "route", "user"} {
		if funcs[name] != nil {
			return fmt.Errorf("Router.Funcs: %q is a function of every template already: call this one otherwise", name)
		}
	}
	return nil
}

// templateLine finds the line in an error of text/template or html/template.
var templateLine = regexp.MustCompile(`^(?:html/)?template: ?(.*?):(\d+)(?::\d+)?: (.*)$`)

// contexts is how html/template describes where in the HTML it is, to itself.
var contexts = regexp.MustCompile(`: \{state\w+ .*$`)

// templateFault gives a template's error the form of all faults: file:line: what.
func templateFault(file string, err error) fault {
	text := contexts.ReplaceAllString(strings.ReplaceAll(err.Error(), "\n", " "), "")
	text = strings.Replace(text, "ends in a non-text context", "ends within a tag, an attribute, a script or a style", 1)
	if m := templateLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[2])
		return faultInLine(m[1], line, "%s", m[3])
	}
	return faultIn(file, "%s", text)
}

// buffers are for rendering.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxBuffer is the size in bytes of the largest buffer that is kept for the next
// page.
const maxBuffer = 1 << 20

// render executes the view, or one block of it.
func (v *view) render(req *Request, block string, data any) (string, error) {
	if v.err != nil {
		return "", fmt.Errorf("%s cannot be rendered by itself: %w", v.file, v.err)
	}
	in := v.shared
	if in == nil {
		var err error
		if in, err = v.borrow(); err != nil {
			return "", err
		}
		in.req = req
		defer v.giveBack(in)
	}
	name := v.start
	if block != "" {
		if name = block; in.templates.Lookup(block) == nil {
			return "", fmt.Errorf("Block(%q): %s has no such {{define}} or {{block}}", block, v.file)
		}
	}
	b := buffers.Get().(*bytes.Buffer)
	err := in.templates.ExecuteTemplate(b, name, data)
	html := b.String()
	if b.Reset(); b.Cap() <= maxBuffer {
		buffers.Put(b)
	}
	return html, err
}

func (v *view) borrow() (*instance, error) {
	select {
	case in := <-v.idle:
		return in, nil
	default:
		return v.instance()
	}
}

func (v *view) giveBack(in *instance) {
	in.req = nil
	select {
	case v.idle <- in:
	default: // more requests at once than usual
	}
}

// render executes the template of a View or a Page.
func (r Response) render(req *Request) (Response, error) {
	x := req.x
	if x.router == nil {
		return Response{}, errors.New("flow: a Request of NewRequest has no Router, so there are no templates to render")
	}
	name := r.text
	if r.kind == kindPage {
		if !x.endpoint.isPage() {
			return Response{}, errors.New("flow: Page renders the page of the route, and this route has none: use View")
		}
		name = x.endpoint.route.path
	}
	all, err := x.router.views()
	v := all.byName[name]
	switch {
	case v == nil && err != nil: // the faults of this view among them
		return Response{}, err
	case v == nil && r.kind == kindPage: // of the disk, in development
		return Response{}, fmt.Errorf("flow: %s is gone: routes stay those of the binary until it is built again", x.endpoint.route.file)
	case v == nil:
		return Response{}, fmt.Errorf("flow: View: no template is called %q: give the path below %s/ without extension", name, routerDir)
	}
	html, err := v.render(req, r.more.block, r.more.data)
	if err != nil {
		return Response{}, fmt.Errorf("flow: %w", err)
	}
	return r.body(kindHTML, html), nil
}

// route is the template function of that name.
func (t *table) route(name string, params ...any) (string, error) {
	r := t.names[name]
	if r == nil {
		return "", fmt.Errorf("flow: no route is called %q", name)
	}
	return r.url(name, params)
}
