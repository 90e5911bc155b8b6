package forms

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

type named func(int) string

type controller struct{}

func (controller) Show(int) string    { return "shown" }
func (*controller) Change(int) string { return "changed" }

func TestConvert(t *testing.T) {
	is := is.New(t)
	f, ok := Convert[func(int) string](named(func(int) string { return "x" }))
	is.True(ok)
	is.Equal(f(1), "x")
	_, ok = Convert[func(int) string](func(int) int { return 0 })
	is.True(!ok)
}

func TestIsNil(t *testing.T) {
	is := is.New(t)
	for _, v := range []any{nil, (*controller)(nil), named(nil), map[string]int(nil), []int(nil)} {
		is.True(IsNil(v)) // nil, in an interface or not
	}
	for _, v := range []any{0, "", controller{}, &controller{}, []int{}} {
		is.True(!IsNil(v))
	}
}

func TestMethod(t *testing.T) {
	for _, tt := range []struct {
		controller any
		method     string
		fault      string // "" if there is none
	}{
		{controller{}, "Show", ""},
		{&controller{}, "Change", ""},
		{controller{}, "Change", "forms.controller.Change has a pointer receiver: give &forms.controller{…}"},
		{controller{}, "show", `forms.controller has no exported method "show": it has Show`},
		{controller{}, "Destroy", `forms.controller has no exported method "Destroy"`},
	} {
		t.Run(tt.method, func(t *testing.T) {
			is := is.New(t)
			f, pos, err := Method(tt.controller, tt.method)
			if tt.fault != "" {
				is.True(err != nil)
				is.Equal(err.Error(), tt.fault)
				return
			}
			is.NoErr(err)
			is.True(strings.HasPrefix(pos.Stable(), "forms/forms_test.go:"))
			is.True(f.(func(int) string)(1) != "")
		})
	}
}

func TestCheckMethod(t *testing.T) {
	is := is.New(t)
	for _, method := range []string{"GET", "PROPFIND", "M-SEARCH", "get-it"} {
		is.NoErr(CheckMethod(method))
	}
	for method, want := range map[string]string{
		"ANY": "call ANY()", "": "a method has a name", "get": `write "GET"`, "GET ": "is not a method", "(any)": "is not a method", "é": "is not a method",
	} {
		err := CheckMethod(method)
		is.True(err != nil)
		is.True(strings.Contains(err.Error(), want)) // what is wrong
	}
}
