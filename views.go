package flow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
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
	file   string
	start  string          // what is executed: the outermost layout, or the template itself
	blocks map[string]bool // what Block takes: the page's own
	err    error           // why it cannot be rendered by itself
	// fixed: it is the same for every request, unless its data is not.
	fixed bool

	shared *instance  // if it asks for no request
	idle   *sync.Pool // else: of instances that nobody uses now
}

// An instance is templates that are ready to be executed. Functions of a template
// are the same for all its executions, so each request that is rendered at a time
// has an instance to itself, whose functions request and user speak of it.
type instance struct {
	templates *template.Template
	req       *Request
}

// views makes a view of each template, and reports what is wrong about them in
// the sets that they are in.
func (l *library) views(t *tree) *views {
	v := &views{byName: map[string]*view{}, errors: map[string]*view{}}
	called := l.calledPartials()
	for _, name := range sortedKeys(l.files) {
		f := l.files[name]
		if f.isLayout() {
			continue
		}
		var layouts []*templateFile
		if !isPartial(name) {
			layouts = l.layoutsOf(name)
		}
		made, faults := l.view(f, layouts)
		switch {
		case made != nil:
		case len(faults) > 0 && isPartial(name) && (called[f.file] || f.shared): // it may need what a page defines
			made = &view{file: f.file, err: joinFaults(faults)}
		default:
			l.faults = append(l.faults, faults...)
			continue
		}
		v.byName[name] = made
		if path.Base(name) == errorName {
			bare := *made
			bare.start = f.file
			v.byName[name], v.errors[dirOf(name)] = &bare, made
		}
	}
	v.findPlaces(t)
	return v
}

// calledPartials returns the partials that another file calls.
func (l *library) calledPartials() map[string]bool {
	called := map[string]bool{}
	for _, f := range l.files {
		for _, t := range f.trees {
			eachNode(t.Root, func(n parse.Node) {
				if n, ok := n.(*parse.TemplateNode); ok && n.Name != f.file {
					called[n.Name] = true
				}
			})
		}
	}
	return called
}

