package input

import (
	"encoding/hex"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FieldID returns the ID of a field of a form. Names of parts in which hyphens stand between other characters give
// IDs that tell the parts apart. What all others give begins with a hyphen.
func FieldID(name string) string {
	before, plain := '.', true
	for i, r := range name {
		switch {
		case r == '.' || r == '-':
			plain = plain && before != '.' && before != '-'
		case unicode.IsDigit(r):
			plain = plain && i > 0
		case !unicode.IsLetter(r) && r != '_' || r == utf8.RuneError:
			plain = false
		}
		before = r
	}
	if !plain || before == '.' || before == '-' {
		return "-x" + hex.EncodeToString([]byte(name))
	}
	return strings.ReplaceAll(name, ".", "--")
}

// FieldMessage returns the message about a field of a Form of type t. What does not convert is under the
// name that the client has sent or, inside of a struct, under the path. A rule has the name that the
// application gives it: a field without a tag is often called as in Go in one place, and in lower
// case in another. So is each part of the path to a field of a row.
func FieldMessage(t reflect.Type, wrong map[string]string, name, path string) string {
	if len(wrong) == 0 {
		return ""
	}
	for _, key := range []string{name, path, spelling(t, wrong, path), strings.ToLower(name)} {
		if message, ok := wrong[key]; ok && key != "" {
			return message
		}
	}
	return ""
}

// spelling returns the key of a message that spells the path to a field in another case, the first one
// in byte order, or "".
func spelling(t reflect.Type, wrong map[string]string, path string) (first string) {
	for key := range wrong {
		if strings.EqualFold(key, path) && (first == "" || key < first) {
			if to, _, err := FieldTarget(t, key, false); err == nil && to.Path == path {
				first = key
			}
		}
	}
	return first
}
