package export

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"example.com/flow"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/site"
)

// between is how long after the last of the first answers the second ones are asked for: long enough for a
// clock that shows seconds.
const between = time.Second

// maxDepth is how many links may stand one behind the other. A calendar that leads to the next month for ever
// has more.
const maxDepth = 10_000

// nothing are paths that no application answers. The second one is asked the second time, since the page of
// a 404 must be the same for all.
var nothing = [2]string{"/flow-export-nothing", "/flow-export/nothing"}

// A resource is what a path of the site leads to.
type resource struct {
	path    string // without escapes
	asks    [2]string
	wanted  bool // the Options name it
	not     bool // the Options leave it out
	begins  bool // the crawl begins with it
	missing bool // it is the page of a 404
	depth   int  // how many links lead to it, one behind the other

	asked  bool
	answer answer
	isPage bool         // the answer is HTML
	sends  string       // how a form on it is sent that no file answers, "POST"; "" if there is none
	to     *destination // where it redirects to; nil if it does not
	ids    []string     // what a fragment can name
	walked bool         // its links were followed, so it is exported

	links  mentions             // of it
	loads  mentions             // those of them that make it a part of a page
	pieces map[string]*mentions // those with a fragment
}

// A place is where something stands on a page.
type place struct {
	page         *resource
	line, column int
	what         string // "href of <a>"
	url          string // as it is written; "" if it is in a script
}

// Mentions are places on pages where the same is written.
type mentions struct {
	first place
	pages int // how many pages have one
	last  *resource
}

// add adds a mention on a page. at tells its place.
func (m *mentions) add(page *resource, at func() place) {
	if m.pages == 0 {
		m.first = at()
	}
	if m.last != page {
		m.pages++
		m.last = page
	}
}

// fault returns a fault about mentions.
func (c *crawl) fault(m *mentions, text string) fault.Fault {
	if m.first.what != "" {
		text = m.first.what + ": " + text
	}
	return c.faultAt(m.first, m.pages-1, text)
}

// faultAt returns a fault at a place on a page and on more pages. Its file is the one in which that
// stands, if it is known where, else the one that answers, and then the place in the answer is told, too.
func (c *crawl) faultAt(at place, more int, text string) fault.Fault {
	file, line, column := c.places(at.page.inSources(), at.url, at.what)
	if path.Ext(file) == ".css" { // it is sent as it is
		line, column = at.line, at.column
	}
	of := []string{at.page.shown()}
	switch {
	case file == "":
		of, file, line, column = nil, of[0], at.line, at.column
	case line == 0 && at.line > 0:
		of[0] += fmt.Sprintf(":%d:%d", at.line, at.column)
	}
	if more > 0 {
		of = append(of, fault.Count(more, "more page"))
	}
	if len(of) > 0 {
		text += " (on " + strings.Join(of, " and ") + ")"
	}
	return fault.InColumn(file, line, column, "%s", text)
}

// inSources returns the path as site.PlacesOf takes it.
func (r *resource) inSources() string {
	if r.missing {
		return ""
	}
	return r.path
}

// shown returns how messages call the resource.
func (r *resource) shown() string {
	if r.missing {
		return "the page of a 404"
	}
	return (&url.URL{Path: r.path}).EscapedPath()
}

// isOK reports whether there is an answer that can be a file.
func (r *resource) isOK() bool {
	want := http.StatusOK
	if r.missing {
		want = http.StatusNotFound
	}
	return r.asked && r.answer.wrong == "" && !r.answer.refused && (r.answer.status == want && (r.isPage || !r.missing) || r.to != nil)
}

// A crawl finds what there is to export.
type crawl struct {
	ctx    context.Context
	router *flow.Router
	Options
	store *spool

	resources map[string]*resource
	inOrder   []*resource
	queue     []*resource
	known     map[string]*resource // by URLs as they are written
	guards    map[string][]string  // the names of guards, by the patterns of Router.Routes
	hashed    []string             // the URLs of public files with a hash
	told      map[told]*mentions
	asked     int          // how many URLs were asked for
	last      *resource    // of them
	progress  func(string) // is told how far the crawl is; nil if nobody wants to know
	faults    []fault.Fault
	places    func(path, text, what string) (file string, line, column int) // see site.PlacesOf
}

