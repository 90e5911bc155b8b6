package scaffold

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/shell"
)

// Add is the command "flow add".
var Add = cli.Command{
	Name:  "add",
	Args:  "PATH",
	Short: "add a route file and its handlers",
	Long: `
Adds a route file, the Go file of the same name with a handler for each method, and a row
for each in the table of TestRoutes. An endpoint has an example for each handler in its
route file in place of a row, if the tests call flowtest.Examples. PATH is that of the
route file below router/: quote it, since shells read brackets. The groups of its
directories may be left out; after ./ it is the exact path.

	flow add about
	flow add "users/[id]" -methods get,put -name users.show
	flow add "api/users/[id=int]" -endpoint
	flow add users/store
	flow add contact -methods get,post
	flow add users/+layout

It is a page if the files nearest to it that answer GET are pages, or else an endpoint; a
file called store and one without a handler for GET are endpoints. Without -methods the
handler is for GET, or for POST in a store. A page without parameters needs no handler and
gets none: say -methods get for one. With the extension of a format of the application, as
in blog/opening.md, or beside such pages, it is a page of that format. One with handlers
for GET and POST gets a form, and the handlers that show and read it. +field shows a field
of a form. +layout, +error and partials such as +row are templates without a URL: they get
neither handlers nor rows.

With -accounts it adds what "flow new -accounts" has: the package accounts, pages and
handlers, files of package main, and modules. It joins them, and says what it could not.`,
	Setup: func(flags *flag.FlagSet) cli.Work {
		var a addition
		flags.StringVar(&a.methods, "methods", "", "the `list` of methods to handle, as in get,put: get, post, put, patch,\ndelete, head, options, any")
		flags.StringVar(&a.name, "name", "", "the `name` of the route, for links to it")
		flags.BoolVar(&a.page, "page", false, "a page, .html unless the path has the extension of a format")
		flags.BoolVar(&a.endpoint, "endpoint", false, "an endpoint without a page, .http")
		flags.BoolVar(&a.accounts, "accounts", false, "people sign up and sign in: no PATH, or the directory of package main")
		return a.run
	},
}

// An addition is what the flags of "flow add" say.
type addition struct {
	methods, name  string
	page, endpoint bool
	accounts       bool
}

func (a *addition) run(_ context.Context, p cli.Process, args, _ []string) error {
	if a.accounts {
		return a.runAccounts(p, args)
	}
	hint := globbed(p.Dir, args)
	switch {
	case len(args) == 0:
		return command.Usagef(`add: say the path of the route file below router/, in quotes if it has brackets, as in: flow add "users/[id]"`)
	case hint != "":
		return command.Usagef("add: %s", hint)
	case len(args) > 1:
		return command.Usagef("add: say one path, not %d (%s): quote it if it has brackets", len(args), strings.Join(args, " "))
	case a.page && a.endpoint:
		return command.Usagef("add: -page and -endpoint exclude each other")
	}
	methods, err := readMethods(a.methods)
	if err != nil {
		return err
	}
	app, err := project.Find(p.Dir, args[0])
	if err != nil {
		return err
	}
	plan, err := a.plan(app, app.FromRoot(p.Dir, args[0]), methods)
	if err != nil {
		return err
	}
	return plan.carryOut(p)
}

// readMethods returns the methods of a list, in the order in which flow shows them.
func readMethods(list string) ([]string, error) {
	known := map[string]bool{methodAny: true}
	for _, m := range forms.Methods {
		known[m] = true
	}
	var methods []string
	for m := range strings.FieldsFuncSeq(list, func(c rune) bool { return c == ',' || c == ' ' }) {
		m = strings.ToUpper(m)
		switch {
		case !known[m]:
			return nil, command.Usagef("add: -methods: there is no call flow.%s%s", m, fault.Suggest(m, known, ": for another method, write flow.Method in the counterpart"))
		case !slices.Contains(methods, m):
			methods = append(methods, m)
		}
	}
	slices.SortFunc(methods, forms.CompareMethods)
	return methods, nil
}

