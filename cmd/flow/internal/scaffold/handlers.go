package scaffold

import (
	"fmt"
	"go/format"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/forms"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/routetree"
)

const methodAny = "ANY"

// A handler is one that is to be written.
type handler struct {
	method string
	name   string
	status int // of its answer, as it is written
}

// handlersOf names a handler for each method.
func handlersOf(r *routetree.Route, methods []string, taken map[string]bool) []handler {
	var handlers []handler
	for _, m := range methods {
		h := handler{m, "", http.StatusNotImplemented}
		for _, name := range handlerNames(r, m) {
			if !taken[name] && !slices.ContainsFunc(handlers, func(h handler) bool { return h.name == name }) {
				h.name = name
				break
			}
		}
		switch m {
		case http.MethodGet:
			h.status = http.StatusOK
		case http.MethodHead, http.MethodOptions:
			h.status = http.StatusNoContent
		}
		handlers = append(handlers, h)
	}
	return handlers
}

// A counterpart is the Go file of a route that is to be written.
type counterpart struct {
	pkg      string
	route    *routetree.Route
	name     string // what -name says
	handlers []handler
	asks     *shared // what is asked for with flow.With, or nil
}

// text returns the whole file.
func (c *counterpart) text() ([]byte, error) {
	imports := `"example.com/flow"`
	if slices.ContainsFunc(c.handlers, func(h handler) bool { return h.status == http.StatusNotImplemented }) {
		imports = "(\n\"net/http\"\n\n" + imports + "\n)"
	}
	return format.Source(fmt.Appendf(nil, "package %s\n\nimport %s\n\n%s", c.pkg, imports, c.body()))
}

// body returns the file without its package clause and imports.
func (c *counterpart) body() string {
	var b strings.Builder
	registrar := "flow"
	if c.with() {
		registrar = c.asks.file
	}
	var calls []string
	for i, h := range c.handlers {
		call := registrar + "." + h.method + "()"
		if i == 0 && c.name != "" {
			call += fmt.Sprintf(".Name(%q)", c.name)
		}
		function := h.name
		if c.with() {
			function = c.asks.name + "." + function
		}
		calls = append(calls, call+".Do("+function+")")
	}
	if len(calls) == 0 { // a page that is served as it is
		calls = append(calls, fmt.Sprintf("flow.GET().Name(%q)", c.name))
	}
	if c.with() {
		calls = []string{fmt.Sprintf("flow.With(func(%s *flow.File, %s *%s) {%s})", c.asks.file, c.asks.name, c.asks.typ, lines(calls))}
	}
	fmt.Fprintf(&b, "func init() {%s}\n", lines(calls))
	for _, h := range c.handlers {
		b.WriteString("\n" + c.function(h))
	}
	return b.String()
}

func (c *counterpart) with() bool { return c.asks != nil && len(c.handlers) > 0 }

// lines puts one statement between braces into their line, and several into lines of
// their own.
func lines(statements []string) string {
	if len(statements) == 1 {
		return " " + statements[0] + " "
	}
	return "\n" + strings.Join(statements, "\n") + "\n"
}

// function returns the declaration of a handler. What changes something cannot be
// guessed, so it says that it is not written.
func (c *counterpart) function(h handler) string {
	receiver, request, answer := "", "*flow.Request", `flow.Fail(http.StatusNotImplemented, "this is not written yet")`
	if c.with() {
		receiver = fmt.Sprintf("(%s *%s) ", c.asks.name, c.asks.typ)
	}
	switch params := paramsOf(c.route); {
	case h.status == http.StatusNoContent:
		answer = "flow.Response{}"
	case h.method == http.MethodGet && len(params) > 0:
		request = "req *flow.Request"
		answer = c.getAnswer(params)
	case h.method == http.MethodGet && c.route.Page:
		answer = "flow.Page(nil)"
	case h.method == http.MethodGet && isCollection(c.route):
		answer = "flow.JSON([]string{})"
	case h.method == http.MethodGet:
		answer = "flow.JSON(map[string]string{})"
	}
	what := h.method + " " + c.route.Patterns[len(c.route.Patterns)-1].String()
	if h.method == methodAny {
		what = "every method of " + strings.TrimPrefix(what, "ANY ")
		if len(c.handlers) > 1 {
			what = "every other" + strings.TrimPrefix(what, "every")
		}
	}
	return fmt.Sprintf("// %s answers %s.\nfunc %s%s(%s) flow.Response {\nreturn %s\n}\n", h.name, what, receiver, h.name, request, answer)
}

// getAnswer answers with the parameters.
func (c *counterpart) getAnswer(params []pattern.Segment) string {
	var pairs []string
	for _, p := range params {
		key := p.Text
		if c.route.Page {
			key = camel(key)
		}
		pairs = append(pairs, fmt.Sprintf("%q: req.Param(%q)", key, p.Text))
	}
	if c.route.Page {
		return "flow.Page(map[string]any{" + strings.Join(pairs, ", ") + "})"
	}
	return "flow.JSON(map[string]string{" + strings.Join(pairs, ", ") + "})"
}

// pageText returns an .html route file. It is a whole document if no layout is around it,
// and it fills in the title if the layout has such a block.
func pageText(r *routetree.Route, data bool, layouts []string) []byte {
	heading, name := title(r), title(r)
	if params := paramsOf(r); data && len(params) > 0 {
		for _, p := range params {
			heading += " {{." + camel(p.Text) + "}}"
		}
	}
	return framed(name, "<h1>"+heading+"</h1>\n", layouts)
}

// endpointText returns an .http route file: example requests for a URL, which editors can
// send. It is empty if no URL is known.
func endpointText(url string, handlers []handler) []byte {
	if url == "" {
		return nil
	}
	var requests []string
	for _, h := range handlers {
		requests = append(requests, fmt.Sprintf("%s http://localhost:8080%s\n", sampleMethod(h.method, handlers), url))
	}
	return []byte(strings.Join(requests, "\n###\n"))
}

// sampleMethod returns a method that the handler for method answers: for ANY one that no
// other handler of the file takes, nor flow itself, which answers HEAD and OPTIONS.
func sampleMethod(method string, handlers []handler) string {
	if method != methodAny {
		return method
	}
	taken := append(methodsOf(handlers), http.MethodHead, http.MethodOptions)
	for _, m := range forms.Methods {
		if !slices.Contains(taken, m) {
			return m
		}
	}
	return "PROPFIND"
}

// methodsOf returns the methods of handlers.
func methodsOf(handlers []handler) []string {
	var methods []string
	for _, h := range handlers {
		methods = append(methods, h.method)
	}
	return methods
}
