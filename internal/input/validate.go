package input

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// validate calls the method Validate of dst, if it has one, and of each struct inside that
// Bind could fill: in fields, pointers, lists and maps. It returns what they find invalid
// by path, "items.0.name", together with what did not convert. A field has one message:
// that it did not convert goes first, for all that is inside of it, too, and then that of
// the outer struct.
//
// For what is embedded Go's rules hold: its method is that of the struct around it, too,
// unless that has one of its own. Only where Go would take none of several, each is called.
func (p *plan) validate(dst any, to *binding, messages Messages) (invalid map[string]string, err error) {
	c := checking{
		invalid:     to.invalid,
		unconverted: to.unconverted,
		messages:    messages,
		copies:      to.copies,
		root:        seen{to.dst.Addr().Pointer(), reflect.TypeOf(dst)},
	}
	switch err = c.call(dst, ""); {
	case err != nil:
	case p.checks != nil:
		err = c.inside(to.dst, "", p.checks)
	case p.holdsChecks:
		err = c.value(to.dst, "")
	}
	return c.invalid, err
}

// Messages takes the messages out of an error of Validate. ok is false if it is another
// error.
type Messages func(error) (messages map[string]string, ok bool)

type validator interface{ Validate() error }

var validates = reflect.TypeFor[validator]()

// A checking is one call of Validate.
type checking struct {
	invalid     map[string]string // all messages by path; nil if there are none
	unconverted []string          // keys of what did not convert
	messages    Messages
	copies      *copies
	root        seen          // dst
	seen        map[seen]bool // what other pointers lead to, so that none is followed in a circle
}

// call calls the method of dst, which path leads to, if it has one.
func (c *checking) call(dst any, path string) error {
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
		inside := func(field string) bool {
			return len(key) >= len(field) && strings.EqualFold(key[:len(field)], field) && (len(key) == len(field) || key[len(field)] == '.')
		}
		if _, ok := c.invalid[key]; ok || slices.ContainsFunc(c.unconverted, inside) {
			continue
		}
		if c.invalid == nil {
			c.invalid = map[string]string{}
		}
		c.invalid[key] = message
	}
	return nil
}

type seen struct {
	pointer uintptr
	t       reflect.Type
}

// value checks the structs that a value holds, or is.
func (c *checking) value(v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.Pointer:
		c.copies.replace(v)
		at := seen{v.Pointer(), v.Type()}
		if v.IsNil() || at == c.root || c.seen[at] {
			return nil
		}
		if c.seen == nil {
			c.seen = map[seen]bool{}
		}
		c.seen[at] = true
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
		return c.inside(v, path, checksOf(v.Type()))
	}
	return nil
}

// join returns the path to what has a name where a path leads to. What has no name is
// there itself.
func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// inside checks what a struct embeds, and its fields.
func (c *checking) inside(v reflect.Value, path string, checks *checks) error {
	if checks.err != nil {
		return checks.err
	}
	for _, index := range checks.embedded {
		f, ok := c.copies.field(v, index)
		switch {
		case !ok || f.Kind() == reflect.Pointer && f.IsNil():
			continue // nothing came for it
		case f.Kind() == reflect.Pointer:
			c.copies.replace(f)
		default:
			f = f.Addr()
		}
		if err := c.call(f.Interface(), path); err != nil {
			return err
		}
	}
	for _, f := range checks.fields {
		v, ok := c.copies.field(v, f.index)
		if !ok {
			continue // nothing came for the embedded struct that it is in
		}
		if err := c.value(v, join(path, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// checks are what is to be checked inside of a struct.
type checks struct {
	embedded [][]int // structs with a method Validate that is not the struct's own
	fields   []field // what may hold structs with that method
	err      error
}

var checksByType sync.Map // of reflect.Type to *checks, of what is nested: as many as the program binds to

func checksOf(t reflect.Type) *checks {
	if c, ok := checksByType.Load(t); ok {
		return c.(*checks)
	}
	c, _ := checksByType.LoadOrStore(t, newChecks(t, fromJSON, newFields(t, fromJSON)))
	return c.(*checks)
}

// newChecks returns the checks of the fields in some lists, each under its first name.
func newChecks(t reflect.Type, from source, lists ...*fields) *checks {
	c := &checks{}
	c.embeds(t, from, nil, map[reflect.Type]bool{})
	seen := map[string]bool{}
	for _, fs := range lists {
		for _, f := range fs.list {
			at := fmt.Sprint(f.index)
			if !seen[at] && holdsChecks(t.FieldByIndex(f.index).Type, map[reflect.Type]bool{}) {
				c.fields = append(c.fields, f)
			}
			seen[at] = true
		}
	}
	return c
}

// embeds notes the structs that t embeds and that are checked by themselves. If t has the
// method, it is its own, which hides those of what it embeds, or one of theirs. If
// several have it at the same depth, t has none.
func (c *checks) embeds(t reflect.Type, from source, index []int, seen map[reflect.Type]bool) {
	if seen[t] || reflect.PointerTo(t).Implements(validates) {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		sf := t.Field(i)
		if role, _ := from.roleOf(sf); role != embeds {
			continue
		}
		inner, at := pointedTo(sf.Type), append(slices.Clip(index), i)
		switch {
		case !reflect.PointerTo(inner).Implements(validates):
			c.embeds(inner, from, at, seen)
		case sf.IsExported():
			c.embedded = append(c.embedded, at)
		default:
			c.err = fmt.Errorf("flow: Bind cannot call Validate of a %v, which is embedded in a %v beside others that have the method: give that a Validate of its own, which calls theirs", inner, t)
		}
	}
}

// holdsChecks reports whether a value of type t may hold structs with a method Validate.
func holdsChecks(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsChecks(t.Elem(), seen)
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(validates) {
			return true
		}
		for i := range t.NumField() {
			sf := t.Field(i)
			if role, _ := fromJSON.roleOf(sf); (role == embeds || role == filled) && holdsChecks(sf.Type, seen) {
				return true
			}
		}
	}
	return false
}
