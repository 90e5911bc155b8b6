package inputs

import (
	"reflect"
	"strings"

	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/wire/input"
)

// A checkedField is what the check of templates knows of a Field.
type checkedField struct {
	of   reflect.Type // nil if the name is not known
	name string
}

// FieldCalls returns what says what is wrong about a call of Form.Field, Field.As or Field.Has in a template,
// and which field it speaks of. It goes by the rules of the methods themselves. field is the type flow.Field.
func FieldCalls(s forms.Signatures, field reflect.Type) func(typecheck.Call) typecheck.Verdict {
	return func(c typecheck.Call) typecheck.Verdict {
		known, _ := c.Known.(checkedField)
		switch {
		case c.Receiver == field && c.Name == "As":
			return known.checkAs(c)
		case c.Receiver == field && c.Name == "Has":
			return known.checkHas(c.Args[0])
		case c.Name == "Field" && hasFieldOfForm(c.Receiver, s, field):
			return checkFieldKey(s.FormOf(c.Receiver), c.Args)
		}
		return typecheck.Verdict{}
	}
}

// hasFieldOfForm reports whether the method Field of a type is that of a flow.Form: the type is one, or a
// struct that embeds one. Such a struct may declare a Field of its own, which does something else.
func hasFieldOfForm(t reflect.Type, s forms.Signatures, field reflect.Type) bool {
	m, has := t.MethodByName("Field")
	if !has || !reflect.PointerTo(t).Implements(s.Form) {
		return false
	}
	if t.PkgPath() == field.PkgPath() && strings.HasPrefix(t.Name(), "Form[") {
		return true
	}
	_, _, isDeclared := declaredMethod(t, "Field")
	return !isDeclared && m.Type.Out(0) == field
}

// checkFieldKey says what is wrong about the key that Form.Field is given in a template, for a Form of
// type t, and which field it speaks of.
func checkFieldKey(t reflect.Type, args []typecheck.Arg) typecheck.Verdict {
	parts := make([]any, len(args))
	for i, arg := range args {
		parts[i] = partOf(arg)
	}
	name, err := input.FieldKey(parts)
	if err != nil {
		return typecheck.Verdict{Wrong: plainError(err), Arg: wrongPart(len(args), func(n int) bool {
			_, err := input.FieldKey(parts[:n])
			return err != nil
		})}
	}
	if name == input.Unknown {
		return typecheck.Verdict{}
	}
	to, _, err := input.FieldTarget(t, name, true)
	if err != nil {
		return typecheck.Verdict{Wrong: plainError(err), Arg: wrongPart(len(args), func(n int) bool {
			before, _ := input.FieldKey(parts[:n])
			_, near, ok := input.FormTarget(t, false, before)
			return !ok && input.FirstInside(near, before) == ""
		})}
	}
	a := typecheck.Verdict{Field: name}
	if to.Type != nil {
		a.Known, a.Type = checkedField{to.Type, name}, input.InputType(to.Type)
	}
	return a
}

// partOf returns a part of a key that an argument stands for. Of a number that is not known any other
// will do.
func partOf(arg typecheck.Arg) any {
	switch {
	case arg.Constant != nil:
		return arg.Constant
	case arg.Type == nil || arg.Type.Kind() == reflect.Interface || arg.Type.Kind() == reflect.String:
		return input.Unknown
	}
	return reflect.Zero(arg.Type).Interface()
}

// wrongPart returns the index of the argument with which the first of n arguments become wrong.
func wrongPart(args int, wrong func(n int) bool) int {
	for i := range args {
		if wrong(i + 1) {
			return i
		}
	}
	return args - 1
}

// checkAs checks the type that As is given.
func (f checkedField) checkAs(c typecheck.Call) typecheck.Verdict {
	inputType, ok := c.Args[0].Constant.(string)
	if ok {
		if err := input.CheckInputType(f.of, inputType); err != nil {
			return typecheck.Verdict{Wrong: f.prefix() + err.Error()}
		}
	}
	if f.of == nil {
		return typecheck.Verdict{}
	}
	return typecheck.Verdict{Known: f, Field: f.name, Type: inputType}
}

// checkHas checks the value that Has is given.
func (f checkedField) checkHas(arg typecheck.Arg) typecheck.Verdict {
	if f.of == nil || arg.Type == nil {
		return typecheck.Verdict{}
	}
	if err := checkOption(f.of, arg.Type, arg.Constant); err != nil {
		return typecheck.Verdict{Wrong: f.prefix() + err.Error()}
	}
	return typecheck.Verdict{}
}

// prefix begins a message about the field, if its name is known.
func (f checkedField) prefix() string {
	if f.of == nil {
		return ""
	}
	return "the field " + quoted(f.name) + ": "
}

// plainError returns the text of an error for a fault.
func plainError(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "flow: "), `\x00`, "{{…}}")
}

// quoted returns a name for a fault.
func quoted(name string) string {
	return `"` + strings.ReplaceAll(name, input.Unknown, "{{…}}") + `"`
}
