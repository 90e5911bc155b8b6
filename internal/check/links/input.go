package links

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
)

// An Input is what a typed handler reads of a form.
type Input struct {
	of       reflect.Type
	query    bool // the form is sent as a query
	messages input.Messages
}

// InputOf returns what a route reads of a form with a method, or nil if that is not known.
func InputOf(r *site.Route, method string) *Input {
	in := Input{r.Shape.In, method == http.MethodGet, r.Shape.Messages}
	if in.of == nil || len(input.FormNames(in.of, in.query)) == 0 {
		return nil
	}
	return &in
}

// Has reports whether the handler reads a field.
func (in *Input) Has(field string) bool {
	_, _, ok := in.find(field)
	return ok
}

// File reports whether the handler reads a field as a file.
func (in *Input) File(field string) bool {
	to, _, ok := in.find(field)
	return ok && to.Type != nil && input.ConversionOf(to.Type).Kind == input.File
}

// Files returns the fields that the handler reads as files.
func (in *Input) Files() []string {
	return slices.DeleteFunc(input.FormNames(in.of, in.query), func(name string) bool { return !in.File(name) })
}

// Suggest returns the end of a message about a field that the handler does not read.
func (in *Input) Suggest(field string) string {
	_, near, _ := in.find(field)
	return input.SuggestKey(field, near)
}

// Misfit says why the handler cannot read what the element of a field sends, or returns "".
func (in *Input) Misfit(field Field) string {
	to, _, ok := in.find(field.Name)
	if !ok || to.Type == nil {
		return ""
	}
	if err := inputs.CheckElement(to.Type, field.Type, field.Value, field.Lists); err != nil {
		return err.Error()
	}
	return ""
}

// IsAlwaysTrue reports whether the handler takes a field for true if the form does not have it.
func (in *Input) IsAlwaysTrue(field string) bool {
	return inputs.DefaultsToTrue(in.of, in.query, field)
}

// Limit says how a limit of the markup differs from that of the handler, or returns "".
func (in *Input) Limit(field, attr, value string) string {
	return inputs.CheckLimit(in.of, in.query, field, attr, value, in.messages)
}

// find looks for what a field fills. Actions in its name have holes.
func (in *Input) find(field string) (to input.Target, near []string, ok bool) {
	return input.FormTarget(in.of, in.query, strings.ReplaceAll(field, pattern.Hole, input.Unknown))
}
