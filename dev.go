package flow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"example.com/flow/internal/check/examples"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/command"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/develop/livereload"
	"example.com/flow/internal/develop/ondisk"
	"example.com/flow/internal/develop/routemap"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/reach"
)

// A devFront gets the requests in development before the table of the outermost Router does.
type devFront = livereload.Front

// A routerInDev is the development of a Router: it has the files on disk.
type routerInDev struct {
	router *Router
	disk   *ondisk.Source
}

// views returns the templates on disk, and their faults. ctx is the context of the request that
// they are for.
func (d *routerInDev) views(ctx context.Context) (*templates.Views, error) {
	checked, err := d.checked(ctx)
	return checked.Views, err
}

// checked is views, with what checks find.
func (d *routerInDev) checked(ctx context.Context) (*pages.Checked, error) {
	r := d.router
	return d.disk.Checked(r.table.Load().binary(r, r.logger()), livereload.NoteOf(ctx).Began())
}

// binary returns what development needs to know of the program.
func (t *table) binary(r *Router, log *slog.Logger) ondisk.Binary {
	return ondisk.Binary{Tree: r.tree, Host: t.host(r), Application: t.application(), Log: log}
}

// publicFile returns a handler that serves a public file from disk.
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

// hint returns a sentence for the client about a 404, or "".
func (d *routerInDev) hint(req *http.Request) string {
	if !mayShow(req) {
		return ""
	}
	return d.disk.Hint(req, d.router.outermost().knownRoutes())
}

// showError returns a page with the source around the lines that the error names, and with
// the data of the request. A client that does not accept HTML gets problem+json or text.
// showError reports false for a client that must not see details. x is nil if the application
// has faults.
func (d *routerInDev) showError(req *http.Request, err error, x *exchange) (resp Response, shown bool) {
	if !mayShow(req) {
		return Response{}, false
	}
	f := d.failure(req, err, x)
	if errors.As(err, new(template.ExecError)) {
		f.Checked = d.router.templateFaults
	}
	report := f.Report()
	livereload.NoteOf(req.Context()).SetFaults(report.Faults)
	p := reply.Problem{Status: http.StatusInternalServerError, Detail: reply.Message{English: f.Text}}
	if mediaType := devpage.MediaType(req); mediaType != "text/html" {
		return problemResponse(p, mediaType), true
	}
	if x != nil {
		report.Request = describeRequest(req, x)
		report.Request.Handler = devpage.SpotOf(x.endpoint.handler.pos.String(), f.Dirs...)
	}
	page := Bytes(devpage.ContentType, report.Render())
	return problemAnswer(p, page.with(reply.Field{Key: "Content-Security-Policy", Value: devpage.Policy})), true
}

// frames returns the frames of a panic that the log shows: those of the application. It returns nil
// if the client is not shown the stack, so that the log has all of it.
func (d *routerInDev) frames(req *http.Request, p *reply.PanicError, x *exchange) []string {
	if !mayShow(req) {
		return nil
	}
	return d.failure(req, p, x).OwnFrames()
}

// failure returns what is known of an error. x is nil if the application has faults.
func (d *routerInDev) failure(req *http.Request, err error, x *exchange) devpage.Failure {
	r := d.router
	f := devpage.Failure{Text: strings.TrimPrefix(err.Error(), "flow: "), Faulty: x == nil, Dirs: r.sources(), App: r.app.source()}
	if x == nil {
		return f
	}
	f.Handler = x.endpoint.handler.pc
	if x.endpoint.path != nil && !x.endpoint.miss {
		f.Route = req.Method + " " + x.endpoint.path.String()
	}
	if panicked := (*reply.PanicError)(nil); errors.As(err, &panicked) {
		f.Panic = panicked.Stack
	}
	return f
}

