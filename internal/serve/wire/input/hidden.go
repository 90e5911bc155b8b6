package input

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// HiddenChecks returns a warning for each embedded struct whose Validate that of the struct type hides,
// as methods in Go do, and does not call. It asks both: with the same values the embedded one has a
// message, and the outer one accepts them. An outer one that has messages of its own each time tells
// nothing: it may end at the first.
func HiddenChecks(t reflect.Type, messages Messages) (found []Mistake) {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(validates) {
		return nil
	}
	_, pos, _ := written(t, validateName)
	for i := range t.NumField() {
		sf := t.Field(i)
		role, _ := fromData.roleOf(sf)
		inner := pointedTo(sf.Type)
		if role != embeds || !reflect.PointerTo(inner).Implements(validates) {
			continue
		}
		if key, message := ignored(t, i, messages); message != "" {
			found = append(found, Mistake{Text: fmt.Sprintf("Validate of %s hides that of %v, which says that %q %s: call it", typeName(t), inner, key, message), Pos: pos, Warning: true})
		}
	}
	return found
}

// ignored returns a message of Validate of an embedded struct for values that Validate of the outer
// struct accepts: those of a new struct, or with some value in all fields but the one of the message.
func ignored(t reflect.Type, embedded int, messages Messages) (key, message string) {
	accepted, of := filler{rows: true}.both(t, embedded, messages)
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if accepted {
			return key, of[key]
		}
		to, _, ok := FormTarget(t, false, key)
		if !ok {
			to, _, _ = FormTarget(t, true, key)
		}
		others := filler{rows: true, values: true, without: to.FirstRow}
		if accepts, still := others.both(t, embedded, messages); accepts && still[key] != "" {
			return key, still[key]
		}
	}
	return "", ""
}

// both reports whether Validate of a filled struct accepts it, and returns the messages of Validate of
// an embedded struct in it. Of a panic it returns neither.
func (fill filler) both(t reflect.Type, embedded int, messages Messages) (accepts bool, found map[string]string) {
	defer func() {
		if recover() != nil { // the application may not expect such values
			accepts, found = false, nil
		}
	}()
	dst := fill.new(t)
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
