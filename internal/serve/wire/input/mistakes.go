package input

import (
	"fmt"
	"mime/multipart"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// A Mistake is something in a type that Bind fills which no answer shows: a method that is
// never called, a field that no request fills, or one that a request fills in another way than
// its tag says.
type Mistake struct {
	Text    string
	Pos     fault.Position // of the method that it is about; the zero Position for a field
	Warning bool           // it may be meant
	Default bool           // it is about Default, or what that can set: only the input of a typed handler has one
}

// Mistakes returns the mistakes in a type and in what it holds, in a fixed order. Each type is
// inspected once.
func Mistakes(t reflect.Type) []Mistake { return planOf(t).mistakes }

// A place says how a struct is a part of an input.
type place int

const (
	whole    place = iota // the struct that Bind is given
	embedded              // embedded in it: Go promotes its methods
	inside                // in a field, a list, a map or behind a pointer, or embedded in such a struct
)

// An around says which methods the structs around a struct have. Such a method can call that
// of the struct inside, with any signature.
type around struct{ validates, defaults bool }

// An inspection collects the mistakes of one type.
type inspection struct {
	pkg   string // of the type: what is written there was written for flow
	seen  map[visit]bool
	found []Mistake
}

type visit struct {
	t      reflect.Type
	place  place
	around around
}

// inspect returns the mistakes in a type, given its plan.
func inspect(t reflect.Type, p *plan) []Mistake {
	n := &inspection{pkg: t.PkgPath(), seen: map[visit]bool{}}
	if t.Kind() != reflect.Struct {
		n.value(t, around{})
		return n.found
	}
	n.object(t, whole, around{})
	n.add(p.checks.uncallable...)
	n.fromURL(t, fromRoute, p.route)
	n.fromURL(t, fromQuery, p.query)
	if !p.custom { // else its own method decides what becomes of a value
		n.fields(t, p.data, whole)
	}
	outer := around{}.with(t)
	for _, fs := range []*fields{p.data, p.query, p.route} {
		for _, f := range fs.list {
			n.value(f.sf.Type, outer)
		}
	}
	return n.found
}

// add adds mistakes, unless they were found in another way already.
func (n *inspection) add(mistakes ...Mistake) {
	for _, m := range mistakes {
		if !slices.Contains(n.found, m) {
			n.found = append(n.found, m)
		}
	}
}

// field adds a mistake about a field.
func (n *inspection) field(t reflect.Type, sf reflect.StructField, format string, args ...any) {
	text := fieldName(t, sf.Name) + " " + fmt.Sprintf(format, args...)
	n.add(Mistake{Text: strings.ReplaceAll(text, "interface {}", "any")})
}

// fieldName returns how messages call a field: "app.newUser.Name".
func fieldName(t reflect.Type, field string) string {
	return typeName(t) + "." + field
}

func typeName(t reflect.Type) string {
	if t.Name() == "" { // its text would be all of its fields
		return "struct{…}"
	}
	return t.String()
}

// own reports whether the application has written a struct for its input: it is of the package
// of the input, of its module, or has no name. Nobody can change the fields of another one.
func (n *inspection) own(t reflect.Type) bool {
	pkg, module := strings.TrimSuffix(t.PkgPath(), "_test"), fault.MainModule()
	return t.PkgPath() == n.pkg || pkg == "" || pkg == "main" || module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/"))
}

// value looks at a type that a field, a list or a map holds.
func (n *inspection) value(t reflect.Type, outer around) {
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
		n.value(t.Elem(), outer)
	case reflect.Slice, reflect.Map:
		outer.defaults = false // which has no item yet
		n.value(t.Elem(), outer)
	case reflect.Struct:
		n.object(t, inside, outer)
		if !n.own(t) {
			return
		}
		n.add(checksOf(t).uncallable...)
		if decodesItself(t) {
			return
		}
		fs := fieldsInside(t)
		n.fields(t, fs, inside)
		outer = outer.with(t)
		for _, f := range fs.list {
			n.value(f.sf.Type, outer)
		}
	}
}

// object looks at the methods and the tags of a struct, and of those that are embedded in it.
func (n *inspection) object(t reflect.Type, where place, outer around) {
	n.methods(t, where, outer)
	if !n.own(t) {
		return
	}
	from := fromData
	if where == inside {
		from = fromJSON
	}
	keys := map[string]reflect.StructField{}
	for i := range t.NumField() {
		sf := t.Field(i)
		n.tags(t, sf, from)
		role, key := from.roleOf(sf)
		if first, taken := keys[key]; taken && role == filled {
			n.field(t, first, "and %s have the same key, %q, so neither is filled: keep one", sf.Name, key)
		} else if role == filled && key != "" && sf.IsExported() {
			keys[key] = sf
		}
		if role == embeds && isUnsettable(sf) && !outer.with(t).defaults && !decodesItself(t) { // else Default may set it
			text := fmt.Sprintf("%s is an embedded pointer that only its package can set, so no request fills the fields behind it: embed the struct itself, %v", fieldName(t, sf.Name), sf.Type.Elem())
			n.add(Mistake{Text: text, Default: where != inside})
		}
		at := visit{pointedTo(sf.Type), max(where, embedded), outer.with(t)}
		if role == embeds && !n.seen[at] {
			n.seen[at] = true
			n.object(at.t, at.place, at.around)
		}
	}
}