// A plan is what "flow add" is about to write. Nothing speaks against it.
type plan struct {
	app     project.App
	route   *routetree.Route
	files   []file
	lines   []string // what is said of each file
	anew    []file   // files that are written anew, such as the test with its rows
	rows    []row
	printed string   // why the rows are for the user to add, if they are
	notes   []string // what else is said, in paragraphs of their own

	falsified []string // the rows of the tests that are false now
}

// plan finds out what is to be written, or what speaks against it.
func (a *addition) plan(app project.App, arg string, methods []string) (*plan, error) {
	tree := app.Tree()
	// A file manager or an editor gives the whole name, which is no path of a URL.
	absolute := filepath.ToSlash(filepath.Join(app.Dir, routetree.RouterDir)) + "/"
	if below, ok := strings.CutPrefix(filepath.ToSlash(arg), absolute); ok {
		arg = "./" + below
	}
	path, ext, exact, err := readPath(filepath.ToSlash(arg), app.Shown(routetree.RouterDir), tree.Extensions())
	if err != nil {
		return nil, command.Usagef("add: %v", err)
	}
	if !exact {
		if path, err = project.WithGroups(tree, path); err != nil {
			return nil, err
		}
	}
	if marked := bracketed(tree, path); marked != "" && marked != path && ext == "" {
		return nil, fmt.Errorf("there is %s/%s already: if %[3]s is meant, quote it, so that the shell leaves the brackets alone: flow add %[3]s; or write %s.html",
			app.Shown(routetree.RouterDir), known(tree, marked), shell.Quote(marked), path)
	}
	pkg, err := readPackage(app)
	if err != nil {
		return nil, err
	}
	if isPlus(path) {
		return a.planPlus(app, tree, pkg, path, ext)
	}
	if ext, err = a.extension(tree, pkg, path, ext, methods); err != nil {
		return nil, err
	}
	inTree := routetree.RouterDir + "/" + path + ext
	route, err := added(app, tree, pkg, inTree)
	if err != nil {
		return nil, err
	}
	switch {
	case len(methods) == 0 && route.Store:
		methods = []string{http.MethodPost}
	case len(methods) == 0 && (ext == endpointExt || ext == pageExt && len(paramsOf(route)) > 0):
		methods = []string{http.MethodGet}
	case isForm(route, methods) && ext != pageExt:
		return nil, command.Usagef("add: a page with handlers for GET and POST gets a form, and what looks like an action in %s is text: write %s", inTree, shell.Quote(path+pageExt))
	}
	c := &counterpart{pkg: pkg.name, route: route, name: a.name, handlers: handlersOf(route, methods, pkg.taken), asks: pkg.asks()}
	if err := a.check(app, tree, pkg, c); err != nil {
		return nil, err
	}
	return newPlan(app, tree, pkg, c)
}

// extension decides whether the file is a page.
func (a *addition) extension(t *routetree.Tree, pkg *goPackage, path, written string, methods []string) (string, error) {
	store := path == "store" || strings.HasSuffix(path, "/store")
	gets := len(methods) == 0 || slices.Contains(methods, http.MethodGet) || slices.Contains(methods, methodAny)
	switch {
	case a.page && written == endpointExt || a.endpoint && written != "" && written != endpointExt:
		return "", command.Usagef("add: the extension %s is not what the flag says: leave one of them out", written)
	case store && (a.page || written != "" && written != endpointExt):
		return "", command.Usagef("add: a file called store answers POST and nothing else: it is no page")
	case store && len(methods) > 0 && !slices.Equal(methods, []string{http.MethodPost}):
		return "", command.Usagef("add: a file called store serves POST and nothing but POST: add other methods to the index file beside it")
	case written != "":
		return written, nil
	case a.endpoint:
		return endpointExt, nil
	case routetree.IsMarkdown(filepath.Ext(path)):
		return "", command.Usagef("add: Router.Formats has no %s: write %s, or say -endpoint if the URL is to end so", filepath.Ext(path), shell.Quote(strings.TrimSuffix(path, filepath.Ext(path))))
	case a.page:
		return pageExt, nil
	}
	for _, r := range t.Routes {
		if r.Path == path { // it is there: what is said of it is not about its extension
			return r.Ext(), nil
		}
	}
	switch {
	case store || !gets || !pagesNear(t, pkg, path):
		return endpointExt, nil
	case len(methods) > 0 || strings.Contains(path, "["): // it shows what a handler returns
		return pageExt, nil
	}
	return extensionNear(t, path), nil
}

