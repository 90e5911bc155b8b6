package rules

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"time"

	"example.com/flow/internal/serve/wire/input"
)

// defaults returns what Default gives the fields as JSON, by their keys. It leaves out zero values, and
// what differs from call to call. A value that Default takes from the clock differs once the clock has
// moved, so it waits for that between two calls.
func (a *asking) defaults(now func() time.Time) map[string]json.RawMessage {
	first := a.filledByDefault()
	if len(first) == 0 {
		return nil
	}
	awaitStep(now)
	second := a.filledByDefault()
	maps.DeleteFunc(first, func(key string, text json.RawMessage) bool { return string(second[key]) != string(text) })
	return first
}

// newDefault returns a pointer to a new struct, after Default. ok is false if Default panics.
func newDefault(t reflect.Type) (dst reflect.Value, ok bool) {
	defer func() {
		if recover() != nil {
			dst, ok = reflect.New(t), false
		}
	}()
	return input.NewDefault(t), true
}

// filledByDefault calls Default, and returns the fields that it has filled as JSON.
func (a *asking) filledByDefault() map[string]json.RawMessage {
	filled := map[string]json.RawMessage{}
	dst, ok := newDefault(a.t)
	if !ok {
		return nil
	}
	for _, s := range a.spots {
		if s.more || strings.Contains(s.key, ".") || isTime(s.t) {
			continue
		}
		v, reached := s.reach(dst)
		if !reached || v.IsZero() {
			continue
		}
		if text, err := json.Marshal(v.Interface()); err == nil && string(text) != "null" {
			filled[s.key] = text
		}
	}
	return filled
}

// awaitStep waits until the clock shows another millisecond. Some clocks move only every 15 of them, and
// one that stands still is not waited for.
func awaitStep(now func() time.Time) {
	began := now().UnixMilli()
	for range 50 {
		time.Sleep(time.Millisecond)
		if now().UnixMilli() != began {
			return
		}
	}
}
