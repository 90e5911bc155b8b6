package scaffold

import (
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/routetree"
)

// fieldName is the partial that shows a field of a form, with its label and what is wrong with it.
const fieldName = "+field"

// isForm reports whether a page has a form, which its handler for GET shows and the one for
// POST reads. What its fields are cannot be guessed, so it gets one, which is required.
func isForm(r *routetree.Route, methods []string) bool {
	return r.Page && slices.Contains(methods, http.MethodGet) && slices.Contains(methods, http.MethodPost)
}

// hasForm reports whether both handlers of a form are to be written.
func (c *counterpart) hasForm() bool { return isForm(c.route, methodsOf(c.handlers)) }

// called returns the name of the handler for a method.
func (c *counterpart) called(method string) string {
	return c.handlers[slices.IndexFunc(c.handlers, func(h handler) bool { return h.method == method })].name
}

// formField is the field of a page's data that has the form.
func formField(data []structField) string { return free(data, "Form") }

// inputField is the field of a form, beside those with parameters of its route.
func inputField(r *routetree.Route) structField {
	params := paramFields(r)
	name := free(params, "Text")
	return structField{name, "string", strings.ToLower(name)}
}

// free returns a name that no field has: the one that is wanted, or else one with "2" behind it.
func free(fields []structField, name string) string {
	for slices.ContainsFunc(fields, func(f structField) bool { return f.name == name }) {
		name += "2"
	}
	return name
}

// readForm returns the type of what a form sends, and the end of the handler that reads it: its
// parameters, results and body.
func (c *counterpart) readForm(name string) (types, rest string) {
	field := inputField(c.route)
	fields := append(paramFields(c.route), field)
	in := name + inSuffix
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", in)
	for i, f := range fields {
		tag := "param"
		if i == len(fields)-1 {
			tag = "form"
		}
		fmt.Fprintf(&b, "%s %s `%s:%q`\n", f.name, f.typ, tag, f.param)
	}
	fmt.Fprintf(&b, `}

// Validate is called before %s.
func (in %s) Validate() error {
if in.%s == "" {
return flow.Invalid{%q: "is required"}
}
return nil
}

`, name, in, field.name, field.param)
	data, values := c.pageData("in.Value")
	values = append(values, formField(data)+": in")
	show := c.called(http.MethodGet)
	return b.String(), fmt.Sprintf(`(_ *flow.Request, in flow.Form[%s]) (flow.Response, error) {
if in.Wrong != nil {
return %s(%s{%s}).Status(http.StatusUnprocessableEntity), nil
}
return flow.Fail(http.StatusNotImplemented, %q), nil
}
`, in, show+pageSuffix, show+dataSuffix, strings.Join(values, ", "), notWritten)
}

// formText returns the form of a page, whose field is shown by the application's partial for
// fields, if it has one that is called as that of a new application.
func formText(r *routetree.Route, t *routetree.Tree) string {
	field, form := inputField(r), formField(pageFields(r))
	input := fmt.Sprintf(`{{with $field := .%s.Field %q}}<label for="{{.ID}}">%s</label>
<input id="{{.ID}}" name="{{.Name}}" type="{{.Type}}" value="{{.Value}}"{{if .Required}} required{{end}}{{if .Wrong}} aria-invalid="true" aria-describedby="{{.ID}}-wrong"{{end}}>
{{with .Wrong}}<p id="{{$field.ID}}-wrong">%[3]s {{.}}.</p>
{{end}}{{end}}`, form, field.param, field.name)
	if source, ok := t.Templates[fieldName]; ok {
		text, _ := fs.ReadFile(source.Files, source.InTree) // Check says what is wrong about it
		if showsField(text) {
			input = fmt.Sprintf("{{template %q (dict \"of\" (.%s.Field %q) \"label\" %q)}}\n", fieldName, form, field.param, field.name)
		}
	}
	return "<form method=\"post\">\n" + input + "<button>Send</button>\n</form>\n"
}

// showsField reports whether a partial takes what the one of a new application does.
func showsField(partial []byte) bool {
	return strings.Contains(string(partial), ".of.") && strings.Contains(string(partial), ".label")
}