// dirOf returns the directory of a template, "" for the outermost.
func dirOf(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// view makes the view of a file. It returns nil if that is not possible, with
// faults unless they are those of the files by themselves.
func (l *library) view(f *templateFile, layouts []*templateFile) (*view, []fault) {
	s, faults := l.assemble(f, layouts)
	if s == nil {
		return nil, faults
	}
	v := &view{file: f.file, start: s.outer, blocks: map[string]bool{}, fixed: true}
	for name := range f.trees {
		v.blocks[name] = name != f.file
	}
	for name := range l.own {
		v.fixed = v.fixed && !s.calls[name]
	}
	asks := s.calls["request"] || s.calls["user"]
	v.fixed = v.fixed && !asks
	origin := s.templates()
	templates := origin
	if asks {
		templates = template.Must(origin.Clone()) // fails for executed templates
	}
	in, err := l.instance(s, templates)
	if err != nil {
		return nil, []fault{l.escapeFault(s, append([]*templateFile{f}, layouts...), err)}
	}
	if !asks {
		v.shared = in
		return v, nil
	}
	v.idle = &sync.Pool{New: func() any {
		in, err := l.instance(s, template.Must(origin.Clone()))
		if err != nil {
			panic(err) // does not happen: the first was made of the same
		}
		return in
	}}
	v.idle.Put(in)
	return v, nil
}

// templates returns the set as html/template holds it.
func (s *set) templates() *template.Template {
	templates := template.New("")
	for _, name := range sortedKeys(s.trees) {
		template.Must(templates.AddParseTree(name, s.trees[name])) // fails for executed templates
	}
	return templates
}

// instance makes templates ready. html/template escapes at the first execution,
// which is one that cannot do anything: all functions fail then, and so does what
// it writes to.
func (l *library) instance(s *set, templates *template.Template) (*instance, error) {
	for _, name := range append([]string{s.outer}, s.fragments...) {
		if err := l.escape(templates, name); err != nil {
			return nil, err
		}
	}
	in := &instance{templates: templates}
	templates.Funcs(l.funcs).Funcs(template.FuncMap{
		"request": func() *Request { return in.req },
		"user":    func() any { return in.req.User() },
	})
	return in, nil
}

func (l *library) escape(templates *template.Template, name string) error {
	idle := template.FuncMap{"request": notNow, "user": notNow}
	for name := range l.funcs {
		idle[name] = notNow
	}
	var fault *template.Error
	if err := templates.Funcs(idle).ExecuteTemplate(notNowWriter{}, name, nil); errors.As(err, &fault) {
		return fault
	}
	return nil
}

// escapeFault says where an error of html/template is. Some of them name only the
// template that was executed; the innermost file that fails by itself is meant.
func (l *library) escapeFault(s *set, files []*templateFile, err error) fault {
	for _, f := range files {
		copies := template.New("")
		for name, t := range s.trees {
			template.Must(copies.AddParseTree(name, t.Copy()))
		}
		if own := l.escape(copies, f.file); own != nil {
			err = own
			break
		}
	}
	var escaping *template.Error
	if !errors.As(err, &escaping) || escaping.Node != nil {
		return templateFault(s.inner, err)
	}
	name, _, _ := strings.Cut(escaping.Name, "$htmltemplate_") // html/template's copies for other contexts
	t := s.trees[cmp.Or(name, s.inner)]
	if t == nil {
		return templateFault(s.inner, err)
	}
	line := cmp.Or(escaping.Line, lineOfText(t, escaping.Description))
	return faultInLine(t.ParseName, line, "%s", plainEscaping(escaping.Description))
}

// lineOfText returns the line of the text that an error of html/template quotes, or
// else that of the end of a template.
func lineOfText(t *parse.Tree, description string) int {
	_, quoted, _ := strings.Cut(description, ": ")
	text, err := strconv.Unquote(quoted)
	last, found := 1, 0
	eachNode(t.Root, func(n parse.Node) {
		if n, ok := n.(*parse.TextNode); ok {
			i := bytes.Index(n.Text, []byte(text))
			if err == nil && i >= 0 && found == 0 {
				found = lineOf(t, n) + bytes.Count(n.Text[:i], []byte("\n"))
			}
			last = lineOf(t, n) + bytes.Count(n.Text, []byte("\n"))
		}
	})
	return cmp.Or(found, last)
}

var errNotNow = errors.New("not now")

func notNow(...any) (any, error) { return nil, errNotNow }

type notNowWriter struct{}

func (notNowWriter) Write([]byte) (int, error) { return 0, errNotNow }

// checkFuncs returns functions that html/template takes: it panics for a value that
// is no function, in place of which another stands then, and for a name that is no
// identifier. Names that are taken are faults too.
func checkFuncs(funcs template.FuncMap) (good template.FuncMap, faults []fault) {
	good = template.FuncMap{}
	for _, name := range sortedKeys(funcs) {
		switch name {
		case "asset", "request", "route", "user":
			faults = append(faults, fault{text: fmt.Sprintf("Router.Funcs: %q is a function of every template already: call this one otherwise", name)})
			continue
		case "break", "continue":
			faults = append(faults, fault{text: fmt.Sprintf("Router.Funcs: %q is a word of the language: call this one otherwise", name)})
			continue
		}
		good[name] = funcs[name]
		if err := checkFunc(name, funcs[name]); err != nil {
			faults = append(faults, fault{text: err.Error()})
			if good[name] = notNow; checkFunc(name, notNow) != nil {
				delete(good, name)
			}
		}
	}
	return good, faults
}

func checkFunc(name string, f any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("Router.Funcs: %v", v)
		}
	}()
	template.New("").Funcs(template.FuncMap{name: f})
	return nil
}

// templateLine finds the line in an error of text/template or html/template.
var templateLine = regexp.MustCompile(`^(?:html/)?template: ?(.*?):(\d+)(?::\d+)?: (?:template: )?(.*)$`)

// templateFault gives a template's error the form of all faults: file:line: what.
func templateFault(file string, err error) fault {
	text := plainEscaping(strings.ReplaceAll(err.Error(), "\n", " "))
	if m := templateLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[2])
		return faultInLine(m[1], line, "%s", m[3])
	}
	return faultIn(file, "%s", text)
}

// contexts is how html/template describes, to itself, where in the HTML it is.
var contexts = regexp.MustCompile(`: \{state\w+ .*$`)

func plainEscaping(text string) string {
	text = contexts.ReplaceAllString(text, "")
	return strings.Replace(text, "ends in a non-text context", "ends within a tag, an attribute, a script or a style", 1)
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
	name := v.start
	if block != "" {
		if name = block; !v.blocks[block] {
			return "", fmt.Errorf("Block(%q): %s has no such {{define}} or {{block}}", block, v.file)
		}
	}
	in := v.shared
	if in == nil {
		in = v.idle.Get().(*instance)
		in.req = req
		defer func() {
			in.req = nil
			v.idle.Put(in)
		}()
	}
	b := buffers.Get().(*bytes.Buffer)
	err := in.templates.ExecuteTemplate(b, name, data)
	html := b.String()
	if b.Reset(); b.Cap() <= maxBuffer {
		buffers.Put(b)
	}
	return html, err
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
	case v != nil:
	case r.kind == kindPage: // in development
		return Response{}, errors.Join(err, x.router.disk.gone(x.endpoint.route.file))
	default:
		return Response{}, errors.Join(err, fmt.Errorf("flow: View: no template is called %q: give the path below %s/ without extension", name, routerDir))
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
