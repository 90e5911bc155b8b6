package input

import (
	"maps"
	"reflect"
	"sync"

	"example.com/flow/internal/serve/wire/reply"
)

// RequiredPaths returns the fields of a struct type that a form has to have a value for, by
// Target.FirstRow. It asks Validate of the type, which has no other way to say so: of a new struct,
// after Default, Validate has a message for the field, and it still has one if all other fields have
// some value. So neither of two fields is required of which a form needs any one.
//
// Validate is called at the first call for a type, for structs that no request has sent. If it
// panics, or returns an error without messages, nothing is required.
func RequiredPaths(t reflect.Type, messages Messages) map[string]bool {
	r := &PlanOf(t).required
	r.once.Do(func() { r.paths = requiredOf(t, messages) })
	return r.paths
}

// required is what RequiredPaths has found out.
type required struct {
	once  sync.Once
	paths map[string]bool
}

func requiredOf(t reflect.Type, messages Messages) map[string]bool {
	paths := map[string]bool{}
	for _, fill := range []Filler{{}, {Rows: true}} { // a new struct has no rows
		maps.Copy(paths, complaints(t, fill, messages))
	}
	for path := range paths {
		others := Filler{Rows: true, Values: true, Without: path}
		paths[path] = complaints(t, others, messages)[path]
	}
	return paths
}

// complaints returns the fields of a filled struct that Validate has messages for, by Target.FirstRow.
func complaints(t reflect.Type, fill Filler, messages Messages) map[string]bool {
	paths := map[string]bool{}
	invalid, _ := new(Asker).Ask(func() reflect.Value { return fill.New(t) }, messages)
	for key := range invalid {
		for _, query := range []bool{false, true} {
			if of, _, ok := FormTarget(t, query, key); ok {
				paths[of.FirstRow] = true
			}
		}
	}
	return paths
}

// An Asker asks Validate again and again.
type Asker struct{ invalid map[string]reply.Message }

// Ask asks Validate of a new struct that make returns a pointer to, and of the structs inside, for their
// messages, by path, which are valid until the next question. Validate may change what the struct points
// to. ok is false if one of them panics, as it may with values that no request has sent, or returns an
// error without messages.
func (a *Asker) Ask(make func() reflect.Value, messages Messages) (invalid map[string]reply.Message, ok bool) {
	defer func() {
		if recover() != nil {
			invalid, ok = nil, false
		}
	}()
	dst := make()
	clear(a.invalid)
	invalid, err := PlanOf(dst.Type().Elem()).validate(dst.Interface(), &binding{dst: dst.Elem(), invalid: a.invalid}, messages)
	if err != nil {
		return nil, false
	}
	a.invalid = invalid
	return invalid, true
}
