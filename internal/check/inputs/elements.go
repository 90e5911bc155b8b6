package inputs

import (
	"fmt"
	"reflect"
	"slices"

	"example.com/flow/internal/serve/wire/input"
)

// patterned are the types of input elements in which browsers let people enter only some texts.
var patterned = []string{"color", "date", "datetime-local", "email", "month", "number", "range", "time", "url", "week"}

// Misfit says why the handler cannot read what an element of a form sends for a field, or returns "".
// isList says that the element may send several values.
func (f *FormInput) Misfit(field, inputType, value string, isList bool) string {
	to, _, ok := f.find(field)
	if !ok || to.Type == nil {
		return ""
	}
	if err := checkElement(to.Type, inputType, value, isList); err != nil {
		return err.Error()
	}
	return ""
}

// checkElement returns an error if an element of a form sends what a field of type t never takes: if a
// browser has no input of its type, or lets people enter there only texts that do not convert; if the
// value that it has does not; or if it sends several values, and the field takes one.
func checkElement(t reflect.Type, inputType, value string, isList bool) error {
	c, limited := input.ConversionOf(t), t
	if c.Kind == input.Bool || !slices.Contains(patterned, inputType) {
		limited = nil // any type that HTML has will do
	}
	if inputType != "" {
		if err := input.CheckInputType(limited, inputType); err != nil {
			return err
		}
	}
	switch {
	case isList && !c.List && input.BehindPointers(t).Kind() != reflect.Slice:
		return fmt.Errorf("it may send several values, and its type is %v: make that a list", t)
	case value != "" && c.Converts():
		return checkOption(t, reflect.TypeFor[string](), value)
	}
	return nil
}

// checkOption returns an error if a field of type t, which a form shows by the texts of its values,
// never has a value of another type, or never the constant if that is not nil.
func checkOption(t, of reflect.Type, constant any) error {
	if of.Kind() == reflect.Interface {
		return nil
	}
	field, value := input.ConversionOf(t), input.ConversionOf(of)
	switch {
	case value.List || !value.Converts() || field.Kind == input.File:
		return fmt.Errorf("it never has a %v, which is no value of a form", of)
	case constant != nil:
		if text := fmt.Sprint(constant); text != "" && !takesText(t, field, text) {
			return fmt.Errorf("its type is %v, and it never has the value %#v", t, constant)
		}
	case value.Kind == input.Unmarshals || value.Kind == field.Kind || value.Kind == input.String || value.Kind == input.Bytes:
	case field.Kind == input.Bool || field.Kind == input.Time || field.Kind.IsNumber() && !value.Kind.IsNumber():
		return fmt.Errorf("its type is %v, and it never has a %v", t, of)
	}
	return nil
}

// takesText reports whether a text converts to a value of type t, or to an item of a list.
func takesText(t reflect.Type, c input.Conversion, text string) bool {
	if c.List {
		t = input.BehindPointers(t).Elem()
	}
	_, ok := input.Convert(reflect.New(t).Elem(), text)
	return ok && c.Converts()
}