// describeRequest returns the data of a request for the page of an error.
func describeRequest(req *http.Request, x *exchange) *devpage.RequestData {
	var params []devpage.Value
	if p := x.endpoint.path; p != nil && len(x.values) >= len(p.Names) {
		for i, name := range p.Names {
			params = append(params, devpage.Value{Name: name, Text: match.Value(p, x.values, i)})
		}
	}
	d := devpage.Describe(req, params, x.body.All(&http.Request{URL: &url.URL{}})) // a request without a query, for the data of the body alone
	d.File = x.endpoint.owner.file
	return d
}

// mayShow reports whether the client of a request may see details of errors: the request has
// come through the front, and so from this machine.
func mayShow(req *http.Request) bool { return livereload.NoteOf(req.Context()) != nil }

// sources returns the directories below which a file is looked for that a message names.
func (r *Router) sources() []string {
	dirs := []string{".", r.sourceDir()} // "" is "."
	if r.dev != nil {
		dirs = append(dirs, r.dev.disk.Dir())
	}
	return dirs
}

// Dev makes the Router read templates and public files from a directory on disk, at each
// request, so that a change shows without a rebuild. dir contains router/ and public/. Dev
// is for development only. Call it before the Router serves.
//
// The browser shows errors with file and line, and reloads open pages when a file changes.
// URLs below /_flow belong to flow: /_flow is a map of the routes. Only requests from this
// machine get any of this, and Main listens on localhost unless an address is given. Public
// files are not compressed, and their URLs have no hash.
//
// The routes are those of the binary. The log says which route files on disk differ from
// them; new public files are served. It is a fault if dir has no directory router/. Faults of
// templates are shown in the browser, and not returned by Check.
//
// A symbolic link to a file inside dir is followed. One that is absolute or leads out of dir
// is an error, which the browser shows. The directory may be deleted and created again.
func (r *Router) Dev(dir string) {
	pos := fault.Caller(0)
	r.own.Change(pos, "Dev", func() {
		r.dev = &routerInDev{r, ondisk.NewSource(dir)}
		if err := r.dev.disk.Check(); err != nil {
			r.own.Fault(pos, "Dev(%q): %v", dir, err)
		}
	})
}

// startDev calls Dev for r, as the flags of the command serve say, and for each Router mounted
// inside it with the directory of its source, if that is on this machine.
func (r *Router) startDev(set command.Dev) error {
	dir, err := set.Find(r.sourceDir())
	if err != nil {
		return err
	}
	r.Dev(dir)
	for _, inner := range r.withMounted()[1:] {
		if dir := inner.sourceDir(); inner.dev == nil && command.IsSource(dir) {
			inner.Dev(dir)
		}
	}
	return nil
}

// sourceDir returns the directory of the Go file that called New, as the compiler recorded
// it. It returns "" if that was a test file.
func (r *Router) sourceDir() string { return filepath.FromSlash(r.app.source()) }

// findUnbuilt returns the endpoint for a public file that is on disk, not in the binary, and
// answers a request. The file may belong to r, the outermost Router, or to a Router mounted inside it.
// findUnbuilt returns nil if there is no such file, or if an endpoint of the binary goes before it, as it
// would in a binary with the file.
func (r *Router) findUnbuilt(req *http.Request) *endpoint {
	asked, ok := pattern.ParsePath(req)
	if !ok || req.Method != http.MethodGet && req.Method != http.MethodHead {
		return nil
	}
	found, _ := r.table.Load().matcher.Find(http.MethodGet, asked.Segments)
	for _, d := range r.inDev() {
		t := d.router.table.Load()
		if p := d.disk.UnbuiltPublicAt(d.router.tree, asked); p != nil && (found == nil || pattern.Compare(t.rank(p.Pattern, found), found.path) < 0) {
			e := t.endpoint(&owner{file: p.File}, p.Pattern, http.MethodGet, t.standard, handler{flow: d.publicFile(p)}, 0)
			e.public = true
			return e
		}
	}
	return nil
}

