package inputs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"example.com/flow/internal/serve/wire/input"
)

// unreachedValidates returns a warning for each embedded struct whose Validate is never called: the struct
// type has a Validate that hides it, as methods in Go do, and does not call it. This shows if both are
// called for the same values: the embedded one has a message, and the outer one accepts them. If the
// outer one has messages of its own for all values that are tried, nothing is known: it may end at the
// first.
func unreachedValidates(t reflect.Type, messages input.Messages) (found []Mistake) {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(validatorType) {
		return nil
	}
	_, pos, _ := declaredMethod(t, validateName)
	for i := range t.NumField() {
		sf := t.Field(i)
		role, _ := input.FromData.RoleOf(sf)
		inner := input.BehindPointers(sf.Type)
		if role != input.Embeds || !reflect.PointerTo(inner).Implements(validatorType) {
			continue
		}
		if key, message := ignoredMessage(t, i, messages); message != "" {
			found = append(found, Mistake{Text: fmt.Sprintf("Validate of %s hides that of %v, which says that %q %s: call it", input.TypeName(t), inner, key, message), Pos: pos, Warning: true})
		}
	}
	return found
}

// ignoredMessage returns a message of Validate of an embedded struct for values that Validate of the outer
// struct accepts: those of a new struct, or with some value in all fields but the one of the message.
func ignoredMessage(t reflect.Type, embedded int, messages input.Messages) (key, message string) {
	accepted, of := askBoth(t, input.Filler{Rows: true}, embedded, messages)
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if accepted {
			return key, of[key]
		}
		to, _, _ := input.FieldTarget(t, key, true)
		others := input.Filler{Rows: true, Values: true, Without: to.FirstRow}
		if accepts, still := askBoth(t, others, embedded, messages); accepts && still[key] != "" {
			return key, still[key]
		}
	}
	return "", ""
}

// askBoth reports whether Validate of a filled struct accepts it, and returns the messages of Validate of
// an embedded struct in it. It returns neither if one of them panics.
func askBoth(t reflect.Type, fill input.Filler, embedded int, messages input.Messages) (accepts bool, found map[string]string) {
	defer func() {
		if recover() != nil { // the application may not expect such values
			accepts, found = false, nil
		}
	}()
	dst := fill.New(t)
	v := dst.Elem().Field(embedded)
	if v.Kind() != reflect.Pointer {
		v = v.Addr()
	} else if v.IsNil() && v.CanSet() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	inner := reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface().(validator) // an unexported one, too
	found, _ = messages(inner.Validate())
	wrong, ok := messages(dst.Interface().(validator).Validate())
	return ok && len(wrong) == 0, found
}
