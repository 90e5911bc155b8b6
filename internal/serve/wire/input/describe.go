package input

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/wire/reply"
)

// A Field is a field of a struct or of what is embedded in it, for those who describe what Bind
// reads and what encoding/json writes.
type Field struct {
	Name    string // the key
	Type    reflect.Type
	Tag     reflect.StructTag
	Path    []int // as for reflect.Value.FieldByIndex
	Quoted  bool  // it has the option ",string" of JSON, and a type that knows it
	AnyCase bool  // a key in another case fills it, too
}

// Sources has the fields of a struct type that Bind fills, in the order in which they are written.
type Sources struct {
	Data    []Field // from the body, or from the query of a request without one
	Query   []Field // from the query, by the tag query
	Route   []Field // from the parameters of the route
	Decodes bool    // the type decodes a body of JSON by itself
}

// SourcesOf returns the fields of a struct type that Bind fills.
func SourcesOf(t reflect.Type) Sources {
	p := planOf(t)
	return Sources{p.data.described(), p.query.described(), p.route.described(), p.custom}
}

// ReadFields returns the fields that JSON fills in a struct inside of an input.
func ReadFields(t reflect.Type) []Field { return fieldsInside(t).described() }

// WrittenFields returns the fields of a struct type that encoding/json writes.
func WrittenFields(t reflect.Type) []Field { return newFields(t, asWritten).described() }

// DecodesItself reports whether values of type t decode themselves from JSON or text.
func DecodesItself(t reflect.Type) bool { return decodesItself(t) }

func (fs *fields) described() (list []Field) {
	for place, f := range fs.list {
		folded, ok := fs.folded[fold.Case(f.name)]
		anyCase := ok && folded == place
		list = append(list, Field{f.name, f.sf.Type, f.sf.Tag, f.index, f.quoted != nil, anyCase})
	}
	slices.SortFunc(list, func(a, b Field) int { return slices.Compare(a.Path, b.Path) })
	return list
}

// Example returns what Bind fills a new struct with from a request, before Validate. ok is false if the
// request cannot be read or has a value that does not convert. The body of the request is read.
func Example(t reflect.Type, r *http.Request, route Params) (dst reflect.Value, ok bool) {
	defer func() {
		if recover() != nil { // in Default, or in a method that decodes
			ok = false
		}
	}()
	var b *Body
	if r.Body != nil {
		b = New(nil, r, 0, false, false)
		defer b.End()
		if b.Load(r, false) != nil {
			return dst, false
		}
	}
	dst = newDefault(t)
	to := binding{dst: dst.Elem(), copies: newCopies(dst.Elem()), strict: true}
	err := b.fill(r, route, dst.Interface(), planOf(t), &to)
	return dst, err == nil && len(to.invalid) == 0
}

// Unconverted returns what Bind says of the texts of a form that do not convert for a struct type, by
// path. query says that the form is a query, and beside that there is a body, too.
func Unconverted(t reflect.Type, form url.Values, query, beside bool) (invalid map[string]reply.Message) {
	defer func() {
		if recover() != nil { // in a method that decodes
			invalid = nil
		}
	}()
	p, to := planOf(t), binding{dst: reflect.New(t).Elem()}
	if p.data != nil && !(query && beside) {
		to.form(p.data, form, query)
	}
	if p.data != nil && query {
		to.form(p.query, form, false)
	}
	return to.invalid
}