// pagesNear reports whether there is a page among the files nearest to a path that answer
// GET: those in its directory, further down too, and the one beside the directory that is
// called like it, or else those of the next directory around. An endpoint for deleting says
// nothing about what people look at. In an empty tree everything is a page.
func pagesNear(t *routetree.Tree, pkg *goPackage, path string) bool {
	for dir := path; dir != ""; {
		dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
		shows, page := false, false
		for _, r := range t.Routes {
			if dir == "" || r.Path == dir || strings.HasPrefix(r.Path, dir+"/") {
				shows, page = shows || pkg.shows(r), page || r.Page
			}
		}
		if shows {
			return page
		}
	}
	return true
}

// shows reports whether a route answers GET, as far as is seen in its counterpart.
func (pkg *goPackage) shows(r *routetree.Route) bool {
	handled := pkg.handled[r.Stem+".go"]
	return r.Page || !r.Store && (handled == nil || handled[http.MethodGet] != "" || handled[methodAny] != "")
}

// known returns the file or directory of the tree that a path lies in, or is, as the tree
// has it.
func known(t *routetree.Tree, path string) string {
	for at := path; ; at = at[:strings.LastIndexByte(at, '/')] {
		for _, r := range t.Routes {
			if r.Path == at {
				return r.InTree()[len(routetree.RouterDir)+1:]
			}
		}
		if t.Dirs[at] || !strings.Contains(at, "/") {
			return at
		}
	}
}

// newPlan says which files are to be written.
func newPlan(app project.App, t *routetree.Tree, pkg *goPackage, c *counterpart) (*plan, error) {
	r := c.route
	p := &plan{app: app, route: r}
	var methods []string
	for _, h := range c.handlers {
		methods = append(methods, h.method+" "+h.name)
	}
	pattern, url := r.Longest().String(), sampleURL(t, r, &pkg.matchers)
	text, what := endpointText(url, c.handlers, len(pkg.guards(r)) > 0), "the endpoint "+pattern
	if r.Page {
		form := ""
		if c.hasForm() {
			form = formText(r, t)
		}
		text, what = pageText(r, slices.Contains(methodsOf(c.handlers), http.MethodGet), form, layouts(t, r.Path)), "the page "+pattern
		if r.Ext() != pageExt {
			text = formatText(t, r)
		}
	}
	p.add(r.InTree(), text, what)
	if !c.empty() {
		text, err := c.text()
		if err != nil {
			return nil, err
		}
		if len(methods) == 0 {
			methods = []string{fmt.Sprintf("its name, %q", c.name)}
		}
		p.add(r.Stem+".go", text, strings.Join(methods, ", "))
	}
	p.addRows(pkg, c, url)
	p.notes = append(p.notes, unguarded(t, pkg, r)...)
	p.noteDir(t, r.Path)
	p.findFalse(t, pkg, c)
	return p, nil
}

// noteDir says which directory is new, if one that is there has a similar name.
func (p *plan) noteDir(t *routetree.Tree, file string) {
	for i, c := range file {
		if dir := file[:i]; c == '/' && !t.Dirs[dir] {
			if hint := routetree.SuggestPath(dir, t.Dirs, ""); hint != "" {
				p.notes = append(p.notes, fmt.Sprintf("%s is a new directory%s", p.app.Shown(routetree.RouterDir+"/"+dir), hint))
			}
			return
		}
	}
}

