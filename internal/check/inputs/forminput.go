package inputs

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
)

// A FormInput is what a typed handler reads of a form of a page.
type FormInput struct {
	of       reflect.Type
	query    bool // the form is sent as a query
	messages input.Messages
}

// FormInputOf returns what a route reads of a form with a method, or nil if that is not known.
func FormInputOf(r *site.Route, method string) *FormInput {
	f := FormInput{r.Shape.In, method == http.MethodGet, r.Shape.Messages}
	if f.of == nil || len(input.FormNames(f.of, f.query)) == 0 {
		return nil
	}
	return &f
}

// Has reports whether the handler reads a field.
func (f *FormInput) Has(field string) bool {
	_, _, ok := f.find(field)
	return ok
}

// File reports whether the handler reads a field as a file.
func (f *FormInput) File(field string) bool {
	to, _, ok := f.find(field)
	return ok && to.Type != nil && input.ConversionOf(to.Type).Kind == input.File
}

// Files returns the fields that the handler reads as files.
func (f *FormInput) Files() []string {
	return slices.DeleteFunc(input.FormNames(f.of, f.query), func(name string) bool { return !f.File(name) })
}

// Suggest returns the end of a message about a field that the handler does not read.
func (f *FormInput) Suggest(field string) string {
	_, near, _ := f.find(field)
	return input.SuggestKey(field, near)
}

// IsAlwaysTrue reports whether Default sets the boolean that a field fills, so that the handler takes it
// for true if the form does not have it.
func (f *FormInput) IsAlwaysTrue(field string) bool {
	v, ok := f.defaultOf(field)
	for ok && v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return ok && v.Kind() == reflect.Bool && v.Bool()
}

// defaultOf returns the value that Default gives what a field fills. ok is false if there is no such
// field, or if Default panics.
func (f *FormInput) defaultOf(field string) (v reflect.Value, ok bool) {
	defer func() {
		if recover() != nil { // no request has called it
			ok = false
		}
	}()
	return input.FormValue(input.NewDefault(f.of).Elem(), f.query, field)
}

// find looks for what a field fills. Actions in its name have holes.
func (f *FormInput) find(field string) (to input.Target, near []string, ok bool) {
	return input.FormTarget(f.of, f.query, strings.ReplaceAll(field, pattern.Hole, input.Unknown))
}
