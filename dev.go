package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	"example.com/flow/internal/devlink"
	"example.com/flow/internal/devpage"
	"example.com/flow/internal/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/ondisk"
	"example.com/flow/internal/pages"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/reply"
	"example.com/flow/internal/routemap"
	"example.com/flow/internal/routetree"
	"example.com/flow/internal/server"
)

// A development is what Router.Dev adds to the answers of a Router. It is nil in
// production, which knows no more of development than this: routerInDev implements it.
type development interface {
	// views returns the templates as they are on disk, and what is wrong with them. The
	// context is that of the request that they are for.
	views(context.Context) (*pages.Views, error)
	// gone returns an error if a route file is not on disk any more.
	gone(*routetree.Route) error
	// publicFile returns the handler that serves a public file as it is on disk.
	publicFile(*routetree.Public) flowFunc
	// newPublicFile returns the pattern of a public file that is new on disk, or nil.
	newPublicFile(name string) *pattern.Pattern
	// hint returns a sentence for the client of a request that nothing answers, or "".
	hint(*http.Request) string
	// showError returns the response that shows an error in all detail. It reports false for
	// a client that must not see that. x is nil if the application has faults and answers nothing.
	showError(req *http.Request, err error, x *exchange) (resp Response, shown bool)
	// frames returns those frames of a panic that the log shows, or nil for all of them.
	frames(*http.Request, *panicError) []string
}

// A routerInDev is a Router in development.
type routerInDev struct {
	router *Router
	disk   *ondisk.Source
}

var _ development = (*routerInDev)(nil)

func (d *routerInDev) views(ctx context.Context) (*pages.Views, error) {
	r := d.router
	return d.disk.Views(ondisk.Binary{Tree: r.tree, Host: r.table.Load().host(r.Funcs), Log: r.logger()}, dev.NoteOf(ctx).Began())
}

func (d *routerInDev) gone(r *routetree.Route) error { return d.disk.Gone(r) }

func (d *routerInDev) publicFile(p *routetree.Public) flowFunc {
	return func(req *Request) (Response, error) {
		h, err := d.disk.Public(p)
		switch {
		case err == nil:
			return Handler(h), nil
		case mayShow(req.Request):
			return Response{}, Error(http.StatusNotFound, err.Error())
		}
		return Response{}, Error(http.StatusNotFound, "", err)
	}
}

func (d *routerInDev) newPublicFile(name string) *pattern.Pattern {
	if p := d.disk.NewFile(d.router.tree, name); p != nil {
		return p.Pattern
	}
	return nil
}

func (d *routerInDev) hint(req *http.Request) string {
	if !mayShow(req) {
		return ""
	}
	return d.disk.Hint(req, d.router.outermost().knownURLs())
}

// showError answers with a page that has the source around the lines which the error names,
// and what the request has sent, or with problem+json or text.
func (d *routerInDev) showError(req *http.Request, err error, x *exchange) (resp Response, shown bool) {
	if !mayShow(req) {
		return Response{}, false
	}
	r := d.router
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
		return problemResponse(p, mediaType), true
	}
	if x != nil {
		report.Request = describeRequest(req, x)
	}
	page := Bytes(devpage.ContentType, report.Render())
	return problemAnswer(p, page.with(reply.Field{Key: "Content-Security-Policy", Value: devpage.Policy})), true
}

// frames returns the frames of the application, "app/users.go:12 app.show", if the client is
// shown the others.
func (d *routerInDev) frames(req *http.Request, p *panicError) (own []string) {
	if !mayShow(req) {
		return nil
	}
	for _, f := range devpage.Stack(p.stack, d.router.isOwn) {
		if f.Own {
			f.File = shownFile(f.File)
			own = append(own, f.Place()+" "+path.Base(f.Function))
		}
	}
	return own
}

// mayShow reports whether the client of a request may see what is wrong: the request has
// come through the front, and so from this machine.
func mayShow(req *http.Request) bool { return dev.NoteOf(req.Context()) != nil }

// sources returns the directories that files of messages are named from.
func (r *Router) sources() []string {
	dirs := []string{".", r.sourceDir()}
	if r.dev != nil {
		dirs = append(dirs, r.dev.disk.Dir())
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

// describeRequest returns what can be shown of a request.
func describeRequest(req *http.Request, x *exchange) *devpage.RequestData {
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
	for _, info := range x.endpoint.table.infos {
		if info.File == d.File && (info.Method == req.Method || info.Method == match.AnyMethod) {
			d.Handler = info.Handler
			break
		}
	}
	return d
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
		r.dev = &routerInDev{r, ondisk.In(dir)}
		if err := r.dev.disk.Check(); err != nil {
			r.own.Fault(pos, "Dev(%q): %v", dir, err)
		}
	})
}

