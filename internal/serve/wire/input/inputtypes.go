package input

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// A page shows a field in an input element of HTML. Its type follows from the type of the field,
// unless the page asks for another one that fits, by Field.As.

const (
	texts   = 1<<String | 1<<Bytes | 1<<Unmarshals
	numbers = 1<<Integer | 1<<Natural | 1<<Number
	times   = 1 << Time
	values  = texts | numbers | times | 1<<Bool
)

// inputTypes has the types of input elements, and textarea and select, with the kinds of values that
// each can show and send: a set of bits. Buttons hold no value of a field.
var inputTypes = map[string]int{
	"text": texts | numbers, "search": texts | numbers, "tel": texts | numbers, "password": texts | numbers,
	"email": texts, "url": texts, "color": texts, "textarea": texts,
	"number": texts | numbers, "range": texts | numbers,
	"date": texts | times, "datetime-local": texts | times, "month": texts | times, "time": texts | times, "week": texts | times,
	"hidden": values, "radio": values, "select": values, "checkbox": 1 << Bool,
	"file": 1 << File,
}

// InputType returns the type of the input element for a field of type t.
func InputType(t reflect.Type) string {
	switch k := ConversionOf(t).Kind; {
	case k == Bool:
		return "checkbox"
	case k.IsNumber():
		return "number"
	case k == Time:
		return "datetime-local"
	case k == File:
		return "file"
	}
	return "text"
}

// CheckInputType returns an error if there is no input element of a type, or if it does not fit a
// field of type t. Any type fits if t is nil.
func CheckInputType(t reflect.Type, inputType string) error {
	if _, ok := inputTypes[inputType]; !ok {
		return fmt.Errorf("there is no input of type %q%s", inputType, fault.Suggest(inputType, inputTypes, ""))
	}
	if t == nil || fits(t, inputType) {
		return nil
	}
	fitting := slices.DeleteFunc(slices.Sorted(maps.Keys(inputTypes)), func(name string) bool { return !fits(t, name) })
	return fmt.Errorf("an input of type %s does not fit its type, which is %v: choose one of %s", inputType, t, strings.Join(fitting, ", "))
}

// fits reports whether an input element can show a value of type t, and send it. A list has an
// element for each item, or a checkbox for each item that it may have.
func fits(t reflect.Type, inputType string) bool {
	c := ConversionOf(t)
	if c.List && inputType == "checkbox" {
		return c.Converts()
	}
	return inputTypes[inputType]&(1<<c.Kind) != 0
}