// A told is a fault that pages may have in common.
type told struct{ what, text string }

func newCrawl(ctx context.Context, r *flow.Router, o Options, store *spool) *crawl {
	return &crawl{
		ctx: ctx, router: r, Options: o, store: store,
		resources: map[string]*resource{}, known: map[string]*resource{}, guards: map[string][]string{}, told: map[told]*mentions{},
		places: site.PlacesOf(r),
	}
}

// run asks for everything, and finds all faults but those of the names of files.
func (c *crawl) run() error {
	c.begin()
	for told := time.Now(); len(c.queue) > 0; {
		r := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.visit(r); err != nil {
			return c.interrupted(err)
		}
		if c.progress != nil && time.Since(told) >= each {
			told = time.Now()
			c.progress(c.soFar())
		}
	}
	c.redirects()
	if err := c.again(); err != nil {
		return c.interrupted(err)
	}
	c.judge()
	return nil
}

// each is how long the command says nothing.
const each = 5 * time.Second

// soFar says how many URLs were asked for.
func (c *crawl) soFar() string {
	return fmt.Sprintf("%s so far, the last one %s", fault.Count(c.asked, "URL"), c.last.shown())
}

// interrupted says of an error how far the crawl has come, if its context has ended.
func (c *crawl) interrupted(err error) error {
	if c.ctx.Err() == nil || c.last == nil {
		return err
	}
	return fmt.Errorf("interrupted, and nothing is written: %s: %w", c.soFar(), err)
}

// begin finds where the crawl begins.
func (c *crawl) begin() {
	for _, u := range c.Not {
		p, _ := parsePath(u)
		c.resource(p).not = true
	}
	for _, f := range site.PublicOf(c.router) {
		c.start(f.URL)
		c.hashed = append(c.hashed, f.Hashed)
	}
	for _, info := range c.router.Routes() {
		if info.Method == http.MethodGet || info.Method == "ANY" {
			c.guards[info.Pattern] = info.Guards
		}
		isPage := info.File != "" && path.Ext(info.File) != ".http"
		if info.Method == http.MethodGet && strings.HasPrefix(info.Pattern, "/") && !strings.Contains(info.Pattern, "{") && (isPage || info.File != "" && path.Ext(info.Pattern) != "") {
			c.start(info.Pattern)
		}
	}
	for _, u := range c.URLs {
		c.start(u).wanted = true
	}
	missing := &resource{path: "/404.html", asks: nothing, missing: true}
	c.inOrder, c.queue = append(c.inOrder, missing), append(c.queue, missing)
}

// start adds a URL with which the crawl begins.
func (c *crawl) start(escaped string) *resource {
	p, _ := parsePath(escaped)
	r := c.resource(p)
	r.begins = true
	c.queue = append(c.queue, r)
	return r
}

// resource returns the resource of a path.
func (c *crawl) resource(p string) *resource {
	r := c.resources[p]
	if r == nil {
		r = &resource{path: p, asks: [2]string{p, p}}
		c.resources[p] = r
		c.inOrder = append(c.inOrder, r)
	}
	return r
}