// startDev calls Dev as the flags of the command serve say, also for the Routers inside.
func (r *Router) startDev(set command.Dev) error {
	dir, err := set.Find(r.sourceDir(), routetree.RouterDir)
	if err != nil {
		return err
	}
	r.Dev(dir)
	for _, m := range r.mounts {
		m.startDev()
	}
	return nil
}

// startDev calls Dev for a Router that is mounted, and for those inside it, each with the
// directory of its own source, if that is on this machine.
func (m *Mounted) startDev() {
	if m.inner == nil {
		return
	}
	if dir := m.inner.sourceDir(); m.inner.dev == nil && command.IsSource(dir, routetree.RouterDir) {
		m.inner.Dev(dir)
	}
	for _, inside := range m.inner.mounts {
		inside.startDev()
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

// onDisk returns what looks at the directories that are read in development, those of
// mounted Routers too.
func (r *Router) onDisk() (files []*disk.Watcher) {
	if r.dev != nil {
		files = append(files, r.dev.disk.Watcher())
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
	if r.dev != nil {
		dir := r.dev.disk.Dir()
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

// newPublic returns the endpoint of a public file that is new on disk and has the path of
// a request, of r or of a Router inside, or nil. found is what the binary has for the path.
// It goes before the file if it would once the file is built.
func (r *Router) newPublic(asked pattern.Path, found *endpoint) *endpoint {
	if r.dev != nil {
		t := r.table.Load()
		if p := r.dev.disk.New(r.tree, asked); p != nil && (found == nil || pattern.Compare(t.rank(p.Pattern, found), found.path) < 0) {
			e := t.unmatched(t.standard, nil, handler{flow: r.dev.publicFile(p)})
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
func (r *Router) findNew(req *http.Request) *endpoint {
	asked, ok := pattern.ParsePath(req)
	if !ok || req.Method != http.MethodGet && req.Method != http.MethodHead {
		return nil
	}
	found, _ := r.table.Load().matcher.Find(http.MethodGet, asked.Segments)
	return r.newPublic(asked, found)
}

// newFront returns what answers a request before the table of the outermost Router does, or
// nil if neither that nor a Router inside is in development.
func (r *Router) newFront() *devFront {
	files := r.onDisk()
	if len(files) == 0 {
		return nil
	}
	return &devFront{r, &dev.Front{Hub: dev.NewHub(files...), Map: http.HandlerFunc(r.serveMap)}}
}

// A devFront stands before the outermost Router in development.
type devFront struct {
	router *Router
	*dev.Front
}

// answer reports whether it has answered a request: one that comes from this machine, for
// which it calls the Router again, or one for a public file that is new on disk.
func (f *devFront) answer(w http.ResponseWriter, req *http.Request) bool {
	if !mayShow(req) && dev.IsLocal(req) {
		server.ShareTrailer(req) // the front copies the request
		f.ServeHTTP(w, req, f.router.ServeHTTP)
		return true
	}
	if f.router.table.Load().err != nil {
		return false
	}
	e := f.router.findNew(req)
	if e == nil {
		return false
	}
	asked, _ := pattern.ParsePath(req)
	w.Header()["X-Content-Type-Options"] = nosniff
	req.Pattern = e.pattern
	e.begin(w, req, e.table.mountParams(asked.Segments))
	return true
}

// templateFaults returns what is wrong with the templates on disk, those of mounted Routers too.
func (r *Router) templateFaults() (faults []devpage.Fault) {
	if r.dev != nil {
		if _, err := r.dev.views(context.Background()); err != nil {
			faults = devpage.Parse(err.Error(), r.sources()...)
		}
	}
	for _, m := range r.mounts {
		if m.inner != nil {
			faults = append(faults, m.inner.templateFaults()...)
		}
	}
	return faults
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
	if d := c.router.dev; d != nil && !c.tree.Missing && d.disk.Check() == nil {
		var err error
		c.table.views, err = d.disk.Views(ondisk.Binary{Tree: c.tree, Host: c.table.host(c.router.Funcs), Log: slog.New(slog.DiscardHandler)}, time.Now())
		c.faults = append(c.faults, fault.Of(err)...)
		for _, route := range c.tree.Routes {
			c.checkData(route, c.plan.Of(route))
		}
	}
	c.joinFaults()
}

// explain says what answers a request of the Router, which is the outermost.
func (r *Router) explain(q routemap.Question) routemap.Explanation {
	t := r.table.Load()
	e := routemap.Explain(q, t.matcher.Explain(q.Request()), t.describe)
	if r.front != nil {
		if found := r.findNew(q.Request()); found != nil {
			e = e.InFront(t.describe(found))
		}
	}
	if t.routeMap != nil && e.Outcome == routemap.Answered {
		e.Before = t.routeMap.Before(*e.Answer, q.Method)
	}
	return e
}

// A routeMap is a route map of development, and of the command routes -explain.
type routeMap = routemap.Map

// keepRouteMap keeps the route map if it will be asked for.
func (c *compiler) keepRouteMap() {
	if r := c.router; r.explains || len(r.onDisk()) > 0 {
		routes := c.routeMap(nil)
		c.table.routeMap = &routes
	}
}

// routeMap describes the application and what is mounted in it, for the route map of
// development. before runs before it.
func (c *compiler) routeMap(before []routemap.Middleware) routeMap {
	s := routemap.Source[handler, middleware]{
		Tree:    c.tree,
		Plan:    c.plan,
		Before:  before,
		Handler: func(h *handler) fault.Position { return h.pos },
		Name:    func(m middleware) (string, bool) { return forms.NameOf(m.pc), m.guard != nil },
	}
	if d := c.router.dev; d != nil {
		s.Disk = d.disk.Files()
	}
	all := s.Make()
	for _, m := range c.mounts {
		at := fmt.Sprintf("Mount(%q)", m.text)
		before := append(s.Everywhere(), s.Middleware(at+".Use", m.uses)...)
		if m.inner == nil {
			_, below := m.patterns(c.tree.Prefix)
			all.Mounts = append(all.Mounts, routemap.Mount{Pattern: below.String(), Handler: fmt.Sprintf("%T", m.handler), At: m.pos.String(), Middleware: before})
			continue
		}
		inside := c.inside[m].routeMap(before)
		inside.Name, inside.At = m.label, m.pos.String()
		all.Inside = append(all.Inside, inside)
	}
	return all
}

// serveMap serves the route map of the outermost Router, in development.
func (r *Router) serveMap(w http.ResponseWriter, req *http.Request) {
	t := r.table.Load()
	if t.err != nil {
		send(r.faulty(req), w, req.Method == http.MethodHead)
		return
	}
	routemap.Page{Map: t.routeMap.Refresh(), Explain: r.explain, Recent: r.front.Requests.Last(), Warnings: r.front.Hub.Warnings()}.ServeHTTP(w, req)
}

// describe says what an endpoint is, for people.
func (t *table) describe(e *endpoint) routemap.Endpoint {
	d := routemap.Endpoint{File: e.owner.file, Pattern: e.path.String(), Path: e.path}
	_, addsSlash := e.handler.std.(addSlash)
	switch {
	case addsSlash:
		d.Kind = routemap.AddSlash
	case e.owner.route != nil:
		d.Handler = e.handler.pos.String()
	case strings.HasPrefix(e.pattern, "/"): // it answers any method, as public files do not
		d.Kind = routemap.MountedHandler
	default:
		d.Kind = routemap.PublicFile
	}
	for _, info := range t.infos {
		if e.pattern == strings.TrimPrefix(info.Method+" "+info.Pattern, "ANY ") && strings.HasSuffix(d.File, info.File) {
			d.Name = info.Name
		}
	}
	if e.around != nil {
		d.Inside = e.around.owner.file
	}
	return d
}

// knownURLs returns the URLs that r and the Routers inside answer now, in development.
func (r *Router) knownURLs() []ondisk.URL {
	urls := ondisk.URLs(r.tree)
	if r.dev != nil {
		urls = r.dev.disk.URLs(r.tree)
	}
	for _, m := range r.mounts {
		if m.inner != nil {
			urls = append(urls, m.inner.knownURLs()...)
		} else {
			exact, _ := m.patterns(r.tree.Prefix)
			urls = append(urls, ondisk.URL{Pattern: exact, File: "Mount of " + m.pos.String()})
		}
	}
	return urls
}

// printExplanation runs the command routes -explain.
func (r *Router) printExplanation(set command.Routes, w io.Writer) error {
	q, err := routemap.Ask(set.Explain)
	if err != nil {
		return command.Usagef("-explain: %v", err)
	}
	return r.explain(q).Print(w, set.JSON)
}

// A devTool is the link to the tool that has started the program in development. It is nil
// if nobody has.
type devTool = devlink.App

// linkTool links the program with the tool that has started it, if the program is to serve in
// development. The context that it returns ends with the tool.
func linkTool(ctx context.Context, c command.Command) (*devTool, context.Context, error) {
	if !c.Serve.Dev.On {
		return nil, ctx, nil
	}
	return devlink.Start(ctx)
}

// connect has the tool tell of changes, and has it told when the listeners of the server are
// open and what is wrong with the templates.
func (f *devFront) connect(tool *devTool, s *server.Server) {
	f.Hub.SetPolling(false) // since the tool tells of changes
	s.Opened = func(url string) { tool.Ready(url, f.router.diskDirs(), f.Hub, f.router.templateFaults) }
	s.Closed = func() { tool.Close() } // which tells the tool that the next program answers alone
}
