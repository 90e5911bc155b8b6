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
// unless the page says another one that fits.

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
	switch ConversionOf(t).Kind {
	case Bool:
		return "checkbox"
	case Integer, Natural, Number:
		return "number"
	case Time:
		return "datetime-local"
	case File:
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

// patterned are the types of input elements in which browsers let people enter only some texts.
var patterned = []string{"color", "date", "datetime-local", "email", "month", "number", "range", "time", "url", "week"}

// CheckElement returns an error if an element of a form sends what a field of type t never takes: if a
// browser has no input of its type, or lets people enter there only texts that do not convert; if the
// value that it has does not; or if it sends several values, and the field takes one.
func CheckElement(t reflect.Type, inputType, value string, lists bool) error {
	c := ConversionOf(t)
	_, known := inputTypes[inputType]
	switch {
	case inputType != "" && !known, c.Kind != Bool && slices.Contains(patterned, inputType) && !fits(t, inputType):
		return CheckInputType(t, inputType)
	case lists && !c.List && behindPointers(t).Kind() != reflect.Slice:
		return fmt.Errorf("it may send several values, and its type is %v: make that a list", t)
	case value != "" && c.Converts():
		return CheckOption(t, reflect.TypeFor[string](), value)
	}
	return nil
}

// CheckOption returns an error if a field of type t, which a form shows by the texts of its values,
// never has a value of another type, or never the constant if that is not nil.
func CheckOption(t, of reflect.Type, constant any) error {
	if of.Kind() == reflect.Interface {
		return nil
	}
	field, value := ConversionOf(t), ConversionOf(of)
	switch {
	case value.List || !value.Converts() || field.Kind == File:
		return fmt.Errorf("it never has a %v, which is no value of a form", of)
	case constant != nil:
		text := fmt.Sprint(constant)
		item := t
		if field.List {
			item = behindPointers(t).Elem()
		}
		to := binding{}
		to.value(reflect.New(item).Elem(), field.Kind, "", text)
		if text != "" && to.invalid != nil {
			return fmt.Errorf("its type is %v, and it never has the value %#v", t, constant)
		}
	case value.Kind == Unmarshals || value.Kind == field.Kind || value.Kind == String || value.Kind == Bytes:
	case field.Kind == Bool || field.Kind == Time || numbers&(1<<field.Kind) != 0 && numbers&(1<<value.Kind) == 0:
		return fmt.Errorf("its type is %v, and it never has a %v", t, of)
	}
	return nil
}
