package pathvalue

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
)

type key struct{}

// full returns a request of which every field that can be set is set.
func full(is *is.I) *http.Request {
	r := httptest.NewRequest("POST", "/a?b=c", nil)
	for v, i := reflect.ValueOf(r).Elem(), 0; i < v.NumField(); i++ {
		f := v.Field(i)
		if !f.CanSet() || !f.IsZero() {
			continue
		}
		switch f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Chan:
			f.Set(reflect.ValueOf(make(chan struct{})))
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), nil))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(1)
		case reflect.String:
			f.SetString("x")
		}
		is.True(!f.IsZero())
	}
	return r
}

func TestCopy(t *testing.T) {
	is := is.New(t)
	r := full(is)
	ctx := context.WithValue(context.Background(), key{}, "value")
	n := New([]string{"id", "größe"})
	is.True(n.matched != nil) // of this version of Go all fields are known
	c, empty := n.Copy(r, ctx)
	is.True(empty)
	is.Equal(c.Context().Value(key{}), "value")
	is.Equal(r.Context().Value(key{}), nil)
	for v, w, i := reflect.ValueOf(r).Elem(), reflect.ValueOf(c).Elem(), 0; i < v.NumField(); i++ {
		if f := v.Type().Field(i); f.IsExported() {
			t.Run(f.Name, func(t *testing.T) {
				is := is.New(t)
				switch f.Type.Kind() {
				case reflect.Map, reflect.Func, reflect.Slice:
					is.Equal(v.Field(i).Pointer(), w.Field(i).Pointer())
				default:
					is.True(v.Field(i).Interface() == w.Field(i).Interface())
				}
			})
		}
	}
	is.Equal(c.PathValue("id"), "")
	c.SetPathValue("id", "1")
	c.SetPathValue("größe", "2")
	c.SetPathValue("other", "3")
	d, _ := n.Copy(r, ctx)
	d.SetPathValue("id", "4")
	is.Equal([]string{c.PathValue("id"), c.PathValue("größe"), c.PathValue("other")}, []string{"1", "2", "3"})
	is.Equal([]string{d.PathValue("id"), d.PathValue("größe"), d.PathValue("other")}, []string{"4", "", ""})
	is.Equal([]string{r.PathValue("id"), r.PathValue("größe"), r.PathValue("other")}, []string{"", "", ""})
}

// Path values that a request has already are those of its copy, too.
func TestCopyKeepsValues(t *testing.T) {
	matched := func(r *http.Request) {
		mux := http.NewServeMux()
		mux.HandleFunc("/{tenant}", func(http.ResponseWriter, *http.Request) {})
		mux.ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, tt := range []struct {
		name string
		by   func(r *http.Request)
	}{
		{"ServeMux", matched},
		{"SetPathValue", func(r *http.Request) { r.SetPathValue("tenant", "a") }},
		{"both", func(r *http.Request) { matched(r); r.SetPathValue("more", "b") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := httptest.NewRequest("GET", "/a", nil)
			tt.by(r)
			more := r.PathValue("more")
			c, empty := New([]string{"id"}).Copy(r, context.Background())
			is.True(!empty)
			c.SetPathValue("id", "1")
			is.Equal([]string{c.PathValue("tenant"), c.PathValue("more"), c.PathValue("id")}, []string{"a", more, "1"})
		})
	}
}

// Names of which a ServeMux makes no pattern are set in the way of SetPathValue.
func TestNamesOfNoPattern(t *testing.T) {
	for _, names := range [][]string{nil, {"id", "id"}, {"a-b"}} {
		is := is.New(t)
		n := New(names)
		is.True(n.matched == nil)
		c, empty := n.Copy(httptest.NewRequest("GET", "/a", nil), context.Background())
		is.True(!empty)
		for _, name := range names {
			c.SetPathValue(name, "1")
			is.Equal(c.PathValue(name), "1")
		}
	}
}

func TestCopyAllocates(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	is := is.New(t)
	n := New([]string{"id"})
	r := httptest.NewRequest("GET", "/a", nil)
	is.Equal(testing.AllocsPerRun(100, func() {
		c, _ := n.Copy(r, r.Context())
		c.SetPathValue("id", "1")
	}), 2.0) // the copy, and the room
}
