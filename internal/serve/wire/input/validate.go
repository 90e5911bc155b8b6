package input

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/wire/reply"
)

// validate calls Validate of dst and of each struct inside that Bind can fill: in fields,
// pointers, slices and maps. It returns the messages of all by path, such as "items.0.name",
// together with those of Bind. A field has one message. If it did not convert, messages about
// it and about values inside of it are left out. Of two Validate methods that return a message
// for a path, the one of the outer struct counts.
//
// An embedded struct is not validated by itself if Go promotes its Validate to the outer
// struct, or if the outer struct has a Validate that hides it. If several embedded structs
// have Validate, Go promotes none, and validate calls each.
func (p *FieldPlan) validate(dst any, to *binding, messages Messages) (invalid map[string]reply.Message, err error) {
	c := validation{
		invalid:     to.invalid,
		unconverted: to.unconverted,
		messages:    messages,
		copies:      to.copies,
		root:        followed{to.dst.Addr().Pointer(), reflect.TypeOf(dst)},
	}
	switch err = c.call(dst, ""); {
	case err != nil:
	case p.parts != nil:
		err = c.inside(to.dst, "", p.parts)
	case p.mayHoldValidate:
		err = c.value(to.dst, "")
	}
	return c.invalid, err
}

// Messages extracts the messages from an error of Validate. ok is false for errors that have
// none.
type Messages func(error) (messages map[string]string, ok bool)

type validator interface{ Validate() error }

var validatorType = reflect.TypeFor[validator]()

// A validation is one call of validate.
type validation struct {
	invalid     map[string]reply.Message // messages by path; nil if there are none
	unconverted map[string]bool          // keys of the values that did not convert, by fold.Case
	messages    Messages
	copies      *copies
	root        followed          // dst
	followed    map[followed]bool // pointers that were followed; a circle ends there
}

// call calls dst.Validate, if there is such a method. path leads to dst.
func (c *validation) call(dst any, path string) error {
	v, ok := dst.(validator)
	if !ok {
		return nil
	}
	err := v.Validate()
	if err == nil {
		return nil
	}
	found, ok := c.messages(err)
	if !ok {
		return err
	}
	for key, message := range found {
		key = join(path, key)
		if _, ok := c.invalid[key]; ok || c.didNotConvert(key) {
			continue
		}
		if c.invalid == nil {
			c.invalid = map[string]reply.Message{}
		}
		c.invalid[key] = reply.Message{English: message}
	}
	return nil
}

// didNotConvert reports whether the value of a key, or of an outer one, did not convert.
func (c *validation) didNotConvert(key string) bool {
	if len(c.unconverted) == 0 {
		return false
	}
	key = fold.Case(key)
	for i := range len(key) {
		if key[i] == '.' && c.unconverted[key[:i]] {
			return true
		}
	}
	return c.unconverted[key]
}

type followed struct {
	pointer uintptr
	t       reflect.Type
}

// value validates v if it is a struct, and the structs inside of it.
func (c *validation) value(v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.Pointer:
		c.copies.replace(v)
		at := followed{v.Pointer(), v.Type()}
		if v.IsNil() || at == c.root || c.followed[at] {
			return nil
		}
		if c.followed == nil {
			c.followed = map[followed]bool{}
		}
		c.followed[at] = true
		return c.value(v.Elem(), path)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			c.copies.replace(v)
		}
		for i := range v.Len() {
			if err := c.value(v.Index(i), join(path, strconv.Itoa(i))); err != nil {
				return err
			}
		}
	case reflect.Map:
		c.copies.replace(v)
		for _, key := range v.MapKeys() {
			item := reflect.New(v.Type().Elem()).Elem()
			item.Set(v.MapIndex(key))
			if err := c.value(item, join(path, fmt.Sprint(key))); err != nil {
				return err
			}
			v.SetMapIndex(key, item) // Validate may have changed it
		}
	case reflect.Struct:
		if err := c.call(v.Addr().Interface(), path); err != nil {
			return err
		}
		return c.inside(v, path, partsOf(v.Type()))
	}
	return nil
}