// isUnsettable reports whether a field is an embedded pointer to an unexported struct that has fields
// to fill. Package reflect can't set it.
func isUnsettable(sf reflect.StructField) bool {
	return !sf.IsExported() && sf.Type.Kind() == reflect.Pointer && !isOpaque(sf.Type.Elem())
}

// fields looks for fields that no request fills.
func (n *inspection) fields(t reflect.Type, fs *fields, where place) {
	for _, f := range fs.list {
		switch of, why := unfillable(f.sf.Type, map[reflect.Type]bool{}); {
		case why == "", f.isFile() && where == whole:
		case f.isFile():
			n.field(t, f.sf, "is of type %v inside of another struct, where no file is filled: move it into the struct that the handler takes", f.sf.Type)
		case slices.Contains(files, of):
			n.field(t, f.sf, "is of type %v, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader", f.sf.Type)
		default:
			n.field(t, f.sf, "is of type %v, and no request can fill %s: give it another type, or the tag json:\"-\" if it is not for requests", f.sf.Type, why)
		}
	}
}

// files are the types that package multipart has for a file.
var files = []reflect.Type{headerType, reflect.TypeFor[multipart.File]()}

// unfillable returns a type of which no request has a value, that is t or what t holds, and
// what to call it. why is "" if there is none.
func unfillable(t reflect.Type, seen map[reflect.Type]bool) (of reflect.Type, why string) {
	switch {
	case slices.Contains(files, t):
		return t, "a file"
	case seen[t] || decodesItself(t):
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
		if k := t.Key(); k.Kind() != reflect.String && (k.Kind() < reflect.Int || k.Kind() > reflect.Uintptr) && !reflect.PointerTo(k).Implements(textUnmarshaler) {
			return k, fmt.Sprintf("a map by %v", k)
		}
		return unfillable(t.Elem(), seen)
	case reflect.Pointer:
		if behindPointers(t).Kind() == reflect.Pointer {
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
func (n *inspection) fromURL(t reflect.Type, from source, fs *fields) {
	for _, f := range fs.list {
		if !f.converts.Converts() {
			n.field(t, f.sf, "has the tag %s:%q, and no text converts to %v: give it a type such as string or int, or one with UnmarshalText", from, f.name, f.sf.Type)
		}
	}
	all := allFields(t, from)
	for i, f := range all {
		for _, g := range all[:i] {
			if _, isFilled := fs.named[f.name]; isFilled || f.name != g.name || len(f.index) != len(g.index) {
				continue
			}
			n.field(t, g.sf, "and %s both have the tag %s:%q, so neither is filled: keep one", f.sf.Name, from, f.name)
		}
	}
}

// UntaggedParam returns what messages call a field without a tag that is called as a route parameter
// is. A client fills it, although it looks as if the route did. It returns "" if there is none,
// or if another field has the tag for the parameter.
func UntaggedParam(t reflect.Type, param string) string {
	p := planOf(t)
	if p.data == nil || slices.ContainsFunc(p.route.list, func(f *field) bool { return f.name == param }) {
		return ""
	}
	for _, f := range p.data.list {
		if !f.tagged && !f.fromURL && strings.EqualFold(f.name, param) {
			return fieldName(t, f.name)
		}
	}
	return ""
}

// The methods that flow calls.
const (
	validateName = "Validate"
	defaultName  = "Default"
)

type defaulter interface{ Default() }

var (
	defaults  = reflect.TypeFor[defaulter]()
	errorType = reflect.TypeFor[error]()
)

// with returns what is around the fields of t, given what is around t.
func (a around) with(t reflect.Type) around {
	p := reflect.PointerTo(t)
	return around{a.validates || p.Implements(validates), a.defaults || p.Implements(defaults)}
}

// written returns a method that a type declares itself, on a value or on a pointer. ok is
// false for a method that it gets from an embedded field: that is looked at where it is
// declared.
func written(t reflect.Type, name string) (m reflect.Method, pos fault.Position, ok bool) {
	for _, receiver := range []reflect.Type{t, reflect.PointerTo(t)} { // the first has the function itself for a value receiver
		if found, has := receiver.MethodByName(name); has {
			m, ok = found, true
			if pos = fault.PositionOf(m.Func); pos.File != "<autogenerated>" {
				return m, pos, true
			}
		}
	}
	if !ok || t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), func(sf reflect.StructField) bool {
		return sf.Anonymous && (has(sf.Type, name) || has(reflect.PointerTo(sf.Type), name))
	}) {
		return m, fault.Position{}, false
	}
	return m, fault.Position{}, true // a method of a generic type, which the compiler wraps
}

func has(t reflect.Type, name string) bool {
	_, ok := t.MethodByName(name)
	return ok
}

// signature returns the arguments and results of a method: "(string) error".
func signature(m reflect.Method) string {
	var in []reflect.Type
	for i := 1; i < m.Type.NumIn(); i++ {
		in = append(in, m.Type.In(i))
	}
	out := make([]reflect.Type, m.Type.NumOut())
	for i := range out {
		out[i] = m.Type.Out(i)
	}
	return strings.TrimPrefix(reflect.FuncOf(in, out, m.Type.IsVariadic()).String(), "func")
}

// methods looks for methods of a struct that were written to be called by flow, and are not.
//
// A method of another package may have its name for reasons of its own, and cannot be changed
// by everyone. So it is a warning, and none if a struct around has the right method, which is
// likely to call it. The same holds for a method that takes arguments, as Validate(currency)
// of the rows of an order does, in the package of the input.
func (n *inspection) methods(t reflect.Type, where place, outer around) {
	if t.Name() == "" {
		return
	}
	n.method(t, validateName, "() error", where, outer.validates)
	if where == inside {
		n.uncalledDefault(t, outer)
		return
	}
	n.method(t, defaultName, "()", where, outer.defaults)
	if m, pos, ok := written(t, defaultName); ok && signature(m) == "()" && has(t, defaultName) {
		n.add(Mistake{Text: fmt.Sprintf("%v.Default has a value as its receiver, so it changes a copy: declare it on *%[1]v", t), Pos: pos, Default: true})
	}
	if where == whole && !has(reflect.PointerTo(t), defaultName) {
		n.ambiguousDefault(t)
	}
}

// method looks at one method, and at those whose names are nearly the same. called says that a
// struct around has the method in its right form.
func (n *inspection) method(t reflect.Type, name, right string, where place, called bool) {
	mine := where == whole || t.PkgPath() == n.pkg
	if m, pos, ok := written(t, name); ok {
		if form := signature(m); form != right && !(called && (!mine || m.Type.NumIn() > 1)) {
			which := fmt.Sprintf("flow calls %s%s", name, right)
			if m.Type.NumOut() == 1 && m.Type.Out(0) != errorType && m.Type.Out(0).Implements(errorType) && right == "() error" {
				which += fmt.Sprintf(", which may return %v", m.Type.Out(0))
			}
			if mine && name == validateName && m.Type.NumIn() > 1 {
				which += "; if you call it yourself, give it another name"
			} else if !mine {
				which += ", and that of the struct around it may call this one"
			}
			n.add(Mistake{Text: fmt.Sprintf("%v.%s%s is never called: %s", t, name, form, which), Pos: pos, Warning: !mine, Default: name == defaultName})
		}
		return
	}
	p := reflect.PointerTo(t)
	if !mine || has(p, name) {
		return
	}
	for near := range p.Methods() {
		if !oneOff(near.Name, name) || signature(near) != right { // Validated() bool is another word
			continue
		}
		if _, pos, ok := written(t, near.Name); ok {
			n.add(Mistake{Text: fmt.Sprintf("%v.%s is never called: did you mean %q?", t, near.Name, name), Pos: pos, Default: name == defaultName})
		}
	}
}

// oneOff reports whether two different texts differ by one letter, or two that are exchanged,
// or by upper and lower case.
func oneOff(a, b string) bool {
	if more := len(a) - len(b); a == b || more > 1 || more < -1 { // most names: they need no table
		return false
	}
	return fault.Distance([]rune(strings.ToLower(a)), []rune(strings.ToLower(b))) <= 1
}

// uncalledDefault looks at the Default of a struct inside of the input. Only that of the input
// itself is called. It may be there for another handler, whose input the struct is.
func (n *inspection) uncalledDefault(t reflect.Type, outer around) {
	if p := reflect.PointerTo(t); p.Implements(defaults) && !outer.defaults && t.PkgPath() == n.pkg {
		_, pos, _ := written(t, defaultName)
		n.add(Mistake{Text: fmt.Sprintf("%v.Default is not called where the struct is inside of another: flow calls Default of the input only, and that can call this one", t), Pos: pos, Warning: true, Default: true})
	}
}

// ambiguousDefault looks for embedded structs of which several have Default, so that Go
// promotes none.
func (n *inspection) ambiguousDefault(t reflect.Type) {
	var names []string
	for i := range t.NumField() {
		if sf := t.Field(i); sf.Anonymous && reflect.PointerTo(pointedTo(sf.Type)).Implements(defaults) {
			names = append(names, sf.Type.String())
		}
	}
	if len(names) > 1 {
		n.add(Mistake{Text: fmt.Sprintf("%v has no Default, since Go promotes none of those of %s: give it one that calls them", t, strings.Join(names, " and ")), Default: true})
	}
}

// uncalled looks at the Validate of a type that is no struct. A struct around it that has one
// is likely to call it.
func (n *inspection) uncalled(t reflect.Type, outer around) {
	if t.Name() == "" || t.PkgPath() == "" || outer.validates || t.Kind() == reflect.Interface {
		return
	}
	if m, pos, ok := written(t, validateName); ok && m.Type.NumIn() == 1 {
		n.add(Mistake{Text: fmt.Sprintf("%v.Validate is not called, since %[1]v is no struct: call it in Validate of the struct that it is in", t), Pos: pos, Warning: true})
	}
}
