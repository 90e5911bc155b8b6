package templates

import (
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"strings"
	texttemplate "text/template"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/plan"
)

// An ownFunc is a function that flow itself gives to every template. It has either fixed or
// bound.
type ownFunc struct {
	fixed      any          // the same for all requests
	bound      any          // takes the rendering in front of its arguments
	returns    reflect.Type // the type of the value that it returns as any, if that is known
	perRequest bool         // a page that calls it can differ between requests
}

// ownFuncs returns the functions that flow itself gives to every template.
func ownFuncs(h Host) map[string]*ownFunc {
	own := map[string]*ownFunc{
		"asset":   {bound: func(at any, name string) (string, error) { return h.Asset(requestOf(at), name) }, perRequest: h.PerRequest},
		"dict":    {fixed: language.Dict},
		"nonce":   {bound: func(at any) string { return h.Nonce(requestOf(at)) }}, // a page that is rendered once has a placeholder for it
		"request": {bound: requestOf, returns: h.Request, perRequest: true},
		"route":   {bound: func(at any, name string, params ...any) (string, error) { return h.Route(requestOf(at), name, params) }, perRequest: h.PerRequest},
		"user":    {bound: func(at any) any { return h.User(requestOf(at)) }, returns: reflect.TypeFor[language.AnyText](), perRequest: true}, // nobody's name is HTML
	}
	if h.Lists != nil {
		own["page"] = &ownFunc{bound: pageOf, returns: h.Lists.Entry}
		own["pages"] = &ownFunc{bound: pagesBelow, returns: reflect.SliceOf(h.Lists.Entry)}
	}
	return own
}

// IsOwn reports whether flow itself, and not the application, gives a function to templates.
func IsOwn(name string) bool { return ownFuncs(Host{})[name] != nil }

// functions are the functions that templates may call, other than those of text/template.
type functions struct {
	Host
	callable   plan.Funcs
	types      map[string]reflect.Type // as templates call them; without those whose type is not known
	perRequest map[string]bool         // those because of which a page can differ between requests
}

// newFunctions returns the functions of flow and of the application, and a fault for each
// function of the application that cannot be called.
func newFunctions(h Host) (f *functions, faults []fault.Fault) {
	f = &functions{h, plan.Funcs{Fixed: template.FuncMap{}, Bound: template.FuncMap{}}, map[string]reflect.Type{}, map[string]bool{}}
	own := ownFuncs(h)
	for name, o := range own {
		f.perRequest[name] = o.perRequest
		if o.fixed != nil {
			f.callable.Fixed[name], f.types[name] = o.fixed, reflect.TypeOf(o.fixed)
		} else {
			f.callable.Bound[name], f.types[name] = o.bound, withoutFirst(reflect.TypeOf(o.bound))
		}
		if o.returns != nil {
			t := f.types[name]
			f.types[name] = reflect.FuncOf(slices.Collect(t.Ins()), []reflect.Type{o.returns}, t.IsVariadic())
		}
	}
	report := func(format string, args ...any) {
		faults = append(faults, fault.Fault{Text: "Router.Funcs: " + fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(h.Funcs)) {
		fun := h.Funcs[name]
		err := checkFunc(name, fun)
		switch {
		case own[name] != nil:
			report("%q is a function of every template already: call this one otherwise", name)
		case strings.HasPrefix(name, "_html_template_") || slices.Contains(templateWords, name):
			report("%q is a word of html/template itself: call this one otherwise", name)
		case err == nil:
			f.callable.Fixed[name], f.types[name], f.perRequest[name] = fun, reflect.TypeOf(fun), true
		default:
			report("%v", err)
			if checkFunc(name, placeholder) == nil { // its calls are no faults of their own
				f.callable.Fixed[name] = placeholder
			}
		}
	}
	return f, faults
}

// withoutFirst returns the type of a function without its first parameter.
func withoutFirst(f reflect.Type) reflect.Type {
	return reflect.FuncOf(slices.Collect(f.Ins())[1:], slices.Collect(f.Outs()), f.IsVariadic())
}

// placeholder stands for a function that html/template does not accept.
func placeholder(...any) any { return nil }

// templateWords are the keywords and constants of the template language. A function with
// such a name could not be called.
var templateWords = []string{"block", "break", "continue", "define", "else", "end", "false", "if", "nil", "range", "template", "true", "with"}

// checkFunc returns an error if html/template does not accept a function: because of its name,
// which is no identifier, or because of its type.
func checkFunc(name string, f any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	template.New("").Funcs(template.FuncMap{name: f})
	return nil
}

// isFunc reports whether templates may call a function.
func (f *functions) isFunc(name string) bool {
	if f.callable.Fixed[name] != nil || f.callable.Bound[name] != nil {
		return true
	}
	if _, ok := language.Builtin(name); ok {
		return true
	}
	_, err := texttemplate.New("").Parse("{{" + name + "}}") // break and continue are none of these
	return err == nil
}

// suggestFunc returns the end of the message about a function that is not defined.
func (f *functions) suggestFunc(misspelt string) string {
	known := map[string]any{}
	maps.Copy(known, f.callable.Fixed)
	maps.Copy(known, f.callable.Bound)
	for name := range language.Builtins() {
		if len(name) > 2 { // any short word is near to "or" or "ne"
			known[name] = true
		}
	}
	return fault.Suggest(misspelt, known, ": add it to Router.Funcs")
}

// isFixed reports whether a set of templates renders the same for any two requests with the
// same data, but for the nonce: whether it calls no function that can see the difference.
func (f *functions) isFixed(s *Set) bool {
	for name := range s.Calls {
		if f.perRequest[name] {
			return false
		}
	}
	return true
}
