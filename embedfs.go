package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/command"
	"example.com/flow/internal/dev"
	"example.com/flow/internal/devpage"
	"example.com/flow/internal/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/ondisk"
	"example.com/flow/internal/pages"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/public"
	"example.com/flow/internal/reply"
	"example.com/flow/internal/routetree"
)

// New returns a Router for the files of a tree, which holds router/ and, if there
// are public files, public/. From further trees it takes the +files that are missing in
// files and in the trees before, such as layouts that applications share. New never
// fails: Check tells what is wrong.
//
// The static calls (GET, With, Use and so on) in the directory of the file that
// calls New are registrations of this Router too, unless that file is a test.
func New(files fs.FS, shared ...fs.FS) *Router {
	shared = slices.Clone(shared)
	for i, f := range shared {
		shared[i] = orNil(f)
	}
	r, dir := &Router{}, ""
	if pos := fault.Caller(0); !strings.HasSuffix(pos.File, "_test.go") {
		r.app = applicationOf(pos)
		r.app.routers.Add(1)
		dir = r.app.shown()
	}
	r.tree = routetree.ReadIn(dir, orNil(files), shared)
	r.CrossOrigin.SetDenyHandler(http.HandlerFunc(r.deny))
	return r
}

// orNil returns nil for a nil pointer in an interface, which would not be equal to nil.
func orNil(files fs.FS) fs.FS {
	if forms.IsNil(files) {
		return nil
	}
	return files
}

// readViews makes the templates ready.
func (c *compiler) readViews() {
	c.table.views = &pages.Views{}
	if c.router.inDev() {
		return // they are read for each request
	}
	texts, faults := pages.Read(c.tree)
	views, more := pages.Make(c.tree, texts, c.table.host(), nil)
	c.table.views = views
	c.faults = append(append(c.faults, faults...), more...)
}

// host returns what the templates of a Router may ask of its table.
func (t *table) host() pages.Host {
	return pages.Host{
		Funcs:      t.router.Funcs,
		Route:      func(at any, name string, params []any) (string, error) { return t.route(vantageOf(at), name, params) },
		Asset:      func(at any, name string) (string, error) { return t.asset(vantageOf(at), name) },
		User:       func(at any) any { return at.(*Request).User() },
		Sample:     vantage{t.above.Segments, slices.Repeat(match.Values{{Value: "x"}}, len(t.above.Names))},
		Request:    reflect.TypeFor[*Request](),
		PerRequest: len(t.above.Names) > 0,
		Names:      t.names,
		Excused:    func(name string) bool { return t.namesMissing || t.misplaced[name] },
	}
}

// addDiskFaults adds what is wrong with the templates on disk, in development, where Check
// leaves them alone if that is all that is wrong: pages show it. A Router that has other
// faults shows none, so they are told at once.
func (c *compiler) addDiskFaults() {
	for _, m := range c.mounts {
		if inner := c.inside[m]; inner != nil {
			known := len(inner.faults)
			inner.addDiskFaults()
			c.addInner(m, inner.faults[known:])
		}
	}
	if r := c.router; r.inDev() && !c.tree.Missing && r.disk.Check() == nil {
		var err error
		c.table.views, err = r.disk.Views(ondisk.Binary{Tree: c.tree, Host: c.table.host(), Log: slog.New(slog.DiscardHandler)}, time.Now())
		c.faults = append(c.faults, fault.Of(err)...)
		for _, route := range c.tree.Routes {
			c.checkData(route, c.plan.Of(route))
		}
	}
	c.joinFaults()
}

func plainPage(*Request) (Response, error) { return Page(nil), nil }

// checkData reports a page that is served without a handler, and asks for data. If it has
// handlers for other methods, the one for GET was forgotten. A page without any may be
// meant for View, and is only warned about.
func (c *compiler) checkData(r *routetree.Route, b *binding) {
	if !b.GivesNoData() {
		return
	}
	field, line := c.table.views.Needs(r.Path)
	switch {
	case line == 0:
	case len(b.Verbs) > 0:
		c.faults = append(c.faults, fault.InLine(r.File, line, "{{%s}} asks for data, and no handler for GET gives any: %s, or write {{with .}} around it", field, c.plan.Remedy(r)))
	default:
		c.faults = append(c.faults, fault.Warn(r.File, line, "{{%s}} asks for data, and a page without a handler has none: %s, or write {{with .}} around it", field, c.plan.Remedy(r)))
	}
}

