package flow

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"text/template/parse"
)

// parseViews parses each template of the tree, a page or a +file, as a set of
// its own under its path without extension, and reports every fault.
func (c *compiler) parseViews() map[string]*template.Template {
	if err := checkFuncs(c.router.Funcs); err != nil {
		c.faults = append(c.faults, fault{text: err.Error()})
		return nil
	}
	views := make(map[string]*template.Template, len(c.tree.templates))
	for _, name := range sortedKeys(c.tree.templates) {
		src := c.tree.templates[name]
		text, err := fs.ReadFile(src.files, src.file)
		if err != nil {
			c.faults = append(c.faults, faultIn(src.file, "cannot be read: %v", err))
			continue
		}
		view, err := c.parseView(name, string(text))
		if err != nil {
			c.faults = append(c.faults, templateFault(src.file, name, err))
			continue
		}
		if !c.namesMissing {
			c.checkRouteNames(src.file, name, view)
		}
		views[name] = view
	}
	return views
}

func (c *compiler) parseView(name, text string) (*template.Template, error) {
	view := template.New(name).Funcs(c.router.Funcs).Funcs(template.FuncMap{"route": c.table.route, "asset": c.table.asset})
	if _, err := view.Parse(text); err != nil {
		return nil, err
	}
	return view, c.escape(view)
}

// checkFuncs finds what html/template panics for: a value that is no function, or
// a name that is no identifier.
func checkFuncs(funcs template.FuncMap) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("Router.Funcs: %v", v)
		}
	}()
	template.New("").Funcs(funcs)
	return nil
}

// escape finds the faults that html/template finds at the first execution. It
// executes a copy that cannot do anything: its functions fail, and so does what it
// writes to.
func (c *compiler) escape(view *template.Template) error {
	trial, err := view.Clone()
	if err != nil {
		return err
	}
	idle := template.FuncMap{"route": notNow, "asset": notNow}
	for name := range c.router.Funcs {
		idle[name] = notNow
	}
	var fault *template.Error
	if err := trial.Funcs(idle).Execute(notNowWriter{}, nil); errors.As(err, &fault) {
		return fault
	}
	return nil
}

var errNotNow = errors.New("not now")

func notNow(...any) (any, error) { return nil, errNotNow }

type notNowWriter struct{}

func (notNowWriter) Write([]byte) (int, error) { return 0, errNotNow }

// templateLine finds the line in an error of text/template or html/template.
var templateLine = regexp.MustCompile(`^(?:html/)?template: ?(.*?):(\d+)(?::\d+)?: (.*)$`)

// templateFault gives a template's error the form of all faults: file:line: what.
func templateFault(file, name string, err error) fault {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	if m := templateLine.FindStringSubmatch(text); m != nil && m[1] == name {
		return fault{file: file, text: file + ":" + m[2] + ": " + m[3]}
	}
	return faultIn(file, "%s", text)
}

// checkRouteNames reports each {{route "name"}} whose name does not exist.
func (c *compiler) checkRouteNames(file, name string, view *template.Template) {
	for _, t := range view.Templates() {
		if t.Tree == nil {
			continue
		}
		eachCommand(t.Tree.Root, func(cmd *parse.CommandNode) {
			if len(cmd.Args) < 2 {
				return
			}
			fn, ok := cmd.Args[0].(*parse.IdentifierNode)
			label, isText := cmd.Args[1].(*parse.StringNode)
			if !ok || !isText || fn.Ident != "route" || c.table.names[label.Text] != nil {
				return
			}
			where, _ := t.Tree.ErrorContext(cmd)
			line := where[len(t.Tree.ParseName)+1:]
			line, _, _ = strings.Cut(line, ":")
			c.faults = append(c.faults, fault{file: file, text: fmt.Sprintf("%s:%s: no route is called %q: name one with Name, or use an automatic name", file, line, label.Text)})
		})
	}
}

// eachCommand calls f for each command below a node of a template.
func eachCommand(n parse.Node, f func(*parse.CommandNode)) {
	branch := func(b *parse.BranchNode) {
		eachCommand(b.Pipe, f)
		eachCommand(b.List, f)
		eachCommand(b.ElseList, f)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, child := range n.Nodes {
				eachCommand(child, f)
			}
		}
	case *parse.PipeNode:
		if n != nil {
			for _, cmd := range n.Cmds {
				eachCommand(cmd, f)
			}
		}
	case *parse.CommandNode:
		f(n)
		for _, arg := range n.Args {
			eachCommand(arg, f)
		}
	case *parse.ActionNode:
		eachCommand(n.Pipe, f)
	case *parse.TemplateNode:
		eachCommand(n.Pipe, f)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}

// route is the template function of that name.
func (t *table) route(name string, params ...any) (string, error) {
	r := t.names[name]
	if r == nil {
		return "", fmt.Errorf("flow: no route is called %q", name)
	}
	return r.url(name, params)
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
	view := x.router.table.Load().views[name]
	if view == nil {
		return Response{}, fmt.Errorf("flow: View: no template is called %q: give the path below %s/ without extension", name, routerDir)
	}
	var b strings.Builder
	if err := view.Execute(&b, r.more.data); err != nil {
		return Response{}, fmt.Errorf("flow: %w", err)
	}
	return r.body(kindHTML, b.String()), nil
}
