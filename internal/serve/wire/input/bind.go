package input

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/wire/reply"
)

// Params has the values of route parameters. flow.Request implements it.
type Params interface {
	Param(name string) string
	Segments(name string) []string
}

// Bind fills the value that dst points to from the body, or from the query of r if there is
// no body. Fields with the tag param or query are filled from the route or from the query.
// Then it calls the Validate methods of dst and of the structs inside. It returns messages
// about values that do not convert or are invalid, by path. The function messages extracts
// those from an error of Validate, which have no code.
//
// strict is for the input of a typed handler: a parameter of the route that does not convert is
// an Error of status 404, since there is no such page. Check has looked for mistakes in its type. It
// does not know other types: isFirst says that this call is the first one for such a type.
func (b *Body) Bind(r *http.Request, route Params, dst any, strict bool, messages Messages) (invalid map[string]reply.Message, isFirst bool, err error) {
	p := PlanOf(reflect.TypeOf(dst).Elem())
	isFirst = !strict && !p.bound.Load() && p.bound.CompareAndSwap(false, true)
	invalid, err = b.bind(r, route, dst, p, &binding{strict: strict}, messages)
	return invalid, isFirst, err
}

// BindForm is a strict Bind that also returns what the request has sent in a form: in its body or,
// if it has none, in its query.
func (b *Body) BindForm(r *http.Request, route Params, dst any, messages Messages) (sent Sent, invalid map[string]reply.Message, err error) {
	to := binding{strict: true, shows: true}
	invalid, err = b.bind(r, route, dst, PlanOf(reflect.TypeOf(dst).Elem()), &to, messages)
	return to.sent, invalid, err
}

func (b *Body) bind(r *http.Request, route Params, dst any, p *FieldPlan, to *binding, messages Messages) (invalid map[string]reply.Message, err error) {
	if p.Err != nil {
		return nil, p.Err
	}
	to.dst = reflect.ValueOf(dst).Elem()
	to.copies = newCopies(to.dst)
	if err = b.fill(r, route, dst, p, to); err != nil {
		return nil, err
	}
	return p.validate(dst, to, messages)
}

// Fill is a strict Bind without Validate.
func (b *Body) Fill(r *http.Request, route Params, dst any) (invalid map[string]reply.Message, err error) {
	v := reflect.ValueOf(dst).Elem()
	to := binding{dst: v, copies: newCopies(v), strict: true}
	err = b.fill(r, route, dst, PlanOf(v.Type()), &to)
	return to.invalid, err
}

// Unconverted returns what Bind says of the texts of a form that do not convert for a struct type, by
// path. query says that the form is a query, and beside that there is a body, too.
func Unconverted(t reflect.Type, form url.Values, query, beside bool) (invalid map[string]reply.Message) {
	defer func() {
		if recover() != nil { // in a method that decodes
			invalid = nil
		}
	}()
	p, to := PlanOf(t), binding{dst: reflect.New(t).Elem()}
	if p.Data != nil && !(query && beside) {
		to.form(p.Data, form, query)
	}
	if p.Data != nil && query {
		to.form(p.Query, form, false)
	}
	return to.invalid
}