// renderOnce returns a handler that serves the page of a route as it is rendered now, if
// it is the same for all requests, and else the handler otherwise. Shared caches must
// not keep a page that a guard has let through.
func (c *compiler) renderOnce(r *routetree.Route, guarded bool, otherwise handler) handler {
	v, err := c.table.views.View(r.Path)
	if err != nil || !v.IsFixed() || c.table.namesMissing || len(c.table.misplaced) > 0 {
		return otherwise
	}
	html, err := v.Render(nil, "", nil)
	if err != nil {
		c.faults = append(c.faults, pages.Fault(r.File, err))
		return otherwise
	}
	cache := revalidate
	if guarded {
		cache = privately
	}
	return handler{content: public.New(htmlType[0], []byte(html)), cache: cache}
}

// An asset is a public file: app.css is /app.css, and also /app.<hash>.css, which
// never changes.
type asset struct {
	file    string
	pattern *pattern.Pattern
	hashed  *pattern.Pattern // nil in development
	serves  handler
	forever handler // of hashed
}

// The values of Cache-Control. With revalidate caches ask each time whether the content
// has changed. With privately only the client's own cache keeps it, and asks too. With
// immutable caches keep it for a year and do not ask.
var (
	revalidate = []string{"no-cache"}
	privately  = []string{"private, no-cache"}
	immutable  = []string{"public, max-age=31536000, immutable"}
)

// readAssets reads the public files.
func (c *compiler) readAssets() {
	c.table.assets = make(map[string]*asset, len(c.tree.Public))
	var names []string
	for _, p := range c.tree.Public {
		names = append(names, p.InTree)
	}
	files := public.NewFiles(c.tree.Files, names)
	for _, p := range c.tree.Public {
		a := &asset{file: p.File, pattern: p.Pattern}
		c.table.assets[p.Name()] = a
		if c.router.inDev() {
			a.serves.flow = c.router.serveFromDisk(p)
			continue
		}
		content, err := files.Content(p.InTree)
		if err != nil {
			c.faults = append(c.faults, fault.In(p.File, "%v", err))
			continue
		}
		a.hashed = hashedPattern(p.Pattern, content.Hash())
		a.serves, a.forever = contentHandler(content, revalidate), contentHandler(content, immutable)
	}
}

// addPublic puts the public files into the trie, by their own URLs.
func (c *compiler) addPublic(trie *match.Trie[endpoint]) {
	for _, name := range slices.Sorted(maps.Keys(c.table.assets)) {
		a := c.table.assets[name]
		c.addAsset(trie, a, a.pattern, a.serves)
	}
}

// addHashed puts them in by their hashed URLs, which nothing else may have.
func (c *compiler) addHashed(trie *match.Trie[endpoint]) {
	for _, name := range slices.Sorted(maps.Keys(c.table.assets)) {
		a := c.table.assets[name]
		if a.hashed == nil {
			continue
		}
		if other := trie.Leaf(a.hashed).Answer(http.MethodGet); other != nil {
			c.faults = append(c.faults, fault.In(other.owner.file, "it answers %s, which is the hashed URL of %s: rename it", pattern.Sample(a.hashed.Segments), a.file))
		}
		c.addAsset(trie, a, a.hashed, a.forever)
	}
}

func (c *compiler) addAsset(trie *match.Trie[endpoint], a *asset, p *pattern.Pattern, h handler) {
	o := &owner{file: a.file, standard: c.table.standard}
	trie.Leaf(p).Set(http.MethodGet, c.endpoint(o, p, http.MethodGet, o.standard, h, 0))
}

