package flow

import (
	"fmt"
	"net/http"
	"reflect"

	"example.com/flow/internal/input"
)

// defaultMaxBody is the largest body, in bytes, where nothing else is said.
const defaultMaxBody = 10 << 20

// Data is the data of a request, as Request.All returns it.
type Data map[string]any

// hasBody reports whether r has a body.
func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// readBody reads and checks a body of JSON or a form, once. See input.Body.Load.
func (x *exchange) readBody(r *http.Request, again bool) error {
	return x.body.Load(r, again, func(err error) error {
		x.failed.Store(true)
		return bodyError(err)
	})
}

// bodyError returns what is wrong with a body as an error of flow.
func bodyError(err error) error {
	if e, ok := err.(*input.Error); ok {
		return Error(e.Status, e.Message, e.Cause)
	}
	return err
}

// data reads the body, if nobody has, and returns it. A body that is malformed
// or beyond the limits has no data, and is answered with 400 or 413.
func (r *Request) data() *input.Body {
	x := r.exchange()
	if x.readBody(r.Request, false) != nil {
		return nil
	}
	return x.body
}

// Input returns a value of the request's data, or "": of the body (a form or a
// JSON object) if the key is there, else of the query. Route parameters are not
// among them: see Param. Of a repeated key or a JSON array it is the first value;
// other JSON values that are no strings read as in JSON, and null is "". Of a large
// JSON body nothing is decoded but the values that are asked for.
func (r *Request) Input(key string) string {
	if values := r.Inputs(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Inputs returns all values of a repeated key, or of a JSON array, from where
// Input finds it.
func (r *Request) Inputs(key string) []string {
	return r.data().Inputs(r.Request, key)
}

// All returns the data of the request: the query, and over it the body. A key
// that is repeated in a form or in the query has a []string, other keys have a
// string; JSON has what encoding/json decodes, with numbers as json.Number.
func (r *Request) All() Data {
	return r.data().All(r.Request)
}

// Only returns the data of the keys that are present.
func (r *Request) Only(keys ...string) Data {
	return r.data().Only(r.Request, keys...)
}

// Bind fills the struct that dst points to from the body, JSON or a form, or
// from the query of a request without a body. A key fills the field with that
// form tag, else that json tag, else that name in any case; "-" keeps a field
// out. If there are several spellings of a name, the very name counts, else the
// first in order; of a key that JSON repeats, the last. From a form and the query,
// fields are strings, booleans, numbers, types with UnmarshalText, and pointers and
// slices of these; an empty value leaves all but strings alone.
//
// The fields of embedded structs are filled like its own, by the rules of Go and of
// encoding/json: the one nearer to the outside hides those of its name deeper
// inside; at the same depth a tag comes before a name, and otherwise none of them
// is filled. A hidden field is not filled by another spelling either. An embedded
// pointer that is nil gets a struct when there is something for it; one to an
// unexported type cannot be given any, which is an error.
//
// A value that does not convert, and what dst.Validate() error returns if there
// is such a method, come back as Invalid. An error of Validate that is no
// Invalid comes back unchanged. A body that is malformed or beyond the limits of
// Router.MaxBody, or JSON that is no object, is an Error of status 400 or 413, and a
// body that is neither JSON nor a form one of 415.
//
// JSON may also be bound to any other type, as encoding/json does, and to a
// struct with UnmarshalJSON.
func (r *Request) Bind(dst any) error {
	if v := reflect.ValueOf(dst); v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("flow: Bind needs a pointer to a struct, not a %T", dst)
	}
	x := r.exchange()
	if err := x.readBody(r.Request, false); err != nil {
		return err
	}
	invalid := Invalid{}
	if err := x.body.Bind(r.Request, dst, invalid); err != nil {
		return bodyError(err)
	}
	return validate(dst, invalid)
}

// validate adds what dst itself finds to what did not convert.
func validate(dst any, invalid Invalid) error {
	if v, ok := dst.(interface{ Validate() error }); ok {
		switch err := v.Validate().(type) {
		case nil:
		case Invalid:
			for field, message := range err {
				if _, ok := invalid[field]; !ok {
					invalid[field] = message
				}
			}
		default:
			return err
		}
	}
	if len(invalid) == 0 {
		return nil
	}
	return invalid
}