func (b *Body) fill(r *http.Request, route Params, dst any, p *FieldPlan, to *binding) error {
	var c content
	if b != nil && (p.Decodes || p.needsData()) {
		c = b.content
	}
	whole := c.json && (p.Decodes || p.jsonOnly)
	switch {
	case whole:
		to.copies.detach(to.dst, c.raw[skipSpace(c.raw, 0):])
		if err := json.Unmarshal(c.raw, dst); err != nil || p.mayHoldNaN && findNaN(to.dst.Type(), c.raw) != nil {
			return bad(reply.BodyUnexpected)
		}
	case c.json && !c.object:
		return bad(reply.BodyNotObject)
	case c.json:
	case p.jsonOnly && (c.form != nil || c.unparsed && !isEmpty(r)):
		return &Error{Status: http.StatusUnsupportedMediaType, Message: reply.BodyNeedsJSON}
	case p.jsonOnly:
		return bad(reply.BodyEmpty)
	case c.unparsed && !isEmpty(r):
		return &Error{Status: http.StatusUnsupportedMediaType, Message: reply.BodyOtherType}
	}
	if p.jsonOnly {
		return nil
	}
	hasBody := c.json || c.form != nil
	var query url.Values
	if r.URL.RawQuery != "" && (!hasBody || len(p.Query.List) > 0) {
		query = r.URL.Query()
	}
	to.route(p.Route, route)
	if to.strict && len(to.invalid) > 0 && to.err == nil {
		return &Error{Status: http.StatusNotFound}
	}
	switch {
	case !hasBody:
		to.sent = Sent(query)
		to.form(p.Data, query, true)
	case !c.json:
		to.sent = Sent(c.form)
		to.form(p.Data, c.form, false)
		if p.TakesFiles {
			to.files(p.Data, &c)
		}
	case !whole:
		to.object(p.Data, c.raw)
	}
	to.form(p.Query, query, false)
	return to.err
}

// A binding is one call of Bind.
type binding struct {
	dst         reflect.Value
	copies      *copies                  // nil if dst was new
	filled      [][]int                  // indexes of fields with a tag param or query that have got a value
	invalid     map[string]reply.Message // messages about what does not convert, by path; nil if there are none
	unconverted map[string]bool          // the keys that these messages are about, by fold.Case
	shows       bool                     // a page may show sent
	sent        Sent                     // the form that fills dst, if one does
	path        []byte                   // of what is filled inside of the input from a form: "items.0.name"
	made        int                      // rows, and structs behind pointers, that keys of forms with dots have made
	strict      bool                     // a parameter of the route that does not convert is an error
	err         error                    // why a field cannot be filled whatever the request holds; nil for most types
}

// reject notes that the value of a key does not convert. key is "" for what binding.path leads
// to. path leads to what is wrong inside of the value, and is "" for all of it.
func (to *binding) reject(key, path string, message reply.Message) {
	if to.invalid == nil {
		to.invalid = map[string]reply.Message{}
	}
	key = join(string(to.path), key)
	to.invalid[join(key, path)] = message
	if to.unconverted == nil {
		to.unconverted = map[string]bool{}
	}
	to.unconverted[fold.Case(key)] = true
}

// field returns a field for filling. ok is false if a source that goes before has filled it,
// and if it cannot be filled: see binding.err.
func (to *binding) field(f *Field) (v reflect.Value, ok bool) {
	if slices.ContainsFunc(to.filled, func(index []int) bool { return slices.Equal(index, f.Path) }) {
		return v, false
	}
	if f.FromURL {
		to.filled = append(to.filled, f.Path)
	}
	if v, ok = to.copies.field(to.dst, f.Path, true); !ok {
		to.err = fmt.Errorf("flow: Bind cannot fill %q: it is in an embedded %v, which is nil and cannot be set from outside its package: embed the struct itself, or set the pointer before", f.Name, v.Type())
	}
	return v, ok
}

// route fills fields from the parameters of the route.
func (to *binding) route(fs *Fields, params Params) {
	for _, f := range fs.List {
		text := params.Param(f.Name)
		if text == "" { // the URL does not have the parameter: its value is never empty
			continue
		}
		v, ok := to.field(f)
		switch {
		case !ok:
		case f.Converts.List:
			to.values(v, f.Converts, f.Name, params.Segments(f.Name))
		default:
			to.values(v, f.Converts, f.Name, []string{text})
		}
	}
}

