package flow

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/serve/wire/input"
)

// A Form is the input of a handler that is to run with invalid input, too, to show the form
// again with what was entered:
//
//	func add(req *flow.Request, in flow.Form[user]) (flow.Response, error) {
//		if in.Wrong != nil {
//			return usersPage(usersData{in}).Status(422), nil // of PageOf
//		}
//		…
//	}
//
// Its method Field is for the page. A form that is new is the zero Form, or one with the Value to
// begin with.
//
// If T has files, the handler runs with a multipart form that is larger than MaxBody, too: Wrong
// says so of each field for files, and Value has the texts in front of them.
type Form[T any] struct {
	Value T       // what the request has, as far as it converts
	Wrong Invalid // what is wrong with it, by field; nil if nothing is

	sent input.Sent
}

func (f *Form[T]) of() reflect.Type { return reflect.TypeFor[T]() }
func (f *Form[T]) value() any       { return &f.Value }

func (f *Form[T]) set(wrong Invalid, sent input.Sent) {
	if f.sent = sent; len(wrong) > 0 {
		f.Wrong = wrong
	}
}

// A typedForm is a Form of any type.
type typedForm interface {
	of() reflect.Type
	value() any
	set(Invalid, input.Sent)
}

// Field returns what a page needs to show a field of a form: its name and value, and what is wrong
// with it. A template hands it to a partial, in which the markup of all fields stands:
//
//	{{template "+field" (dict "of" (.Form.Field "email") "label" "Email")}}
//
// The key of the field is the one that the form sends it under. It may be given in parts, of which
// numbers are those of rows: {{.Form.Field "items" $i "name"}} is "items.0.name". A key that fills
// nothing is an error, also that of a whole struct or row.
//
// The Value of a Field is the text that the request has sent, as it was typed, if it has sent one in
// a form. So a handler that changes Form.Value, and shows the same Form again, shows what was
// typed; a new Form with that Value shows the Value. For the same reason a page leaves out a row
// that is to go, and a handler does not cut it out of Form.Value: the rows behind it would be shown
// with what was typed in front of them. Else it is that field of Form.Value, as a form
// would send it; and "" if Form.Value is the zero value, so that a new form does not begin with 0.
//
// Required is found out from T: its method Validate is called on a new T, after Default, and on
// others in which the fields have some value, once for each T at its first Field. A field is required
// if Validate has a message for it, also if all other fields have a value. A Validate that panics
// says nothing.
func (f Form[T]) Field(key ...any) (Field, error) {
	return fieldOf(reflect.TypeFor[T](), reflect.ValueOf(f.Value), f.Wrong, f.sent, key)
}

// A Field is a field of a form, for the page that shows it: see Form.Field.
type Field struct {
	Name string // the key that the form sends it under

	// ID is for the element and its label. Each field of a form has another one. It is the Name,
	// with "--" for a dot: "items--0--name". It is a name in CSS, too: a Name that is not made of
	// letters, digits, "_" and single hyphens gets one of hexadecimal digits.
	ID string

	// Type is that of the input element: text, number, checkbox, file or datetime-local by the type
	// in Go, or the one that As was given.
	Type string

	Value    string   // the first of a list; always "" if Type is password or file
	Values   []string // of a list
	Checked  bool     // the value is true
	Required bool     // the form is not valid without a value
	Wrong    string   // the message of Form.Wrong, or ""

	goType reflect.Type  // nil if the application has made the Field
	value  reflect.Value // of which Value is the text; the zero Value if there is none, or if the request has sent Value
}

// As returns a Field for an input element of another type, as "date", "email", "password" or
// "hidden", or for "textarea" or "select". It changes the Value of a time to the layout of that
// type: UTC, and with seconds unless they are 0. The Value of a password or a file is never shown.
//
// A type that HTML does not have is an error, and one that does not fit the type in Go, as "date"
// for an int.
func (f Field) As(inputType string) (Field, error) {
	if err := input.CheckInputType(f.goType, inputType); err != nil {
		return f, fmt.Errorf("flow: the field %q: %w", f.Name, err)
	}
	if f.Type != inputType {
		f.Type = inputType
		f.show()
	}
	return f, nil
}

// Has reports whether the field has a value, or whether a list does. It is for the options of a
// select, for radio buttons, and for checkboxes of one name:
//
//	<option{{if $lang.Has .}} selected{{end}}>{{.}}</option>
//
// The value is compared as a form would send it, so that 7 is "7".
func (f Field) Has(value any) bool {
	text := ""
	if v := reflect.ValueOf(value); v.IsValid() {
		texts := input.Texts(v, f.Type)
		if len(texts) > 1 {
			return false
		}
		text = strings.Join(texts, "")
	}
	if f.Values != nil || f.isList() {
		return slices.Contains(f.Values, text)
	}
	return f.Value == text
}

func (f Field) isList() bool { return f.goType != nil && input.ConversionOf(f.goType).List }

// show sets what depends on Type.
func (f *Field) show() {
	switch {
	case f.Type == "password" || f.Type == "file": // nothing of it is kept, as all of a Field may be printed
		f.Value, f.Values, f.value = "", nil, reflect.Value{}
	case f.value.IsValid():
		f.setTexts(input.Texts(f.value, f.Type))
	}
}

func (f *Field) setTexts(texts []string) {
	if f.isList() {
		f.Values = texts
	}
	if len(texts) > 0 {
		f.Value = texts[0]
	}
}

// fieldOf is Form.Field for a Form of type t.
func fieldOf(t reflect.Type, value reflect.Value, wrong Invalid, sent input.Sent, key []any) (Field, error) {
	name, err := input.FieldKey(key)
	if err != nil {
		return Field{}, err
	}
	to, query, err := input.FieldTarget(t, name, false)
	if err != nil {
		return Field{}, err
	}
	f := Field{
		Name:     name,
		ID:       input.FieldID(name),
		Type:     input.InputType(to.Type),
		Required: input.RequiredPaths(t, invalidOf)[to.FirstRow],
		Wrong:    input.FieldMessage(t, wrong, name, to.Path),
		goType:   to.Type,
	}
	if texts, ok := sent.Texts(t, to); ok {
		f.setTexts(texts)
	} else if !value.IsZero() {
		f.value, _ = input.FormValue(value, query, name)
	}
	f.show()
	f.Checked = f.Type == "checkbox" && f.Value == "true" && !f.isList()
	return f, nil
}
