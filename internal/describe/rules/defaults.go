package rules

import (
	"encoding/json"
	"maps"
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

// filledByDefault calls Default, and returns the fields that it has filled as JSON.
func (a *asking) filledByDefault() map[string]json.RawMessage {
	filled := map[string]json.RawMessage{}
	dst, ok := input.NewDefault(a.t)
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