// object fills fields from the members of a valid JSON object.
func (to *binding) object(fs *Fields, raw []byte) {
	var few [8]choice[json.RawMessage] // on the stack, enough for most structs
	choices := slices.Grow(few[:0], len(fs.List))[:len(fs.List)]
	for m := range members(raw, 0) {
		if i, ok := fs.find(string(m.key)); ok {
			key := fs.List[i].Name
			if key != string(m.key) { // only another spelling needs an allocation
				key = string(m.key)
			}
			choices[i].offer(fs.List[i].Name, key, raw[m.begin:m.end])
		}
	}
	for i, c := range choices {
		if c.key == "" {
			continue
		}
		v, ok := to.field(fs.List[i])
		if !ok {
			continue
		}
		to.copies.detach(v, c.value)
		if fs.List[i].IsFile() { // encoding/json would make a header without a file
			to.noFile(v, c.key, c.value)
		} else if quoted := fs.List[i].Quoted; quoted != nil {
			to.quoted(v, quoted, c.key, c.value)
		} else if converts := fs.List[i].Converts; !converts.plain || !setPlain(v, converts.Kind, c.value) {
			to.json(v, fs.List[i], c.key, c.value)
		}
	}
}

// form fills fields from a form or from the query. forBody says that it is the query of a request
// without a body. Fields with a tag query are left out then: they are filled by that name only.
func (to *binding) form(fs *Fields, form url.Values, forBody bool) {
	if len(form) == 0 {
		return
	}
	choices := make([]choice[[]string], len(fs.List))
	var deep []deepKey
	for key, values := range form {
		if i, ok := fs.find(key); ok {
			choices[i].offer(fs.List[i].Name, key, values)
		} else if k, ok := fs.deep(key, values); ok {
			deep = append(slices.Grow(deep, len(form)-len(deep)), k)
		}
	}
	for i, c := range choices {
		if c.key == "" || forBody && fs.List[i].fromQuery {
			continue
		}
		if v, ok := to.field(fs.List[i]); ok {
			to.values(v, fs.List[i].Converts, c.key, c.value)
		}
	}
	if len(deep) == 0 {
		return
	}
	if to.shows {
		to.sent = maps.Clone(to.sent)
		for _, k := range deep {
			delete(to.sent, k.key)
		}
	}
	slices.SortFunc(deep, deepKey.compare)
	for first, rest := group(deep); len(first) > 0; first, rest = group(rest) {
		f := fs.List[first[0].index]
		if forBody && f.fromQuery {
			continue
		}
		if v, ok := to.field(f); ok {
			to.deep(v, f.Converts, f.Name, first)
		}
	}
	if to.made > maxMade && to.err == nil {
		message := reply.BodyTooManyValues
		if forBody {
			message = reply.QueryTooManyValues
		}
		to.err = &Error{http.StatusBadRequest, message,
			fmt.Errorf("a form of %d keys makes more than %d rows and structs behind pointers", len(form), maxMade)}
	}
}

// isEmpty reports whether a body that was not read is empty. It reads the first byte, since a
// body may have no Content-Length, and leaves the whole body in r.Body.
func isEmpty(r *http.Request) bool {
	if r.Body == nil {
		return true
	}
	body := bufio.NewReader(r.Body)
	_, err := body.Peek(1)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	return err == io.EOF
}

// quoted fills a field that has the JSON option ",string". It has encoding/json fill a struct
// of type alone, whose only field V has the same type and option, so that the same values are
// accepted.
func (to *binding) quoted(f reflect.Value, alone reflect.Type, key string, raw json.RawMessage) {
	v, ok := decodeQuoted(alone, f, raw)
	if !ok {
		to.reject(key, "", reply.MustBeQuoted(*ConversionOf(f.Type()).must))
	}
	f.Set(v)
}

// json fills a field with a value of JSON. Of several values inside that do not convert, the
// first is reported.
func (to *binding) json(v reflect.Value, f *Field, key string, raw json.RawMessage) {
	var m *mismatch
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		if m = findMismatch(f.Go.Type, raw); m == nil {
			m = &mismatch{message: reply.IsInvalid}
		}
	} else if f.mayHoldNaN {
		if m = findNaN(f.Go.Type, raw); m != nil {
			v.SetZero()
		}
	}
	if m != nil {
		to.reject(key, m.path, m.message)
	}
}
