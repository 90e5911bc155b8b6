package flow

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
)

// checked fails as it is told.
type checked struct {
	N   int
	err error
}

func (c *checked) Validate() error { return c.err }

// value has Validate on the value.
type value struct{ N int }

func (v value) Validate() error { return Invalid{"N": fmt.Sprint(v.N)} }

func TestValidate(t *testing.T) {
	down := errors.New("the database is down")
	var none Invalid
	for _, tt := range []struct {
		name, query string
		err, want   error
	}{
		{"nil", "N=1", nil, nil},
		{"nil Invalid", "N=1", none, nil},
		{"empty Invalid", "N=1", Invalid{}, nil},
		{"Invalid", "N=1", Invalid{"N": "is odd"}, Invalid{"N": "is odd"}},
		{"both", "N=x", Invalid{"N": "is zero", "M": "is missing"}, Invalid{"N": "must be a whole number", "M": "is missing"}},
		{"conversion only", "N=x", nil, Invalid{"N": "must be a whole number"}},
		{"other error", "N=1", down, down},
		{"other error goes first", "N=x", down, down},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			given, _ := tt.err.(Invalid)
			given = maps.Clone(given)
			is.Equal(NewRequest(httptest.NewRequest("GET", "/?"+tt.query, nil)).Bind(&checked{err: tt.err}), tt.want)
			if after, ok := tt.err.(Invalid); ok {
				is.Equal(after, given) // Bind changed what is not its own
			}
		})
	}
	is := is.New(t)
	is.Equal(NewRequest(httptest.NewRequest("GET", "/?N=4", nil)).Bind(&value{}), Invalid{"N": "4"})
	is.Equal(NewRequest(sending("POST", "/", jsonMedia, `{"N":5}`)).Bind(&value{}), Invalid{"N": "5"})
}

// TestBindErrors: what internal/input finds wrong is an error of flow.
func TestBindErrors(t *testing.T) {
	type form struct{ N int }
	for _, tt := range []struct {
		name, contentType, body string
		dst                     any
		status                  int
		want                    string
	}{
		{"struct", jsonMedia, `{}`, form{}, 500, "flow: Bind needs a pointer to a struct, not a flow.form"},
		{"nil", jsonMedia, `{}`, nil, 500, "flow: Bind needs a pointer to a struct, not a <nil>"},
		{"nil pointer", jsonMedia, `{`, (*form)(nil), 500, "flow: Bind needs a pointer to a struct, not a *flow.form"},
		{"not from a form", formType, `a=1`, &map[string]int{}, 500, "flow: Bind fills a *map[string]int from JSON only: give a pointer to a struct"},
		{"malformed", jsonMedia, `{`, &form{}, 400, "400 the body is not valid JSON"},
		{"no object", jsonMedia, `[]`, &form{}, 400, "400 the body is not a JSON object"},
		{"another kind of body", "text/plain", `N=1`, &form{}, 415, "415 the body is neither JSON nor a form"},
		{"does not convert", formType, `N=x`, &form{}, 422, "invalid input: N: must be a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := NewRequest(sending("POST", "/", tt.contentType, tt.body)).Bind(tt.dst)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
			is.Equal(StatusOf(err), tt.status)
		})
	}
}

// newcomer is what TestCreateAllocatesLittle binds.
type newcomer struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

func (n *newcomer) Validate() error {
	wrong := Invalid{}
	if n.Name == "" {
		wrong["name"] = "is required"
	}
	if n.Email == "" {
		wrong["email"] = "is required"
	}
	return wrong
}

// TestCreateAllocatesLittle: of these, the handler itself makes the struct, the map of
// Validate and the value that is answered.
func TestCreateAllocatesLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	is := is.New(t)
	r, _ := lone(func(req *Request) (Response, error) {
		var n newcomer
		if err := req.Bind(&n); err != nil {
			return Response{}, err
		}
		return JSON(n).Status(201), nil
	})
	const text = `{"name":"Ann Example","email":"ann@example.com"}`
	w := do(r, sending("POST", "/x", jsonMedia, text))
	is.Equal(w.Code, 201)
	is.Equal(w.Body.String(), text+"\n")
	is.Equal(do(r, sending("POST", "/x", jsonMedia, `{"name":"Ann"}`)).Code, 422)

	req, body, to := sending("POST", "/x", jsonMedia, text), strings.NewReader(text), &sink{header: http.Header{}}
	whole := io.NopCloser(body)
	is.True(testing.AllocsPerRun(1000, func() {
		body.Reset(text)
		req.Body = whole
		r.ServeHTTP(to, req)
	}) <= 12)
}

// BenchmarkData posts data to handlers that ask for it.
func BenchmarkData(b *testing.B) {
	record := `{"id":1,"name":"Ann Example","email":"ann@example.com","tags":["a","b"],"score":1.5,"active":true,"notes":"` + strings.Repeat("x", 100) + `"}`
	records := `{"x":"1","list":[` + strings.Repeat(record+",", 4_999) + record + `]}`
	type user struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	}
	bind := func(req *Request) (string, error) {
		var u user
		err := req.Bind(&u)
		return u.Name + u.Email, err
	}
	input := func(req *Request) (string, error) { return req.Input("x"), nil }
	for _, bm := range []struct {
		name, media, body string
		handler           func(*Request) (string, error)
		want              int
	}{
		{"Bind/form", formType, "name=Ann&email=ann%40example.com", bind, 200},
		{"Bind/JSON", jsonMedia, `{"name":"Ann","email":"ann@example.com"}`, bind, 200},
		{"Input/JSON", jsonMedia, `{"x":"Ann","email":"ann@example.com"}`, input, 200},
		{"Input/5000 records", jsonMedia, records, input, 200},
		{"Only/5000 records", jsonMedia, records, func(req *Request) (string, error) { return fmt.Sprint(req.Only("x")), nil }, 200},
		{"All/5000 records", jsonMedia, records, func(req *Request) (string, error) { return fmt.Sprint(len(req.All())), nil }, 200},
		{"Bind/5000 records", jsonMedia, records, func(req *Request) (string, error) {
			var all struct{ List []user }
			return "", req.Bind(&all)
		}, 200},
		{"Input/3.5 million objects", jsonMedia, `{"any":[` + strings.Repeat("{},", (10<<20-12)/3) + `{}]}`, input, 400},
	} {
		b.Run(bm.name, func(b *testing.B) {
			r, _ := lone(bm.handler)
			r.Logger = slog.New(slog.DiscardHandler)
			is.New(b).Equal(do(r, sending("POST", "/x", bm.media, bm.body)).Code, bm.want)
			req := sending("POST", "/x", bm.media, "")
			req.ContentLength = int64(len(bm.body))
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				req.Form, req.PostForm = nil, nil
				req.Body = io.NopCloser(strings.NewReader(bm.body))
				r.ServeHTTP(w, req)
			}
		})
	}
}