// hashedPattern returns the pattern of a file with a hash of its content before the
// extension.
func hashedPattern(p *pattern.Pattern, hash string) *pattern.Pattern {
	segments := slices.Clone(p.Segments)
	name := &segments[len(segments)-1].Text
	ext := path.Ext(*name)
	*name = strings.TrimSuffix(*name, ext) + "." + hash + ext
	return pattern.New(segments)
}

// contentHandler returns the handler that serves a content with a Cache-Control. A
// content that is not held in memory panics if its file cannot be opened, and is served
// as a net/http handler is, where panics are contained.
func contentHandler(content *public.Content, cache []string) handler {
	h := handler{content: content, cache: cache}
	if content.Held() {
		return h
	}
	return handler{std: http.HandlerFunc(h.serveContent)}
}

// serveContent answers with the content, or with the error that it leads to.
func (h *handler) serveContent(w http.ResponseWriter, r *http.Request) {
	if status := h.content.Serve(w, r, h.cache); status >= http.StatusBadRequest {
		new(reply.Description).Restore(w.Header()) // what middleware has said of the content is not about the error
		send(Text(http.StatusText(status)+"\n").Status(status), w, r.Method == http.MethodHead)
	}
}

// Dev makes the Router read templates and public files from a directory, which
// holds router/ and public/, at each request: a change shows without a rebuild.
// What fails is shown in the browser with file and line, pages that are open load
// themselves again when a file changes, and public files are neither compressed nor given
// hashed URLs. The URLs below /_flow are flow's own then. Only requests of this machine
// are shown any of this. Dev is for development only, where Main listens on localhost
// unless it is given an address, and is called before the Router serves.
//
// A symbolic link is followed while it stays inside the directory; one that leads out
// of it, or is absolute, is an error in the browser. The directory may be removed and
// made anew.
//
// Routes stay those of the binary, and the log says how the directory differs from
// them. Public files that are new are served. A directory that has no router/ is a
// fault. Check does not look at templates then: their faults are shown in the browser.
func (r *Router) Dev(dir string) {
	pos := fault.Caller(0)
	r.own.Change(pos, "Dev", func() {
		r.disk = ondisk.In(dir)
		if err := r.disk.Check(); err != nil {
			r.own.Fault(pos, "Dev(%q): %v", dir, err)
		}
	})
}

// dev calls Dev for a Router that is mounted, and for those inside it, each with the
// directory of its own source, if that is on this machine.
func (m *Mounted) dev() {
	if m.inner == nil {
		return
	}
	if dir := m.inner.sourceDir(); m.inner.disk == nil && command.IsSource(dir, routetree.RouterDir) {
		m.inner.Dev(dir)
	}
	for _, inside := range m.inner.mounts {
		inside.dev()
	}
}

// sourceDir returns the directory of the Go file that called New, as the compiler
// recorded it; "" for a test.
func (r *Router) sourceDir() string {
	if r.app == nil {
		return ""
	}
	return filepath.FromSlash(r.app.path)
}

// inDev reports whether Dev was called.
func (r *Router) inDev() bool { return r != nil && r.disk != nil }

// onDisk returns what looks at the directories that are read in development, those of
// mounted Routers too.
func (r *Router) onDisk() (files []*disk.Watcher) {
	if r.inDev() {
		files = append(files, r.disk.Watcher())
	}
	for _, m := range r.mounts {
		if m.inner != nil {
			files = append(files, m.inner.onDisk()...)
		}
	}
	return files
}

// diskDirs returns the absolute names of the directories that are read in development.
func (r *Router) diskDirs() (dirs []string) {
	if r.inDev() {
		dir := r.disk.Dir()
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		dirs = append(dirs, dir)
	}
	for _, m := range r.mounts {
		if m.inner != nil {
			dirs = append(dirs, m.inner.diskDirs()...)
		}
	}
	return dirs
}

