package input

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// Inputs returns all values of a key: of a repeated key in a form, or of an array in JSON. It
// looks in the body, and in the query of r if the body does not have the key. Values of JSON
// that are no strings are returned as JSON text.
func (b *Body) Inputs(r *http.Request, key string) []string {
	v, ok := b.value(key)
	if !ok {
		if r.URL.RawQuery == "" {
			return nil
		}
		return r.URL.Query()[key]
	}
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = jsonText(item)
		}
		return texts
	}
	return []string{jsonText(v)}
}

// All returns the data of the query of r and of the body, which replaces the query key by key.
// A repeated key of a form or query has a []string, and others have a string. Values of JSON
// are those of encoding/json, with numbers as json.Number.
func (b *Body) All(r *http.Request) map[string]any {
	all := map[string]any{}
	addForm(all, r.URL.Query())
	if b == nil {
		return all
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.object && !b.whole {
		b.decoded, b.whole = decodeJSON(b.raw).(map[string]any), true
	}
	maps.Copy(all, b.decoded)
	addForm(all, b.form)
	return all
}

// Only returns the values of All for keys. A key without a value is left out.
func (b *Body) Only(r *http.Request, keys ...string) map[string]any {
	only, query := map[string]any{}, r.URL.Query()
	for _, key := range keys {
		if v, ok := b.value(key); ok {
			only[key] = v
		} else if values, ok := query[key]; ok {
			only[key] = formValue(values)
		}
	}
	return only
}

func addForm(all map[string]any, form url.Values) {
	for key, values := range form {
		all[key] = formValue(values)
	}
}

// formValue returns the value that All has for a key of a form with these values.
func formValue(values []string) any {
	if len(values) == 1 {
		return values[0]
	}
	return slices.Clone(values)
}

// value returns the value that All has for a key of the body.
func (b *Body) value(key string) (v any, ok bool) {
	if b == nil {
		return nil, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if values, ok := b.form[key]; ok {
		return formValue(values), true
	}
	return b.member(key)
}

// member returns the value of a key in a JSON object. It decodes the value once.
func (b *Body) member(key string) (v any, ok bool) {
	if v, ok = b.decoded[key]; ok {
		return v, true
	}
	raw, ok := b.index()[key]
	if !ok {
		return nil, false
	}
	if b.decoded == nil {
		b.decoded = map[string]any{}
	}
	v = decodeJSON(raw)
	b.decoded[key] = v
	return v, true
}

// index returns the undecoded members of a JSON object. The first call makes the map, which
// does not change then.
func (b *Body) index() map[string]json.RawMessage {
	if b.object && b.members == nil {
		b.members = indexOf(b.raw)
	}
	return b.members
}

// jsonText returns a decoded JSON value as text, as in a form. Arrays and objects are returned
// as JSON.
func jsonText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "" // does not happen: v was JSON
	}
	return string(b)
}