// rank returns the pattern with which a file of t is compared with an endpoint. It is own,
// the pattern of the file, unless the endpoint belongs to a Router around that of t. Then it
// is the pattern of the mount in that Router.
func (t *table) rank(own *pattern.Pattern, other *endpoint) *pattern.Pattern {
	for around := t.around; around != nil; around = around.around {
		if around.table == other.table {
			return around.path
		}
	}
	return own
}

// newFront returns the front of the outermost Router. It returns nil if Dev was called
// neither for that nor for a Router mounted inside.
func (r *Router) newFront() *devFront {
	var files []*disk.Watcher
	front := &devFront{Map: http.HandlerFunc(r.serveMap)}
	for _, d := range r.inDev() {
		files, front.Dirs = append(files, d.disk.Watcher()), append(front.Dirs, d.disk.AbsoluteDir())
	}
	if files == nil {
		return nil
	}
	front.Hub = livereload.NewHub(files...)
	return front
}

// answerInDev answers a request if it comes from this machine, or is for a public file that is on
// disk and not in the binary. It reports whether it has done so. For a request from this
// machine it calls the Router again, with a request that mayShow reports true for. r is the outermost
// Router.
func (r *Router) answerInDev(w http.ResponseWriter, req *http.Request) bool {
	if !mayShow(req) && livereload.IsLocal(req) {
		server.ShareTrailer(req) // livereload.Front copies the request
		r.front.ServeHTTP(w, req, r.ServeHTTP)
		return true
	}
	if r.table.Load().err != nil {
		return false
	}
	e := r.findUnbuilt(req)
	if e == nil {
		return false
	}
	asked, _ := pattern.ParsePath(req)
	w.Header()["X-Content-Type-Options"] = nosniff
	req.Pattern = e.pattern
	e.begin(w, req, e.table.mountParams(asked.Segments))
	return true
}

// foundOnDisk returns the faults and the warnings of the templates and examples on disk, for r and
// the Routers mounted inside it. Links that lead nowhere are among them, which no page fails of. What the
// rules for whole pages say takes longer, and is only among them if judgesPages is set.
func (r *Router) foundOnDisk(judgesPages bool) (found []fault.Fault) {
	for _, d := range r.inDev() {
		t, tree, routes := d.router.table.Load(), d.router.tree, d.router.siteOnDisk()
		checked, err := d.checked(context.Background())
		found = slices.Concat(found, fault.Of(err), d.disk.Warnings(), t.compiler.datalessFaults(checked), linkFaults(checked, tree, routes), examples.Check(tree, d.disk.Files(), routes))
		if judgesPages {
			found = append(found, t.prove(checked)...)
		}
	}
	return found
}

// templateFaults returns the faults of the templates and examples on disk.
func (r *Router) templateFaults() []devpage.Fault { return r.shown(fault.Join(r.foundOnDisk(false))) }

// wrongOnDisk returns what templateFaults does, and the warnings.
func (r *Router) wrongOnDisk() (faults, warnings []devpage.Fault) {
	found := r.foundOnDisk(true)
	return r.shown(fault.Join(found)), r.shown(fault.Warnings(found))
}

// shown returns the faults of an error of fault.Join with the source around their lines.
func (r *Router) shown(err error) []devpage.Fault {
	if err == nil {
		return nil
	}
	return devpage.Parse(err.Error(), r.sources()...)
}

// siteOnDisk returns the Map of the application for the files that are on disk now.
func (r *Router) siteOnDisk() *site.Map {
	r = r.outermost()
	var disks []site.Disk
	for _, d := range r.inDev() {
		disks = append(disks, d.disk)
	}
	return r.table.Load().site.WithDisk(disks...)
}

// inDev returns those of r and the Routers mounted inside it that Dev was called for.
func (r *Router) inDev() (all []*routerInDev) {
	for _, r := range r.withMounted() {
		if r.dev != nil {
			all = append(all, r.dev)
		}
	}
	return all
}

