// Package forms inspects the values that an application registers. For each form that a
// handler may have, the root asks whether the value converts to it:
//
//	h, ok := forms.Convert[func(*Request) Response](value)
//
// The package also finds the name of a function, finds the method of a controller by its name,
// and checks the names of HTTP methods.
package forms

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// IsNil reports whether v is nil, or holds a nil pointer, function, map, slice or channel.
func IsNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Func, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}

// Convert returns v converted to F. ok is false if the type of v does not convert to F.
func Convert[F any](v any) (f F, ok bool) {
	if f, ok := v.(F); ok {
		return f, true
	}
	want := reflect.TypeFor[F]()
	if got := reflect.ValueOf(v); got.Type().ConvertibleTo(want) {
		return got.Convert(want).Interface().(F), true
	}
	return f, false
}

// Method returns the method of a controller with a name, and the position of its code. The
// controller must not be nil.
func Method(controller any, method string) (f any, pos fault.Position, err error) {
	v := reflect.ValueOf(controller)
	m, ok := v.Type().MethodByName(method)
	if !ok {
		if v.Kind() != reflect.Pointer {
			if _, ok := reflect.PointerTo(v.Type()).MethodByName(method); ok {
				return nil, fault.Position{}, fmt.Errorf("%s.%s has a pointer receiver: give &%[1]s{…}", v.Type(), method)
			}
		}
		for m := range v.Type().Methods() {
			if strings.EqualFold(m.Name, method) {
				return nil, fault.Position{}, fmt.Errorf("%s has no exported method %q: it has %s", v.Type(), method, m.Name)
			}
		}
		return nil, fault.Position{}, fmt.Errorf("%s has no exported method %q", v.Type(), method)
	}
	return v.Method(m.Index).Interface(), fault.PositionOf(m.Func), nil
}

// OneLine returns a list of forms, which has a line for each, as one line: a report has one
// line for each fault.
func OneLine(forms string) string {
	return strings.NewReplacer("\n\t", "; ", "one of\n\t", "one of ").Replace(forms)
}

// Methods are the HTTP methods that have a call of their own, such as GET(). ANY() stands for
// these and all others.
var Methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodHead, http.MethodOptions}

// CheckMethod returns an error for a text that is no method, or is one of Methods in lower case.
func CheckMethod(method string) error {
	if method == "ANY" {
		return fmt.Errorf("%q is no method: call ANY() for every method", method)
	}
	if method == "" {
		return fmt.Errorf("a method has a name, such as \"PROPFIND\"")
	}
	for _, c := range []byte(method) {
		token := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
		if !token {
			return fmt.Errorf("%q is not a method (RFC 9110, section 5.6.2)", method)
		}
	}
	if upper := strings.ToUpper(method); upper != method && slices.Contains(Methods, upper) {
		return fmt.Errorf("methods are case-sensitive: write %q, not %q", upper, method)
	}
	return nil
}

// CompareMethods orders methods: those of Methods first and in that order, ANY last.
func CompareMethods(a, b string) int {
	rank := func(method string) int {
		if method == "ANY" {
			return len(Methods) + 1
		}
		if i := slices.Index(Methods, method); i >= 0 {
			return i
		}
		return len(Methods)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}