// serveFromDisk serves a public file as it is on disk.
func (r *Router) serveFromDisk(p *routetree.Public) flowFunc {
	return func(req *Request) (Response, error) {
		h, err := r.disk.Public(p)
		switch {
		case err == nil:
			return Handler(h), nil
		case r.showsTo(req.Request):
			return Response{}, Error(http.StatusNotFound, err.Error())
		}
		return Response{}, Error(http.StatusNotFound, "", err)
	}
}

// newPublic returns the endpoint of a public file that is new on disk and has the path of
// a request, of r or of a Router inside, or nil. found is what the binary has for the path.
// It goes before the file if it would once the file is built.
func (r *Router) newPublic(asked pattern.Path, found *endpoint) *endpoint {
	if r.inDev() {
		t := r.table.Load()
		if p := r.disk.New(r.tree, asked); p != nil && (found == nil || pattern.Compare(t.rank(p.Pattern, found), found.path) < 0) {
			e := t.unmatched(t.standard, nil, handler{flow: r.serveFromDisk(p)})
			e.path, e.pattern, e.miss, e.owner.file = p.Pattern, http.MethodGet+" "+p.Pattern.String(), false, p.File
			return e
		}
	}
	for _, m := range r.mounts {
		if m.inner == nil {
			continue
		}
		if e := m.inner.newPublic(asked, found); e != nil {
			return e
		}
	}
	return nil
}

// rank returns the pattern by which a file of t is compared with an endpoint: its own, or
// that of the mount around it if the endpoint is of a Router further out.
func (t *table) rank(own *pattern.Pattern, other *endpoint) *pattern.Pattern {
	for around := t.around; around != nil; around = around.around {
		if around.table == other.table {
			return around.path
		}
	}
	return own
}

// findNew returns the endpoint of a public file that is new on disk, if there is one for a
// request, or nil.
func (t *table) findNew(req *http.Request) *endpoint {
	asked, ok := pattern.ParsePath(req)
	if !ok || req.Method != http.MethodGet && req.Method != http.MethodHead {
		return nil
	}
	found, _ := t.matcher.Find(http.MethodGet, asked.Segments)
	return t.router.newPublic(asked, found)
}

// serveNew answers with a public file that is new on disk, if there is one for a request.
func (t *table) serveNew(w http.ResponseWriter, req *http.Request) bool {
	e := t.findNew(req)
	if e == nil {
		return false
	}
	asked, _ := pattern.ParsePath(req)
	w.Header()["X-Content-Type-Options"] = nosniff
	req.Pattern = e.pattern
	e.begin(w, req, e.table.inherited(asked.Segments))
	return true
}

// showsTo reports whether what is wrong may be shown to the client of a request: in
// development, and if the request is local.
func (r *Router) showsTo(req *http.Request) bool {
	return r.inDev() && dev.NoteOf(req.Context()) != nil
}

// showFault answers with an error in all detail: a page with the source around the lines
// that the error names, and with what the request has sent, or problem+json or text. x is
// nil if the application has faults and answers nothing.
func (r *Router) showFault(req *http.Request, err error, x *exchange) Response {
	text := strings.TrimPrefix(err.Error(), "flow: ")
	report := &devpage.Report{Status: "500 Internal Server Error", Title: "This request failed", Faults: devpage.Parse(text, r.sources()...)}
	switch panicked := (*panicError)(nil); {
	case x == nil:
		report.Title, report.Advice = "The application has faults", "It answers nothing until they are mended, and it is built and started again."
	case errors.As(err, &panicked):
		report.Title, report.Stack = "This request panicked", devpage.Stack(panicked.stack, r.isOwn)
		report.Faults = []devpage.Fault{devpage.FaultOf(text, report.Stack, r.sources()...)}
	}
	for i, f := range report.Stack {
		report.Stack[i].File = shownFile(f.File)
	}
	for i, f := range report.Faults {
		report.Faults[i].File = shownFile(f.File)
	}
	dev.NoteOf(req.Context()).SetFaults(report.Faults)
	p := reply.Problem{Status: http.StatusInternalServerError, Detail: text}
	mediaType := accept.MediaType(acceptOf(req), true)
	if anything := acceptOf(req); len(anything) > 0 && accept.MediaType(anything, false) != "text/html" && mediaType == "text/html" && req.Header.Get("Sec-Fetch-Dest") == "" {
		mediaType = "text/plain" // to curl and the like, which take anything, in a terminal
	}
	if mediaType != "text/html" {
		return problemResponse(p, mediaType)
	}
	if x != nil {
		report.Request = x.describe(req)
	}
	page := Bytes(devpage.ContentType, report.Render())
	return problemAnswer(p, page.with(reply.Field{Key: "Content-Security-Policy", Value: devpage.Policy}))
}

