package scaffold

import (
	"fmt"
	"go/format"
	"go/token"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
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
			if !takes(taken, name) && !slices.ContainsFunc(handlers, func(h handler) bool { return h.name == name }) {
				h.name = name
				break
			}
		}
		switch {
		case m == http.MethodGet:
			h.status = http.StatusOK
		case m == http.MethodHead, m == http.MethodOptions:
			h.status = http.StatusNoContent
		case m == http.MethodPost && isForm(r, methods):
			h.status = http.StatusUnprocessableEntity // of an empty form
		}
		handlers = append(handlers, h)
	}
	return handlers
}

// The types of a handler are called like it, with one of these.
const (
	inSuffix   = "In"   // what it reads
	dataSuffix = "Data" // what its page shows
	outSuffix  = "Out"  // what it answers as JSON
)

// pageSuffix ends the name of the function that renders the page of a form.
const pageSuffix = "Page"

// notWritten is what a handler answers that nobody has written yet.
const notWritten = "this is not written yet"

// takes reports whether a handler cannot have a name, since something is called so, or as
// one of its types or its page would be.
func takes(taken map[string]bool, name string) bool {
	return taken[name] || taken[name+inSuffix] || taken[name+dataSuffix] || taken[name+outSuffix] || taken[name+pageSuffix]
}

// A counterpart is the Go file of a route that is to be written.
type counterpart struct {
	pkg      string
	route    *routetree.Route
	name     string // what -name says
	handlers []handler
	asks     *withParam // what is asked for with flow.With, or nil
}

// text returns the whole file.
func (c *counterpart) text() ([]byte, error) {
	imports := `"example.com/flow"`
	if slices.ContainsFunc(c.handlers, func(h handler) bool { return h.status >= http.StatusBadRequest }) {
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

// function returns the declaration of a handler and of its types. What changes something
// cannot be guessed, so it says that it is not written.
func (c *counterpart) function(h handler) string {
	receiver, request, types := "", "*flow.Request", ""
	result, answer := "flow.Response", fmt.Sprintf("flow.Fail(http.StatusNotImplemented, %q)", notWritten)
	if c.with() {
		receiver = fmt.Sprintf("(%s *%s) ", c.asks.name, c.asks.typ)
	}
	fields := paramFields(c.route)
	if h.status == http.StatusNoContent {
		answer = "flow.Response{}"
	} else if len(fields) > 0 {
		request, result = "_ *flow.Request, in "+h.name+inSuffix, "(flow.Response, error)"
		types = declaration(h.name+inSuffix, fields, "param")
		answer += ", nil"
	}
	if h.method == http.MethodGet {
		out, value, declared := c.output(h, fields)
		result, answer, types = "("+out+", error)", value+", nil", types+declared
	}
	rest := fmt.Sprintf("(%s) %s {\nreturn %s\n}\n", request, result, answer)
	what := h.method + " " + c.route.Longest().String()
	if h.method == methodAny {
		what = "every method of " + strings.TrimPrefix(what, "ANY ")
		if len(c.handlers) > 1 {
			what = "every other" + strings.TrimPrefix(what, "every")
		}
	}
	if h.method == http.MethodPost && c.hasForm() {
		types, rest = c.readForm(h.name)
		what += ". It shows the form again if something is wrong with it"
	}
	return fmt.Sprintf("%s// %s answers %s.\nfunc %s%s%s", types, h.name, what, receiver, h.name, rest)
}

// output returns the type that a handler for GET returns, a value of it, and its
// declaration, if it has a name: the data of a page, or what is answered as JSON.
func (c *counterpart) output(h handler, fields []structField) (out, value, declared string) {
	data, values := c.pageData("in")
	switch {
	case c.route.Page:
		out = h.name + dataSuffix
		if c.hasForm() {
			data = append(data, structField{name: formField(data), typ: "flow.Form[" + c.called(http.MethodPost) + inSuffix + "]"})
			declared = fmt.Sprintf("var %s = flow.PageOf[%s]()\n\n", h.name+pageSuffix, out)
		}
		declared += declaration(out, data, "")
	case len(fields) > 0:
		out = h.name + outSuffix
		declared = declaration(out, fields, "json")
	case isCollection(c.route):
		out, values = "[]string", nil
	default:
		out, values = "map[string]string", nil
	}
	return out, out + "{" + strings.Join(values, ", ") + "}", declared
}

// pageData returns the fields of what a page shows, with their values: the parameters of its
// route, which in has, or else a title.
func (c *counterpart) pageData(in string) (fields []structField, values []string) {
	fields = pageFields(c.route)
	if len(paramFields(c.route)) == 0 {
		return fields, []string{fmt.Sprintf("%s: %q", fields[0].name, title(c.route))}
	}
	for _, f := range fields {
		values = append(values, f.name+": "+in+"."+f.name)
	}
	return fields, values
}

func pageFields(r *routetree.Route) []structField {
	if fields := paramFields(r); len(fields) > 0 {
		return fields
	}
	return []structField{{name: "Title", typ: "string"}}
}

// A structField is one of a struct that a handler reads or returns.
type structField struct{ name, typ, param string }

// paramFields returns a field for each parameter of a route.
func paramFields(r *routetree.Route) []structField {
	var fields []structField
	for _, p := range paramsOf(r) {
		f := structField{camel(p.Text), "string", p.Text}
		if !token.IsExported(f.name) {
			f.name = "Param" + f.name
		}
		f.name = free(fields, f.name)
		if p.Kind != pattern.Rest && p.Matcher != nil && p.Matcher.Name == "int" {
			f.typ = "int"
		}
		fields = append(fields, f)
	}
	return fields
}

// declaration returns that of a struct, whose fields have a tag with their parameter.
func declaration(name string, fields []structField, tag string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", name)
	for _, f := range fields {
		fmt.Fprintf(&b, "%s %s", f.name, f.typ)
		if tag != "" {
			fmt.Fprintf(&b, " `%s:%q`", tag, f.param)
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n\n")
	return b.String()
}

// pageText returns an .html route file, with what stands below its heading. It is a whole
// document if no layout is around it, and it fills in the title if the layout has such a block.
func pageText(r *routetree.Route, data bool, below string, layouts []string) []byte {
	heading, name := title(r), title(r)
	if fields := paramFields(r); data && len(fields) > 0 {
		for _, f := range fields {
			heading += " {{." + f.name + "}}"
		}
	} else if data {
		heading = "{{.Title}}"
	}
	return framed(name, "<h1>"+heading+"</h1>\n"+below, layouts)
}

// endpointText returns an .http route file: an example for each handler, which editors can
// send and tests run. It is empty if no URL is known. guarded says that middleware may answer
// otherwise.
func endpointText(url string, handlers []handler, guarded bool) []byte {
	if url == "" {
		return nil
	}
	var requests []string
	for _, h := range handlers {
		request := fmt.Sprintf("%s http://localhost:8080%s\n", sampleMethod(h.method, handlers), url)
		if guarded {
			request = "# Take this away once the request has what the middleware asks for:\n# @disabled\n" + request
		}
		requests = append(requests, fmt.Sprintf("%s\n# ?? status == %d\n", request, h.status))
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