// visit asks for a resource that was not asked for yet, and follows its links unless it is left out so
// far.
func (c *crawl) visit(r *resource) error {
	if r.not || r.walked {
		return nil
	}
	if !r.asked {
		c.asked, c.last = c.asked+1, r
		a, err := visitors[0].ask(c.ctx, c.router, r.asks[0], c.store)
		if err != nil {
			return err
		}
		if r.depth > maxDepth && a.wrong == "" {
			a.wrong = fmt.Sprintf("is behind %d links, one after the other: if they have no end, leave the first one out with -not or rel=\"external\"", r.depth)
		}
		r.asked, r.answer = true, a
		r.isPage = a.isPage()
		if location := a.header.Get("Location"); a.wrong == "" && !a.refused && a.status >= 300 && a.status < 400 && location != "" {
			r.to = c.destination(r, &url.URL{Path: r.path}, location)
		}
		if !r.isOK() || r.to != nil {
			c.store.drop(a) // nobody needs its body
		}
	}
	if !r.isOK() {
		return nil
	}
	if r.to != nil {
		c.redirect(r)
		return nil
	}
	isStyle := mediaType(r.answer.header.Get("Content-Type")) == "text/css"
	if !r.isPage && !isStyle {
		r.walked = true
		faults, err := c.localFaults(r)
		c.faults = append(c.faults, faults...)
		return err
	}
	body, err := c.store.body(r.answer)
	if err != nil {
		return err
	}
	text := string(body)
	page := &links.Page{}
	if r.isPage {
		page = links.OfPage(text)
	} else {
		page.URLs = links.OfStyle(text)
	}
	c.walk(r, text, page)
	return nil
}

// patternOf returns the pattern that has answered, as Router.Routes has it.
func patternOf(a answer) string {
	if _, p, ok := strings.Cut(a.pattern, " "); ok {
		return p
	}
	return a.pattern
}

// redirect notes a redirect. One that nothing leads to waits for redirects.
func (c *crawl) redirect(r *resource) {
	if r.links.pages > 0 || r.wanted {
		r.walked = true
		at := func() place { return place{page: r, what: "Location"} }
		if why := isLocal(r.to.url); why != "" {
			c.tell(r, at, why)
		}
		c.lead(r, r.to, links.URL{Attr: "Location"}, at)
	}
}

// redirects adds the redirects that nothing leads to and that lead to something which is exported.
func (c *crawl) redirects() {
	for more := true; more; {
		more = false
		for _, r := range c.inOrder {
			if r.to != nil && !r.walked && (r.to.resource == nil || r.to.resource.walked) {
				r.walked, more = true, true
				c.redirect(r)
			}
		}
	}
}

// walk follows the links of a page or a style sheet.
func (c *crawl) walk(r *resource, text string, page *links.Page) {
	base := &url.URL{Scheme: "http", Host: origin, Path: r.path}
	if page.Base != "" {
		if b, err := base.Parse(page.Base); err == nil {
			base = b
		}
	}
	if isLeftOut := !r.wanted && !r.missing && r.path != "/" && r.links.pages == 0; isLeftOut {
		for _, u := range page.URLs {
			if u.Method != http.MethodGet && c.destination(r, base, u.Text) != nil {
				r.sends = u.Method
				return // until something leads to it
			}
		}
	}
	r.walked = true
	for _, id := range page.IDs {
		r.ids = append(r.ids, strings.Clone(id))
	}
	for _, u := range page.URLs {
		at := func() place {
			line, column := markup.Position(text, u.Offset)
			return place{r, line, column, u.What(), strings.Clone(u.Text)}
		}
		if why := isLocal(u.Text); why != "" {
			c.tell(r, at, why)
		} else if to := c.destination(r, base, u.Text); to != nil {
			c.lead(r, to, u, at)
		}
	}
	for _, script := range page.Scripts {
		for _, hashed := range c.hashed {
			if strings.Contains(script, path.Base(hashed)) {
				at := func() place { return place{page: r, what: "<script>"} }
				c.lead(r, c.destination(r, base, hashed), links.URL{Text: hashed, Method: http.MethodGet, Loads: true}, at)
				if c.Base != "" {
					c.tell(r, at, "it names "+hashed+", and scripts are not rewritten for the base: pass the URL in an attribute that holds one")
				}
			}
		}
	}
}

// A destination is what a URL on a page leads to.
type destination struct {
	resource *resource // nil for another server
	url      string    // as it is written
	fragment string
	broken   bool // it has a broken escape
	slash    bool // it has an escaped slash
	relative bool
	query    bool
}