func (p *plan) add(name string, text []byte, what string) {
	p.files = append(p.files, file{name: filepath.Join(p.app.Dir, filepath.FromSlash(name)), text: text})
	p.lines = append(p.lines, fmt.Sprintf("%s\t%s", p.app.Shown(name), what))
}

// layouts returns the texts of the layouts around a page or +file.
func layouts(t *routetree.Tree, path string) (texts []string) {
	for _, source := range project.PlusFiles(t, path, layoutName) {
		text, _ := fs.ReadFile(source.Files, source.InTree) // Check says what is wrong about it
		texts = append(texts, string(text))
	}
	return texts
}

// addRows finds the table of the tests and adds a row for each handler, which asks for url.
// Where that is not possible, the user is told to. An endpoint needs none if the tests run its
// examples.
func (p *plan) addRows(pkg *goPackage, c *counterpart, url string) {
	if url == "" {
		url, p.printed = "/…", "no URL is known that it answers"
	}
	for _, h := range c.handlers {
		p.rows = append(p.rows, row{sampleMethod(h.method, c.handlers), url, h.status})
	}
	if p.route.Page && !slices.ContainsFunc(p.rows, func(r row) bool { return r.method == http.MethodGet }) {
		p.rows = append([]row{{http.MethodGet, url, http.StatusOK}}, p.rows...)
	}
	if p.printed != "" {
		return
	}
	guards := pkg.guards(p.route)
	before := "may answer before the handler"
	switch {
	case pkg.runsExamples() && !p.route.Page:
		p.rows = nil // the route file has them as examples
		if len(guards) > 0 {
			p.notes = append(p.notes, fmt.Sprintf("The examples in %s are disabled, since the middleware of %s %s: give them what it asks for, and take \"# @disabled\" away.", p.route.File, guards[0], before))
		}
		return
	case len(guards) > 0:
		p.printed = fmt.Sprintf("the middleware of %s %s", guards[0], before)
		return
	}
	p.printed = fmt.Sprintf("no test of the application has a function %s with a table", testName)
	for _, t := range pkg.tests {
		text, err := addRows(t.Text, p.rows)
		switch {
		case err != nil:
			p.printed = fmt.Sprintf("%s of %s cannot take them: %v", testName, shown(t.Name), err)
			return
		case text != "":
			p.anew, p.printed = append(p.anew, file{t.Name, []byte(text), string(t.Text)}), ""
			p.lines = append(p.lines, fmt.Sprintf("%s\t%s", shown(t.Name), fault.Count(len(p.rows), "row")))
			return
		}
	}
}

// runsExamples reports whether a test of the package calls flowtest.Examples.
func (pkg *goPackage) runsExamples() bool {
	return slices.ContainsFunc(pkg.tests, func(t project.GoFile) bool { return bytes.Contains(t.Text, []byte("flowtest.Examples(")) })
}

// carryOut writes everything, or nothing, and says what.
func (p *plan) carryOut(to cli.Process) error {
	report := p.report()
	if err := write(p.files, p.anew); err != nil {
		return err
	}
	_, err := io.WriteString(to.Stdout, report)
	return err
}

// report says what is written, and what is left to do.
func (p *plan) report() string {
	var b strings.Builder
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range p.lines {
		fmt.Fprintln(columns, line)
	}
	columns.Flush()
	for _, note := range p.notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	if p.printed != "" {
		fmt.Fprintf(&b, "\nNo row was added to the tests: %s. The requests, and the status that the file answers:\n\n", p.printed)
		for _, r := range p.rows {
			fmt.Fprintf(&b, "\t%s,\n", r)
		}
	}
	if len(p.falsified) > 0 {
		fmt.Fprintf(&b, "\nThe tests want 404 for what the file answers now, and fail until you change that:\n\n\t%s\n", strings.Join(p.falsified, "\n\t"))
	}
	return b.String()
}
