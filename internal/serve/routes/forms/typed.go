package forms

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
)

// A Signature is what a typed handler says of itself: what it reads of a request, and what it answers with.
type Signature struct {
	In    reflect.Type // a struct, or a flow.Form of one; nil if the handler takes no input
	Bound reflect.Type // what a request fills: In, or what In is a Form of
	Out   reflect.Type // nil if the handler returns nothing but an error
	Data  reflect.Type // Out, unless that is a string or a flow.Response
}

// Signatures reads signatures. Its fields are the types of the root package that may be in them.
type Signatures struct {
	Request, Response reflect.Type
	Form              reflect.Type                            // the interface that pointers to flow.Forms implement, and to structs that embed one
	FormOf            func(reflect.Type) (bound reflect.Type) // of a type whose pointer implements Form
}

var (
	errorType  = reflect.TypeFor[error]()
	stringType = reflect.TypeFor[string]()
)

// Parse returns the signature of a typed handler. ok is false for any other type, and err tells what is
// wrong with one that is nearly the type of a typed handler.
func (s Signatures) Parse(t reflect.Type) (h Signature, ok bool, err error) {
	if t.Kind() != reflect.Func || t.IsVariadic() || t.NumIn() == 0 || t.NumIn() > 2 || t.In(0) != s.Request {
		return h, false, nil
	}
	if t.NumOut() == 0 || t.NumOut() > 2 || t.Out(t.NumOut()-1) != errorType || t.NumIn()+t.NumOut() == 2 {
		return h, false, nil
	}
	if t.NumOut() == 2 {
		h.Out = t.Out(0)
		if err := s.checkOut(h.Out); err != nil {
			return h, false, err
		}
		if h.Out != s.Response && h.Out != stringType {
			h.Data = h.Out
		}
	}
	if t.NumIn() == 1 {
		return h, true, nil
	}
	h.In, h.Bound = t.In(1), t.In(1)
	if reflect.PointerTo(h.In).Implements(s.Form) {
		h.Bound = s.FormOf(h.In)
		if err := s.checkEmbedded(h.In); err != nil {
			return h, false, err
		}
	}
	switch {
	case h.Bound.Kind() == reflect.Pointer && h.Bound.Elem().Kind() == reflect.Struct:
		return h, false, fmt.Errorf("the input of the handler is a %v: it gets a new struct for each request, so take a %v", h.Bound, h.Bound.Elem())
	case h.Bound.Kind() != reflect.Struct:
		return h, false, fmt.Errorf("the input of the handler is a %v: take a struct, or a flow.Form of one", h.Bound)
	}
	return h, true, nil
}

// checkEmbedded checks a struct that embeds a Form, and so is one itself. A request fills that Form and
// nothing beside it: a field with a tag is a mistake, and one without may be for what the handler adds
// for the page.
func (s Signatures) checkEmbedded(in reflect.Type) error {
	for i := range in.NumField() {
		f := in.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Implements(s.Form) {
			return fmt.Errorf("the input of the handler is a %v, which embeds a pointer to a flow.Form: nothing sets it, so embed the Form itself", in)
		}
		for _, key := range []string{"param", "query", "form"} {
			if _, ok := f.Tag.Lookup(key); ok {
				return fmt.Errorf("the input of the handler is a %v, of which only the flow.Form in it is filled, and not %s: give that field to the type that it is a Form of", in, f.Name)
			}
		}
	}
	return nil
}

// checkOut returns an error for an output that would be sent as data, and is likely to be meant
// otherwise. An interface is refused if a Response or an error fits in it: a handler that
// returns one there would answer 200 with an empty object. Other interfaces are data of several
// types. A Form is the data of a page, and a type of one's own that is an error may be data, as
// an Invalid is for a script that checks a field.
func (s Signatures) checkOut(t reflect.Type) error {
	isInterface := t.Kind() == reflect.Interface
	switch {
	case isInterface && t.NumMethod() == 0:
		return fmt.Errorf("the handler returns a value of any type, and a flow.Response or an error in it would be sent as data: name the type, or return a flow.Response")
	case t == reflect.PointerTo(s.Response) || isInterface && s.Response.Implements(t):
		return fmt.Errorf("the handler returns %v, which would be sent as data: return a flow.Response", t)
	case isInterface && t.Implements(errorType):
		return fmt.Errorf("the handler returns %v as its data: return an error as the second result", t)
	case t.Implements(reflect.TypeFor[http.Handler]()):
		return fmt.Errorf("the handler returns %v as its data: return the flow.Response of flow.Handler", t)
	case t.Implements(reflect.TypeFor[io.Reader]()) && !t.Implements(reflect.TypeFor[json.Marshaler]()):
		return fmt.Errorf("the handler returns %v as its data, of which nothing would be read: return the flow.Response of flow.Bytes or flow.Handler", t)
	}
	return nil
}

// IsText reports whether the handler answers with a text.
func (h Signature) IsText() bool { return h.Out == stringType }

// CheckStatus returns an error if a handler cannot have a status for what it returns.
func (h Signature) CheckStatus(status int) error {
	switch {
	case h.Data == nil && h.Out != nil:
		return fmt.Errorf("Status(%d) is for handlers that return data, or nothing but an error: this one says its status with Response.Status", status)
	case status < 200 || status > 299:
		return fmt.Errorf("Status(%d) is the status of an answer that is no error: give one from 200 to 299; an error has its own", status)
	case h.Out != nil && (status == http.StatusNoContent || status == http.StatusResetContent):
		return fmt.Errorf("Status(%d): such an answer has no body (RFC 9110, section 15.3), and the handler returns %v: have it return nothing but an error", status, h.Out)
	}
	return nil
}
