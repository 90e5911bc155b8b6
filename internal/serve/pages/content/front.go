package content

import (
	"reflect"

	"example.com/flow/internal/serve/routes/forms"
)

// Comparing returns a function for New that calls the method Compare(F) int of what a format has found
// in n pages: front returns that of a page. A page whose F does not have the method, or is nil, stands
// before the others.
func Comparing[F any](n int, front func(i int32) *F) func(a, b int32) int {
	type comparer interface{ Compare(F) int }
	ordered := make([]comparer, n)
	for i := range ordered {
		own := front(int32(i))
		if c, ok := any(own).(comparer); ok {
			ordered[i] = c
		} else if c, ok := any(*own).(comparer); ok && !forms.IsNil(c) {
			ordered[i] = c
		}
	}
	return func(a, b int32) int {
		switch x, y := ordered[a], ordered[b]; {
		case x != nil && y != nil:
			return x.Compare(*front(b))
		case x != nil:
			return 1
		case y != nil:
			return -1
		}
		return 0
	}
}

// TitleOf returns a function that returns the field Title of an F, or "" if F does not have one that is a
// text.
func TitleOf[F any]() func(F) string {
	t := reflect.TypeFor[F]()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var field reflect.StructField
	if t.Kind() == reflect.Struct {
		field, _ = t.FieldByName("Title")
	}
	if !field.IsExported() || field.Type == nil || field.Type.Kind() != reflect.String {
		return func(F) string { return "" }
	}
	return func(front F) string {
		if forms.IsNil(front) {
			return ""
		}
		title, err := reflect.Indirect(reflect.ValueOf(front)).FieldByIndexErr(field.Index)
		if err != nil { // it is in an embedded struct that is not there
			return ""
		}
		return title.String()
	}
}
