// Package inputs judges the types that Bind fills, and the forms of pages that send their values. All of
// it is asked before the application serves:
//
//   - [Mistakes] finds fields that no request fills, tags that nothing reads, and methods that flow never
//     calls. [ParamMistakes] compares the tags with the parameters of a route, and [ValidateMistakes]
//     calls Validate.
//   - A [FormInput] compares the elements of a form with the types and the Validate of their fields.
//   - [CheckFieldKey] and [CheckFieldMethod] check calls of Form.Field in templates.
package inputs

import (
	"encoding"
	"fmt"
	"mime/multipart"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/wire/input"
)

// A Mistake is something in a type that Bind fills which no response shows: a method that is
// never called, a field that no request fills, or one that a request fills in another way than
// its tag says.
type Mistake struct {
	Text    string
	Pos     fault.Position // of the method that it is about; the zero Position for a field
	Warning bool           // it may be meant
	Default bool           // it is about Default, or what that can set: only the input of a typed handler has one
}

// A nesting says how a struct is a part of an input.
type nesting int

const (
	whole    nesting = iota // the struct that Bind is given
	embedded                // embedded in it: Go promotes its methods
	inside                  // in a field, a list, a map or behind a pointer, or embedded in such a struct
)

// outerMethods says which methods the structs around a struct have. Such a method can call the method of
// the same name of the struct inside, whatever its signature.
type outerMethods struct{ validates, defaults bool }

// An inspection collects the mistakes of one type.
type inspection struct {
	pkg   string // of the type: a method that is declared there was written for flow
	seen  map[visit]bool
	found []Mistake
}

type visit struct {
	t       reflect.Type
	nesting nesting
	outer   outerMethods
}

// Fault returns the mistake as a fault of its method or, if it is about a field, of the handler that
// takes the type.
func (m Mistake) Fault(handler fault.Position) fault.Fault {
	pos := m.Pos
	if pos.Line == 0 {
		pos = handler
	}
	if m.Warning {
		return fault.WarnAt(pos, "%s", m.Text)
	}
	return fault.At(pos, "%s", m.Text)
}

// ValidateMistakes returns what is likely to be wrong in Validate of a struct type. It calls Validate,
// for structs that no request has sent.
func ValidateMistakes(t reflect.Type, messages input.Messages) []Mistake {
	return append(unreachedValidates(t, messages), misnamed(t, messages)...)
}

// Mistakes returns the mistakes in a type and in what it holds, in a fixed order.
func Mistakes(t reflect.Type) []Mistake {
	p, n := input.PlanOf(t), &inspection{pkg: t.PkgPath(), seen: map[visit]bool{}}
	if t.Kind() != reflect.Struct {
		n.heldType(t, outerMethods{})
		return n.found
	}
	n.structType(t, whole, outerMethods{})
	n.uncallable(t, input.FromData)
	n.fromURL(t, input.FromRoute, p.Route)
	n.fromURL(t, input.FromQuery, p.Query)
	if !p.Decodes { // else its own method decides what becomes of a value
		n.fields(t, p.Data, whole)
	}
	outer := outerMethods{}.with(t)
	for _, fs := range []*input.Fields{p.Data, p.Query, p.Route} {
		for _, f := range fs.List {
			n.heldType(f.Go.Type, outer)
		}
	}
	return n.found
}

// add adds a mistake, unless it was found in another way already.
func (n *inspection) add(m Mistake) {
	if !slices.Contains(n.found, m) {
		n.found = append(n.found, m)
	}
}

// uncallable looks for embedded structs whose Validate cannot be called.
func (n *inspection) uncallable(t reflect.Type, from input.Source) {
	for _, u := range input.UncallableIn(t, from) {
		_, pos, _ := declaredMethod(u.Type, validateName)
		n.add(Mistake{Text: u.Wrong, Pos: pos})
	}
}

// field adds a mistake about a field.
func (n *inspection) field(t reflect.Type, sf reflect.StructField, format string, args ...any) {
	text := fieldName(t, sf.Name) + " " + fmt.Sprintf(format, args...)
	n.add(Mistake{Text: strings.ReplaceAll(text, "interface {}", "any")})
}

// fieldName returns how messages call a field: "app.newUser.Name".
func fieldName(t reflect.Type, field string) string {
	return input.TypeName(t) + "." + field
}

// isOurs reports whether the application has written a struct for its input: it is of the package
// of the input, of its module, or has no name. Nobody can change the fields of another struct.
func (n *inspection) isOurs(t reflect.Type) bool {
	pkg, module := strings.TrimSuffix(t.PkgPath(), "_test"), fault.MainModule()
	return t.PkgPath() == n.pkg || pkg == "" || pkg == "main" || module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/"))
}

// heldType looks at a type that a field, a list or a map holds.
func (n *inspection) heldType(t reflect.Type, outer outerMethods) {
	at := visit{t, inside, outer}
	if n.seen[at] {
		return
	}
	n.seen[at] = true
	if t.Kind() != reflect.Struct {
		n.uncalled(t, outer)
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Array:
		n.heldType(t.Elem(), outer)
	case reflect.Slice, reflect.Map:
		outer.defaults = false // a new list or map has no item for Default of the struct around it
		n.heldType(t.Elem(), outer)
	case reflect.Struct:
		n.structType(t, inside, outer)
		if !n.isOurs(t) {
			return
		}
		n.uncallable(t, input.FromJSON)
		if input.DecodesItself(t) {
			return
		}
		fs := input.FieldsInside(t)
		n.fields(t, fs, inside)
		outer = outer.with(t)
		for _, f := range fs.List {
			n.heldType(f.Go.Type, outer)
		}
	}
}

