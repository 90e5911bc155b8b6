package fit

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// plain returns a value as encoding/json decodes it.
func (v value) plain() (out any) {
	switch v.kind {
	case "array":
		list := []any{}
		for _, item := range v.items {
			list = append(list, item.plain())
		}
		return list
	case "object":
		o := map[string]any{}
		for _, m := range v.members {
			o[m.key] = m.value.plain()
		}
		return o
	case "string":
		return unquoted(v.text)
	case "boolean":
		return string(v.text) == "true"
	case "null":
		return nil
	}
	return json.Number(v.text)
}

// FuzzParse compares the reader with that of encoding/json.
func FuzzParse(f *testing.F) {
	for _, text := range []string{` {"a": [1, -2.5e+3, "b\"\\\u00e9", true, false, null, {}, [ ]] , "":{"a":""}}`, "\"\xff\"", "\"\\ud800\"", "0", "[[],{}]", "\t1\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			return // a number in a key, or too deep
		}
		v := parse([]byte(text))
		if got := v.plain(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, want %#v", text, got, want)
		}
		if !json.Valid(v.text) || string(v.text) != text[v.offset:v.offset+len(v.text)] {
			t.Errorf("%q: the text is %q at %d", text, v.text, v.offset)
		}
	})
}