// join joins path and name with a dot. Either may be empty.
func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// inside validates the embedded structs and the fields of a struct.
func (c *validation) inside(v reflect.Value, path string, parts *validatedParts) error {
	if len(parts.uncallable) > 0 {
		return errors.New("flow: " + parts.uncallable[0].Wrong)
	}
	for _, index := range parts.embedded {
		f, ok := c.copies.field(v, index, false)
		switch {
		case !ok || f.Kind() == reflect.Pointer && f.IsNil():
			continue // an embedded pointer that is nil
		case f.Kind() == reflect.Pointer:
			c.copies.replace(f)
		default:
			f = f.Addr()
		}
		if err := c.call(f.Interface(), path); err != nil {
			return err
		}
	}
	for _, f := range parts.fields {
		v, ok := c.copies.field(v, f.Path, false)
		if !ok {
			continue // it is in an embedded pointer that is nil
		}
		if err := c.value(v, join(path, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

// validatedParts are the parts of a struct type that validate visits.
type validatedParts struct {
	itself     bool         // the struct has Validate
	embedded   [][]int      // embedded structs with a Validate that Go does not promote
	fields     []*Field     // fields that may hold structs with Validate
	uncallable []Uncallable // embedded structs with such a Validate that package reflect cannot call
}

// An Uncallable is an embedded struct with a Validate that nothing can call: its type is unexported, and
// Go promotes no method, since another embedded struct has Validate too.
type Uncallable struct {
	Type  reflect.Type
	Wrong string // what is wrong, for a message
}

// UncallableIn returns those that are embedded in a struct type.
func UncallableIn(t reflect.Type, from Source) []Uncallable { return newParts(t, from).uncallable }

// Validates reports which Validate methods Bind calls for a type: itself is set for that of the struct,
// or of a struct embedded in it, and inside for those of what the fields or the items hold.
func (p *FieldPlan) Validates() (itself, inside bool) {
	if p.parts == nil {
		return false, p.mayHoldValidate
	}
	return p.parts.itself || len(p.parts.embedded) > 0, len(p.parts.fields) > 0
}

var partsByType sync.Map // reflect.Type to *validatedParts, for structs inside of others; bounded by the types in the program

func partsOf(t reflect.Type) *validatedParts {
	if known, ok := partsByType.Load(t); ok {
		return known.(*validatedParts)
	}
	known, _ := partsByType.LoadOrStore(t, newParts(t, FromJSON, FieldsInside(t)))
	return known.(*validatedParts)
}

// newParts returns the parts of a struct type. A field that is in several lists has the name of the
// first one.
func newParts(t reflect.Type, from Source, lists ...*Fields) *validatedParts {
	parts := &validatedParts{itself: reflect.PointerTo(t).Implements(validatorType)}
	parts.embeds(t, from, nil, map[reflect.Type]bool{})
	seen := map[string]bool{}
	for _, fs := range lists {
		for _, f := range fs.List {
			path := fmt.Sprint(f.Path)
			if !seen[path] && HoldsValidate(f.Go.Type) {
				parts.fields = append(parts.fields, f)
			}
			seen[path] = true
		}
	}
	return parts
}

// embeds collects the embedded structs of t that validate calls. There are none if t has
// Validate, its own or a promoted one. Go promotes none if several embedded structs have the
// method at the same depth.
func (p *validatedParts) embeds(t reflect.Type, from Source, path []int, seen map[reflect.Type]bool) {
	if seen[t] || reflect.PointerTo(t).Implements(validatorType) {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		sf := t.Field(i)
		if role, _ := from.RoleOf(sf); role != Embeds {
			continue
		}
		inner, path := pointedTo(sf.Type), append(slices.Clip(path), i)
		switch {
		case !reflect.PointerTo(inner).Implements(validatorType):
			p.embeds(inner, from, path, seen)
		case sf.IsExported():
			p.embedded = append(p.embedded, path)
		default:
			wrong := fmt.Sprintf("Validate of %v cannot be called, since the type is unexported and embedded in %s beside others that have the method: export the type, or give %[2]s a Validate that calls theirs", inner, TypeName(t))
			p.uncallable = append(p.uncallable, Uncallable{inner, wrong})
		}
	}
}

// TypeName returns how messages call a type.
func TypeName(t reflect.Type) string {
	if t.Name() == "" { // its text would be all of its fields
		return "struct{…}"
	}
	return t.String()
}

// HoldsValidate reports whether a value of type t may hold structs with a method Validate.
func HoldsValidate(t reflect.Type) bool { return mayHoldValidate(t, map[reflect.Type]bool{}) }

func mayHoldValidate(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return mayHoldValidate(t.Elem(), seen)
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(validatorType) {
			return true
		}
		for i := range t.NumField() {
			sf := t.Field(i)
			if role, _ := FromJSON.RoleOf(sf); (role == Embeds || role == Filled) && mayHoldValidate(sf.Type, seen) {
				return true
			}
		}
	}
	return false
}