// structType looks at the methods and the tags of a struct, and of those that are embedded in it.
func (n *inspection) structType(t reflect.Type, where nesting, outer outerMethods) {
	n.methods(t, where, outer)
	if !n.isOurs(t) {
		return
	}
	from := input.FromData
	if where == inside {
		from = input.FromJSON
	}
	keys := map[string]reflect.StructField{}
	for i := range t.NumField() {
		sf := t.Field(i)
		n.tags(t, sf, from)
		role, key := from.RoleOf(sf)
		if first, taken := keys[key]; taken && role == input.Filled {
			n.field(t, first, "and %s have the same key, %q, so neither is filled: keep one", sf.Name, key)
		} else if role == input.Filled && key != "" && sf.IsExported() {
			keys[key] = sf
		}
		if role == input.Embeds && isUnsettable(sf) && !outer.with(t).defaults && !input.DecodesItself(t) { // else Default may set it
			text := fmt.Sprintf("%s is an embedded pointer that only its package can set, so no request fills the fields behind it: embed the struct itself, %v", fieldName(t, sf.Name), sf.Type.Elem())
			n.add(Mistake{Text: text, Default: where != inside})
		}
		at := visit{input.BehindPointers(sf.Type), max(where, embedded), outer.with(t)}
		if role == input.Embeds && !n.seen[at] {
			n.seen[at] = true
			n.structType(at.t, at.nesting, at.outer)
		}
	}
}

// isUnsettable reports whether a field is an embedded pointer to an unexported struct that has fields
// to fill. Package reflect can't set it.
func isUnsettable(sf reflect.StructField) bool {
	return !sf.IsExported() && sf.Type.Kind() == reflect.Pointer && !input.IsOpaque(sf.Type.Elem())
}

// fields looks for fields that no request fills.
func (n *inspection) fields(t reflect.Type, fs *input.Fields, where nesting) {
	for _, f := range fs.List {
		switch of, why := unfillable(f.Go.Type, map[reflect.Type]bool{}); {
		case why == "", f.IsFile() && where == whole:
		case f.IsFile():
			n.field(t, f.Go, "is of type %v inside of another struct, where no file is filled: move it into the struct that the handler takes", f.Go.Type)
		case slices.Contains(files, of):
			n.field(t, f.Go, "is of type %v, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader", f.Go.Type)
		default:
			n.field(t, f.Go, "is of type %v, and no request can fill %s: give it another type, or the tag json:\"-\" if it is not for requests", f.Go.Type, why)
		}
	}
}

// files are the types that package multipart has for a file. Only a pointer to the first one, or a list
// of these, can be filled.
var files = []reflect.Type{reflect.TypeFor[multipart.FileHeader](), reflect.TypeFor[multipart.File]()}

// unfillable returns a type of which no request has a value, that is t or what t holds, and
// what to call it. why is "" if there is none.
func unfillable(t reflect.Type, seen map[reflect.Type]bool) (of reflect.Type, why string) {
	switch {
	case slices.Contains(files, t):
		return t, "a file"
	case seen[t] || input.DecodesItself(t):
		return nil, ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Chan:
		return t, "a channel"
	case reflect.Func:
		return t, "a function"
	case reflect.Complex64, reflect.Complex128:
		return t, "a complex number"
	case reflect.UnsafePointer:
		return t, "a pointer of package unsafe"
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return t, "an interface with methods"
		}
	case reflect.Map:
		if k := t.Key(); k.Kind() != reflect.String && (k.Kind() < reflect.Int || k.Kind() > reflect.Uintptr) && !reflect.PointerTo(k).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return k, fmt.Sprintf("a map by %v", k)
		}
		return unfillable(t.Elem(), seen)
	case reflect.Pointer:
		if input.BehindPointers(t).Kind() == reflect.Pointer {
			return t, "a pointer without end"
		}
		return unfillable(t.Elem(), seen)
	case reflect.Slice, reflect.Array:
		return unfillable(t.Elem(), seen)
	case reflect.Struct:
		exported := func(sf reflect.StructField) bool { return sf.IsExported() || sf.Anonymous }
		if t.NumField() > 0 && !slices.ContainsFunc(reflect.VisibleFields(t), exported) {
			return t, "a struct without exported fields"
		}
	}
	return nil, ""
}

// fromURL looks at the fields with a tag param or query. Their values are texts, also if JSON
// may fill them, too.
func (n *inspection) fromURL(t reflect.Type, from input.Source, fs *input.Fields) {
	for _, f := range fs.List {
		if !f.Converts.Converts() {
			n.field(t, f.Go, "has the tag %s:%q, and no text converts to %v: give it a type such as string or int, or one with UnmarshalText", from, f.Name, f.Go.Type)
		}
	}
	for i, f := range fs.Hidden {
		for _, g := range fs.Hidden[:i] {
			if f.Name == g.Name && len(f.Path) == len(g.Path) && !hasName(fs, f.Name) {
				n.field(t, g.Go, "and %s both have the tag %s:%q, so neither is filled: keep one", f.Go.Name, from, f.Name)
			}
		}
	}
}