// sources returns the directories that files of messages are named from.
func (r *Router) sources() []string {
	dirs := []string{".", r.sourceDir()}
	if r.inDev() {
		dirs = append(dirs, r.disk.Dir())
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" })
}

// shownFile returns a file of a stack as messages have it: from the working directory, if
// it is below that.
func shownFile(file string) string {
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(filepath.FromSlash(file)) {
		if below, err := filepath.Rel(wd, filepath.FromSlash(file)); err == nil && filepath.IsLocal(below) {
			return filepath.ToSlash(below)
		}
	}
	return file
}

// isOwn reports whether a frame is the application's: of the main module, of a command, or
// of the directory that has called New; and not flow's.
func (r *Router) isOwn(f devpage.Frame) bool {
	pkg, flow := f.Package(), reflect.TypeFor[Router]().PkgPath()
	if (pkg == flow || strings.HasPrefix(pkg, flow+"/internal/")) && !strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	main := fault.MainModule()
	return pkg == "main" || main != "" && strings.HasPrefix(pkg+"/", main+"/") || r.app != nil && strings.HasPrefix(path.Dir(f.File)+"/", r.app.path+"/")
}

// describe returns what can be shown of the request.
func (x *exchange) describe(req *http.Request) *devpage.RequestData {
	var params []devpage.Param
	if x.endpoint.path != nil && len(x.values) >= len(x.endpoint.path.Names) {
		for i, name := range x.endpoint.path.Names {
			params = append(params, devpage.Param{Name: name, Value: match.Value(x.endpoint.path, x.values, i)})
		}
	}
	form := x.body.All(&http.Request{URL: &url.URL{}}) // without the query
	for name, values := range req.PostForm {
		form[name] = values
	}
	d := devpage.Describe(req, params, form)
	d.File = x.endpoint.owner.file
	for _, info := range x.router.Routes() {
		if info.File == d.File && (info.Method == req.Method || info.Method == match.AnyMethod) {
			d.Handler = info.Handler
			break
		}
	}
	return d
}

// views returns the templates, and in development what is wrong about them. ctx is that of
// the request that they are for.
func (r *Router) views(ctx context.Context) (*pages.Views, error) {
	if r.inDev() {
		return r.disk.Views(ondisk.Binary{Tree: r.tree, Host: r.table.Load().host(), Log: r.logger()}, dev.NoteOf(ctx).Began())
	}
	return r.table.Load().views, nil
}

// encodePage executes the template of a View or a Page.
func encodePage(r Response, req *Request) (Response, error) {
	x := req.x
	if x.router == nil {
		return Response{}, errors.New("flow: a Request of NewRequest has no Router, so there are no templates to render")
	}
	name := r.text
	if r.kind == kindPage {
		if !x.endpoint.isPage() {
			return Response{}, errors.New("flow: Page renders the page of the route, and this route has none: use View")
		}
		name = x.endpoint.owner.route.Path
	}
	all, faults := x.router.views(req.Context())
	v, err := all.View(name)
	switch {
	case err == nil:
	case r.kind == kindPage: // in development, where the file may be gone or faulty
		return Response{}, errors.Join(faults, x.router.disk.Gone(x.endpoint.owner.route))
	default:
		return Response{}, errors.Join(faults, fmt.Errorf("flow: View: %w", err))
	}
	html, err := v.Render(req, r.more.block, r.more.data)
	if err != nil {
		return Response{}, fmt.Errorf("flow: %w", err)
	}
	return r.body(kindHTML, html), nil
}