// origin is the server of the site, in URLs that relative ones are made absolute with.
const origin = "export.invalid"

// destination returns what a URL on a page leads to. For a redirect, it returns a destination
// without a resource if the URL is on another server, and for others nil.
func (c *crawl) destination(r *resource, base *url.URL, text string) *destination {
	if known := c.known[text]; known != nil && (base.Host == "" || base.Host == origin) {
		return &destination{resource: known, url: text}
	}
	u, err := url.Parse(text)
	if err != nil {
		if !strings.HasPrefix(text, "/") {
			return nil // such as tel: with spaces
		}
		return &destination{url: text, broken: true}
	}
	to := base.ResolveReference(u)
	if to.Opaque != "" || to.Host != base.Host || to.Host != "" && to.Host != origin || to.Scheme != base.Scheme {
		if base.Host == "" { // of a redirect
			return &destination{url: text}
		}
		return nil
	}
	d := &destination{
		url: text, fragment: u.Fragment, query: u.RawQuery != "" || u.ForceQuery,
		relative: !strings.HasPrefix(u.Path, "/") && u.Path != "" && u.Host == "",
		slash:    strings.Contains(strings.ToLower(to.EscapedPath()), "%2f"),
	}
	d.resource = r
	if u.Path != "" || base.Path != r.path {
		d.resource = c.resource("/" + strings.TrimPrefix(to.Path, "/"))
	}
	if strings.HasPrefix(text, "/") && d.fragment == "" && !d.query && !d.slash {
		c.known[strings.Clone(text)] = d.resource
	}
	return d
}

// lead follows a link on a page.
func (c *crawl) lead(r *resource, to *destination, u links.URL, at func() place) {
	target := to.resource
	remedy := "write it relative to the style sheet"
	if r.isPage {
		remedy = "move it into a style sheet, relative to that"
	}
	switch {
	case to.broken:
		c.tell(r, at, to.url+" has a broken escape: write %25 for a percent sign")
		return
	case target == nil:
		return
	case u.Method != "" && u.Method != http.MethodGet:
		text := "it sends " + u.Method + ", which no file answers"
		if target != r {
			text = fmt.Sprintf("it sends %s to %s, which no file answers", u.Method, target.shown())
		}
		c.tell(r, at, text)
		return
	case to.query:
		c.tell(r, at, to.url+" has a query, and a file is the same with each of them")
		return
	case to.slash:
		c.tell(r, at, to.url+" has an escaped slash, which the name of a file cannot have")
		return
	case to.relative && r.missing:
		c.tell(r, at, to.url+" is relative, and the page of a 404 stands at any URL: begin it with a slash")
	case to.relative && r.isPage && r.to == nil && r.isDirectory(c.Index):
		c.tell(r, at, fmt.Sprintf("%s is relative, and with -index browsers ask for it below %s/: begin it with a slash", to.url, r.shown()))
	case u.Style && u.IsPath() && c.Base != "":
		c.tell(r, at, to.url+" in CSS is not rewritten for the base: "+remedy)
	}
	if target != r || u.Loads {
		target.links.add(r, at)
		if u.Loads {
			target.loads.add(r, at)
		}
		if !target.walked {
			if target.depth == 0 {
				target.depth = r.depth + 1
			}
			c.queue = append(c.queue, target)
		}
	}
	fragment, _, _ := strings.Cut(to.fragment, ":~:") // a text to look for
	if fragment != "" && !strings.EqualFold(fragment, "top") && !u.Loads {
		fragment = strings.Clone(fragment)
		if target.pieces == nil {
			target.pieces = map[string]*mentions{}
		}
		if target.pieces[fragment] == nil {
			target.pieces[fragment] = &mentions{}
		}
		target.pieces[fragment].add(r, at)
	}
}

// tell notes a fault on a page.
func (c *crawl) tell(r *resource, at func() place, text string) {
	key := told{at().what, text}
	if c.told[key] == nil {
		c.told[key] = &mentions{}
	}
	c.told[key].add(r, at)
}