// addDiskFaults adds the faults of the templates on disk, in development. compile calls it
// only if there are other faults: a Router with these shows no pages, and so no faults of
// templates.
func (c *compiler) addDiskFaults() {
	for _, c := range c.withMounted() {
		d := c.router.dev
		if d == nil || c.tree.Missing || d.disk.Check() != nil {
			continue
		}
		var err error
		c.table.checked, err = d.disk.Checked(c.table.binary(c.router, slog.New(slog.DiscardHandler)), disk.Now())
		c.table.views = c.table.checked.Views
		c.faults = slices.Concat(c.faults, fault.Of(err), c.datalessFaults(c.table.checked))
	}
}

// explainer returns a function that explains what answers a request. r is the outermost Router, and all its
// route map, or nil.
func (r *Router) explainer(all *routemap.Map) func(routemap.Question) routemap.Explanation {
	return func(q routemap.Question) routemap.Explanation {
		e := routemap.Explain(q, reach.Explain(r.table.Load().matcher, q.Request()), r.describe)
		if r.front != nil {
			if found := r.findUnbuilt(q.Request()); found != nil {
				e = e.InFront(r.describe(found))
			}
		}
		if all != nil && e.Outcome == routemap.Answered {
			e.Before = all.Before(*e.Answer)
		}
		return e
	}
}

// routeMap returns the route map of the application, or nil if the compiler was not kept.
func (t *table) routeMap() *routemap.Map {
	if t.compiler == nil {
		return nil
	}
	all := t.compiler.routeMap(nil)
	return &all
}

// routeMap returns the route map of the application, with what is mounted in it. before is
// the middleware of the Routers around it.
func (c *compiler) routeMap(before []routemap.Middleware) routemap.Map {
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
	for _, m := range c.mounts {
		before := s.BeforeMounted(m.uses)
		if m.inner == nil {
			_, below := m.patterns()
			s.Mounted = append(s.Mounted, routemap.Line{Route: site.Route{Method: site.Any, Pattern: below, Handler: m.pos}, What: fmt.Sprintf("%T", m.handler), OfFile: before})
			continue
		}
		inside := c.inside[m].routeMap(before)
		inside.Name, inside.At = m.label, m.pos.String()
		s.Inside = append(s.Inside, inside)
	}
	return s.NewMap()
}

// serveMap serves the route map. r is the outermost Router.
func (r *Router) serveMap(w http.ResponseWriter, req *http.Request) {
	t := r.table.Load()
	if t.err != nil {
		send(r.faulty(req), w, req.Method == http.MethodHead)
		return
	}
	faults, warnings := r.wrongOnDisk()
	all := t.routeMap()
	routemap.Page{Map: *all, Total: len(r.Routes()), Sources: r.sources(), Explain: r.explainer(all), Recent: r.front.Requests.Last(), Log: r.front.Log.Last(), Faults: faults, Warnings: warnings, Vetted: r.front.Hub.Warnings()}.ServeHTTP(w, req)
}

// describe returns what the route map prints of an endpoint. r is the outermost Router.
func (r *Router) describe(e *endpoint) routemap.Endpoint {
	d := routemap.NewEndpoint(e.asRoute())
	for _, of := range r.withMounted() {
		if of.table.Load() != e.table {
			continue
		}
		for m := of.mounted.Load(); m != nil; m = m.outer.mounted.Load() {
			d.Name = m.name(d.Name)
		}
	}
	if e.around != nil {
		d.Inside = e.around.owner.file
	}
	_, d.AddsSlash = e.handler.std.(addSlash)
	return d
}

// knownRoutes returns the routes of r and of the Routers mounted inside it, with the public files that are on
// disk.
func (r *Router) knownRoutes() (all []site.Route) {
	for _, r := range r.withMounted() {
		if r.dev != nil {
			all = append(all, r.dev.disk.Routes(r.tree)...)
		} else {
			all = append(all, site.TreeRoutes(r.tree)...)
		}
		for _, m := range r.mounts {
			if m.inner == nil {
				exact, _ := m.patterns()
				all = append(all, site.Route{Pattern: exact, File: "Mount of " + m.pos.String()})
			}
		}
	}
	return all
}
