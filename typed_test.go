package flow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/testdata/typedapp"
	"example.com/flow/testdata/typedfaults"
)

type typedIn struct {
	ID    int    `param:"id"`
	Q     string `query:"q"`
	Limit int    `query:"limit"`
	Name  string `json:"name"`
}

func (in *typedIn) Default() { in.Limit = 20 }

func (in *typedIn) Validate() error {
	if in.Name == "bad" {
		return flow.Invalid{"name": "is bad"}
	}
	return nil
}

type typedOut struct {
	Text string `json:"text"`
}

func showTyped(_ *flow.Request, in typedIn) (typedOut, error) {
	return typedOut{fmt.Sprintf("%d %s %d %s", in.ID, in.Q, in.Limit, in.Name)}, nil
}

type typedController struct{}

func (typedController) Show(req *flow.Request, in typedIn) (typedOut, error) {
	return showTyped(req, in)
}

// typedTree has an endpoint and a page for users.
func typedTree() fstest.MapFS {
	return fstest.MapFS{
		"router/users/[id].http":    {},
		"router/pages/[id].html":    {Data: []byte(`<p>{{.Text}}</p>`)},
		"router/[[lang]]/home.http": {},
	}
}

func TestTypedHandlers(t *testing.T) {
	type link struct {
		Lang string `param:"lang"`
	}
	for _, tt := range []struct {
		name     string
		register func(r *flow.Router)
		request  string // method, target and body
		want     string // status and body
	}{
		{"JSON of an endpoint", func(r *flow.Router) { r.At("users/[id]").GET().Do(showTyped) }, "GET /users/7?q=x", `200 {"text":"7 x 20 "}`},
		{"default replaced", func(r *flow.Router) { r.At("users/[id]").GET().Do(showTyped) }, "GET /users/7?limit=3", `200 {"text":"7  3 "}`},
		{"data of a page", func(r *flow.Router) { r.At("pages/[id]").GET().Do(showTyped) }, "GET /pages/7", `200 <p>7  20 </p>`},
		{"a page shown by POST", func(r *flow.Router) { r.At("pages/[id]").POST().Do(showTyped); r.At("pages/[id]").GET().Do(showTyped) }, `POST /pages/7 {"name":"n"}`, `200 <p>7  20 n</p>`},
		{"controller", func(r *flow.Router) { r.At("users/[id]").GET().To(typedController{}, "Show") }, "GET /users/7", `200 {"text":"7  20 "}`},
		{"body", func(r *flow.Router) { r.At("users/[id]").PUT().Do(showTyped) }, `PUT /users/7 {"name":"ada"}`, `200 {"text":"7  20 ada"}`},
		{"status", func(r *flow.Router) { r.At("users/[id]").POST().Status(201).Do(showTyped) }, `POST /users/7 {"name":"ada"}`, `201 {"text":"7  20 ada"}`},
		{"status after Do", func(r *flow.Router) { r.At("users/[id]").POST().Do(showTyped).Status(201) }, `POST /users/7 {"name":"ada"}`, `201 {"text":"7  20 ada"}`},
		{"invalid", func(r *flow.Router) { r.At("users/[id]").PUT().Do(showTyped) }, `PUT /users/7 {"name":"bad"}`, `422 {"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"name":"is bad"}}`},
		{"does not convert", func(r *flow.Router) { r.At("users/[id]").PUT().Do(showTyped) }, `PUT /users/7 {"name":7}`, `422 {"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"name":"must be text"},"codes":{"name":"invalid.text"}}`},
		{"parameter does not convert", func(r *flow.Router) { r.At("users/[id]").GET().Do(showTyped) }, "GET /users/x", `404 {"type":"about:blank","title":"Not Found","status":404}`},
		{"parameter goes before the body", func(r *flow.Router) { r.At("users/[id]").PUT().Do(showTyped) }, `PUT /users/x {"name":7}`, `404 {"type":"about:blank","title":"Not Found","status":404}`},
		{"broken body", func(r *flow.Router) { r.At("users/[id]").PUT().Do(showTyped) }, `PUT /users/7 {"name":`, `400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"the body is not valid JSON"}`},
		{"no input", func(r *flow.Router) {
			r.At("users/[id]").GET().Do(func(*flow.Request) (typedOut, error) { return typedOut{"none"}, nil })
		}, "GET /users/7", `200 {"text":"none"}`},
		{"empty input", func(r *flow.Router) {
			r.At("users/[id]").DELETE().Do(func(*flow.Request, struct{}) error { return nil })
		}, "DELETE /users/7", `204 `},
		{"empty input and any body", func(r *flow.Router) {
			r.At("users/[id]").POST().Do(func(*flow.Request, struct{}) error { return nil })
		}, "POST /users/7 text", `204 `},
		{"status of no output", func(r *flow.Router) {
			r.At("users/[id]").DELETE().Status(202).Do(func(*flow.Request, typedIn) error { return nil })
		}, "DELETE /users/7", `202 `},
		{"error", func(r *flow.Router) {
			r.At("users/[id]").GET().Do(func(*flow.Request) (typedOut, error) { return typedOut{"x"}, flow.Error(409, "taken") })
		}, "GET /users/7", `409 {"type":"about:blank","title":"Conflict","status":409,"detail":"taken"}`},
		{"empty Invalid is no error", func(r *flow.Router) {
			r.At("users/[id]").GET().Do(func(*flow.Request) (typedOut, error) { return typedOut{"x"}, flow.Invalid{} })
		}, "GET /users/7", `200 {"text":"x"}`},
		{"panic", func(r *flow.Router) {
			r.At("users/[id]").GET().Do(func(*flow.Request, typedIn) (typedOut, error) { panic("secret") })
		}, "GET /users/7", `500 {"type":"about:blank","title":"Internal Server Error","status":500}`},
		{"a Response", func(r *flow.Router) {
			r.At("users/[id]").GET().Do(func(_ *flow.Request, in typedIn) (flow.Response, error) {
				return flow.Text(fmt.Sprint(in.ID)).Status(203), nil
			})
		}, "GET /users/7", `203 7`},
		{"a text", func(r *flow.Router) {
			r.At("users/[id]").GET().Do(func(_ *flow.Request, in typedIn) (string, error) { return fmt.Sprint(in.ID), nil })
		}, "GET /users/7", `200 7`},
		{"an optional parameter", func(r *flow.Router) {
			r.At("[[lang]]/home").GET().Do(func(_ *flow.Request, in link) (string, error) { return "lang " + in.Lang, nil })
		}, "GET /home", `200 lang`},
		{"a form that is right", func(r *flow.Router) { r.At("users/[id]").POST().Do(again) }, `POST /users/7 {"name":"ada"}`, `200 ada map[]`},
		{"a form that is wrong", func(r *flow.Router) { r.At("users/[id]").POST().Do(again) }, `POST /users/7 {"name":"bad"}`, `422 bad map[name:is bad]`},
		{"a form at a path that is none", func(r *flow.Router) { r.At("users/[id]").POST().Do(again) }, `POST /users/x {"name":"bad"}`, `404 {"type":"about:blank","title":"Not Found","status":404}`},
		{"a form with a broken body", func(r *flow.Router) { r.At("users/[id]").POST().Do(again) }, `POST /users/7 {`, `400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"the body is not valid JSON"}`},
		{"a date in the path", func(r *flow.Router) { r.At("users/[id]").GET().Do(showDay) }, "GET /users/2026-02-03", `200 Tuesday`},
		{"a date that does not exist", func(r *flow.Router) { r.At("users/[id]").GET().Do(showDay) }, "GET /users/2026-02-30", `404 {"type":"about:blank","title":"Not Found","status":404}`},
		{"rows", func(r *flow.Router) { r.At("users/[id]").GET().Do(showRows) }, "GET /users/7?items.5.name=b&items.2.name=a", `200 [{a} {b}]`},
		{"a row that is wrong", func(r *flow.Router) { r.At("users/[id]").GET().Do(showRows) }, "GET /users/7?items.5.name=&items.2.name=a", `422 {"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"items.1.name":"is required"}}`},
		{"no Default of rows of a form", func(r *flow.Router) { r.At("users/[id]").GET().Do(showDefaults) }, "GET /users/7?items.0.name=a&one.name=b&two.name=c&list.0.name=d", `200 {"items":[{"name":"a"}],"list":[{"name":"d"}],"one":{"name":"b","qty":1},"two":{"name":"c"}}`},
		{"no Default of rows of JSON", func(r *flow.Router) { r.At("users/[id]").POST().Do(showDefaults) }, `POST /users/7 {"items":[{"name":"a"}],"one":{"name":"b"},"two":{"name":"c"},"list":[{"name":"d"}]}`, `200 {"items":[{"name":"a"}],"list":[{"name":"d"}],"one":{"name":"b","qty":1},"two":{"name":"c"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(typedTree())
			tt.register(r)
			for _, path := range []string{"users/[id]", "[[lang]]/home"} { // an endpoint has a handler
				r.At(path).Method("KEEP").Do(func(*flow.Request) string { return "" })
			}
			is.NoErr(r.Check())
			parts := strings.SplitN(tt.request+" ", " ", 3)
			body := strings.TrimSpace(parts[2])
			media := ""
			if strings.HasPrefix(body, "{") {
				media = jsonMedia
			}
			w := do(r, sending(parts[0], parts[1], media, body))
			is.Equal(fmt.Sprint(w.Code)+" "+strings.TrimSpace(w.Body.String()), tt.want)
		})
	}
}

func showDay(_ *flow.Request, in struct {
	Day time.Time `param:"id"`
}) (string, error) {
	return in.Day.Weekday().String(), nil
}

type typedRow struct {
	Name string `json:"name"`
}

func (r typedRow) Validate() error {
	if r.Name == "" {
		return flow.Invalid{"name": "is required"}
	}
	return nil
}

func showRows(_ *flow.Request, in struct {
	Items []typedRow `json:"items"`
}) (string, error) {
	return fmt.Sprint(in.Items), nil
}

// defaultRow is inside of defaultOrder, whose Default calls that of One.
type (
	defaultRow struct {
		Name string `json:"name"`
		Qty  int    `json:"qty,omitempty"`
	}
	defaultOrder struct {
		Items []defaultRow  `json:"items"`
		List  []*defaultRow `json:"list"`
		One   defaultRow    `json:"one"`
		Two   *defaultRow   `json:"two"`
	}
)

func (r *defaultRow) Default() { r.Qty = 1 }

func (o *defaultOrder) Default() { o.One.Default() }

func showDefaults(_ *flow.Request, in defaultOrder) (defaultOrder, error) { return in, nil }

// again shows a form again if it is wrong.
func again(_ *flow.Request, in flow.Form[typedIn]) (flow.Response, error) {
	resp := flow.Text(fmt.Sprint(in.Value.Name, " ", map[string]string(in.Wrong)))
	if in.Wrong != nil {
		resp = resp.Status(http.StatusUnprocessableEntity)
	}
	return resp, nil
}

type namedAny any

// anything has a handler that says nothing of its answer.
type anything struct{}

func (anything) Show(*flow.Request) (any, error) { return nil, nil }

// unsent has a channel, which JSON cannot show.
type unsent struct {
	Next *unsent
	Jobs map[string][]job
}

type job struct{ Done chan int }

// sentFields has fields that JSON shows, or leaves out.
type sentFields struct {
	At      time.Time
	Price   *big.Int
	Any     any
	Self    *sentFields
	Left    chan int       `json:"-"`
	Zero    func()         `json:",omitzero"`
	Of      *http.Response `json:",omitempty"`
	Encodes encodes
	job     `json:"-"`
	hidden
	Done string // hides that of hidden
}

type hidden struct{ Done chan int }

// encodes has a JSON form of its own.
type encodes struct{ Done chan int }

func (*encodes) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func TestTypedFaults(t *testing.T) {
	for _, tt := range []struct {
		name     string
		register func(f *flow.File)
		want     string // part of the report; "" if there is no fault
	}{
		{"unknown parameter", func(f *flow.File) {
			f.GET().Do(func(*flow.Request, struct {
				ID int `param:"idd"`
			}) error {
				return nil
			})
		}, `has a field with the tag param:"idd", and router/users/[id].http has no such parameter: did you mean "id"?`},
		{"in a Form", func(f *flow.File) {
			f.GET().Do(func(*flow.Request, flow.Form[struct {
				ID int `param:"name"`
			}]) error {
				return nil
			})
		}, `param:"name", and router/users/[id].http has no such parameter`},
		{"pointer", func(f *flow.File) { f.GET().Do(func(*flow.Request, *typedIn) error { return nil }) }, "take a flow_test.typedIn"},
		{"embedded pointer to a Form", func(f *flow.File) {
			f.GET().Do(func(*flow.Request, struct{ *flow.Form[typedIn] }) error { return nil })
		}, "which embeds a pointer to a flow.Form: nothing sets it, so embed the Form itself"},
		{"tag beside an embedded Form", func(f *flow.File) {
			f.GET().Do(func(*flow.Request, struct {
				flow.Form[typedIn]
				Page int `query:"page"`
			}) error {
				return nil
			})
		}, "of which only the flow.Form in it is filled, and not Page"},
		{"data of the page beside an embedded Form", func(f *flow.File) {
			f.GET().Do(func(*flow.Request, struct {
				flow.Form[typedIn]
				Langs []string
			}) error {
				return nil
			})
		}, ""},
		{"no struct", func(f *flow.File) { f.GET().Do(func(*flow.Request, int) error { return nil }) }, "take a struct, or a flow.Form of one"},
		{"status of an error", func(f *flow.File) { f.GET().Status(404).Do(showTyped) }, "give one from 200 to 299"},
		{"status without a body", func(f *flow.File) { f.GET().Status(204).Do(showTyped) }, "such an answer has no body"},
		{"status of a Response", func(f *flow.File) {
			f.GET().Status(201).Do(func(*flow.Request) flow.Response { return flow.Text("") })
		}, "Response.Status"},
		{"status of a Response, with input", func(f *flow.File) {
			f.GET().Status(201).Do(func(*flow.Request, typedIn) (flow.Response, error) { return flow.Text(""), nil })
		}, "Response.Status"},
		{"other results", func(f *flow.File) { f.GET().Do(func(*flow.Request, typedIn) typedOut { return typedOut{} }) }, "a handler is one of"},
		{"other arguments", func(f *flow.File) { f.GET().Do(func(typedIn) (typedOut, error) { return typedOut{}, nil }) }, "a handler is one of"},
		{"no results", func(f *flow.File) { f.GET().Do(func(*flow.Request, typedIn) {}) }, "a handler is one of"},
		{"any", func(f *flow.File) { f.GET().Do(func(*flow.Request) (any, error) { return flow.Text("x"), nil }) }, "the handler returns a value of any type, and a flow.Response or an error in it would be sent as data: name the type, or return a flow.Response"},
		{"any, of a controller", func(f *flow.File) { f.GET().To(anything{}, "Show") }, "name the type"},
		{"an empty interface with a name", func(f *flow.File) { f.GET().Do(func(*flow.Request) (namedAny, error) { return nil, nil }) }, "name the type"},
		{"a pointer to a Response", func(f *flow.File) { f.GET().Do(func(*flow.Request) (*flow.Response, error) { return nil, nil }) }, "returns *flow.Response, which would be sent as data: return a flow.Response"},
		{"an interface that a Response fits in", func(f *flow.File) {
			f.GET().Do(func(*flow.Request) (interface{ Status(int) flow.Response }, error) { return flow.Text(""), nil })
		}, "which would be sent as data: return a flow.Response"},
		{"an error", func(f *flow.File) { f.GET().Do(func(*flow.Request) (error, error) { return nil, nil }) }, "returns error as its data: return an error as the second result"},
		{"an http.Handler", func(f *flow.File) { f.GET().Do(func(*flow.Request) (http.Handler, error) { return nil, nil }) }, "returns http.Handler as its data: return the flow.Response of flow.Handler"},
		{"a Reader", func(f *flow.File) { f.GET().Do(func(*flow.Request) (io.ReadCloser, error) { return nil, nil }) }, "of which nothing would be read: return the flow.Response of flow.Bytes or flow.Handler"},
		{"a channel", func(f *flow.File) { f.GET().Do(func(*flow.Request) (chan int, error) { return nil, nil }) }, "the handler returns chan int as its data, and encoding/json cannot encode a chan int: return data of another type, or a flow.Response"},
		{"a map by structs", func(f *flow.File) { f.GET().Do(func(*flow.Request) (map[typedIn]int, error) { return nil, nil }) }, "encoding/json cannot encode a map[flow_test.typedIn]int"},
		{"a Request", func(f *flow.File) { f.GET().Do(func(*flow.Request) (*flow.Request, error) { return nil, nil }) }, "GetBody, since it is or holds a func() (io.ReadCloser, error)"},
		{"a response of a client", func(f *flow.File) { f.GET().Do(func(*flow.Request) (*http.Response, error) { return nil, nil }) }, "encoding/json cannot encode http."},
		{"a channel in a list in a field", func(f *flow.File) { f.GET().Do(func(*flow.Request) (unsent, error) { return unsent{}, nil }) }, `encoding/json cannot encode flow_test.job.Done, since it is or holds a chan int: give it another type, or the tag json:"-"`},
		{"Responses", func(f *flow.File) { f.GET().Do(func(*flow.Request) ([]flow.Response, error) { return nil, nil }) }, "it is or holds a flow.Response, which JSON shows as {}: return the flow.Response itself"},
		{"a map of errors", func(f *flow.File) { f.GET().Do(func(*flow.Request) (map[string]error, error) { return nil, nil }) }, "it is or holds an error, which JSON shows as {} whatever it says: give its text"},
		{"a field that is an error", func(f *flow.File) {
			f.GET().Do(func(*flow.Request) (struct{ Err error }, error) { return struct{ Err error }{}, nil })
		}, "struct{…}.Err is or holds an error"},
		{"a field that is an http.Handler", func(f *flow.File) {
			f.GET().Do(func(*flow.Request) (struct{ H http.Handler }, error) { return struct{ H http.Handler }{}, nil })
		}, "struct{…}.H is or holds an http.Handler"},
		{"fields that JSON leaves out", func(f *flow.File) { f.GET().Do(func(*flow.Request) ([]sentFields, error) { return nil, nil }) }, ""},
		{"an interface with methods", func(f *flow.File) { f.GET().Do(func(*flow.Request) (fmt.Stringer, error) { return nil, nil }) }, ""},
		{"an Invalid", func(f *flow.File) {
			f.GET().Do(func(_ *flow.Request, in flow.Form[typedIn]) (flow.Invalid, error) { return in.Wrong, nil })
		}, ""},
		{"a Form", func(f *flow.File) {
			f.GET().Do(func(_ *flow.Request, in flow.Form[typedIn]) (flow.Form[typedIn], error) { return in, nil })
		}, ""},
		{"a map", func(f *flow.File) { f.GET().Do(func(*flow.Request) (map[string]any, error) { return nil, nil }) }, ""},
		{"a list of any", func(f *flow.File) { f.GET().Do(func(*flow.Request) ([]any, error) { return nil, nil }) }, ""},
		{"JSON", func(f *flow.File) { f.GET().Do(func(*flow.Request) (json.RawMessage, error) { return nil, nil }) }, ""},
		{"right", func(f *flow.File) { f.GET().Do(showTyped) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
			tt.register(r.At("users/[id]"))
			err := r.Check()
			if tt.want == "" {
				is.NoErr(err)
				return
			}
			is.True(err != nil)
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "typed_test.go:") {
				t.Error(err)
			}
		})
	}
}

// TestTypedCost: reflection adds three allocations at most.
func TestTypedCost(t *testing.T) {
	is := is.New(t)
	build := func(handler any) func() float64 {
		r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
		r.At("users/[id]").GET().Do(handler)
		is.NoErr(r.Check())
		req := httptest.NewRequest("GET", "/users/7", nil)
		return func() float64 {
			return testing.AllocsPerRun(500, func() { r.ServeHTTP(httptest.NewRecorder(), req) })
		}
	}
	untyped := build(func(req *flow.Request) (flow.Response, error) {
		var in struct {
			ID int `param:"id"`
		}
		err := req.Bind(&in)
		return flow.JSON(typedOut{fmt.Sprint(in.ID)}), err
	})
	byType := build(func(_ *flow.Request, in struct {
		ID int `param:"id"`
	}) (typedOut, error) {
		return typedOut{fmt.Sprint(in.ID)}, nil
	})
	if more := byType() - untyped(); more > 3 {
		t.Errorf("%v allocations more", more)
	}
}

type pageUser struct {
	Name  string
	Email string
}

type pageUsers struct {
	Users []pageUser
	Query string
}

func TestTypedPagesAreChecked(t *testing.T) {
	list := func(*flow.Request) (pageUsers, error) { return pageUsers{Users: []pageUser{{"Ada", "a@b.c"}}}, nil }
	one := func(*flow.Request) (pageUser, error) { return pageUser{"Ada", "a@b.c"}, nil }
	layout := `<!doctype html><title>{{block "title" .}}x{{end}}</title>{{template "content" .}}`
	for _, tt := range []struct {
		name, layout, users, row, page string
		want                           string // the whole report; "" if there is no fault
	}{
		{"right", layout, `{{range .Users}}{{template "+row" .}}{{end}}{{with .Query}}{{.}}{{end}}`, `<li>{{.Name}}`, `{{.Email}}`, ""},
		{"field", layout, `{{range .Users}}{{.Nme}}{{end}}`, "", `{{.Email}}`,
			`router/users.html:1:20: {{.Nme}}: flow_test.pageUser has no field or method Nme: did you mean "Name"?`},
		{"two lines, and both pages", layout, "a\n{{.Userss}}", "", "b\n\n  {{.Emial}}",
			"router/one.html:3:6: {{.Emial}}: flow_test.pageUser has no field or method Emial: did you mean \"Email\"?\n" +
				"router/users.html:2:4: {{.Userss}}: flow_test.pageUsers has no field or method Userss: did you mean \"Users\"?"},
		{"partial", layout, `{{range .Users}}{{template "+row" .}}{{end}}`, `<li>{{.Nam}}`, `{{template "+row" .}}`,
			`router/+row.html:1:8: {{.Nam}}: flow_test.pageUser has no field or method Nam: did you mean "Name"? (with the data of router/one.html and of 1 more)`},
		{"layout", layout + `{{.Nope}}`, "", "", "",
			`router/+layout.html:1:85: {{.Nope}}: flow_test.pageUser has no field or method Nope: did you mean "Name"? (with the data of router/one.html and of 1 more)`},
		{"define", layout, `{{define "title"}}{{.Qery}}{{end}}`, "", "",
			`router/users.html:1:22: {{.Qery}}: flow_test.pageUsers has no field or method Qery: did you mean "Query"?`},
		{"function", layout, `{{shout .Users}}`, "", "",
			`router/users.html:1:10: {{shout .Users}}: .Users is []flow_test.pageUser, and shout takes string`},
		{"a page without types is not checked", layout, "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tree := fstest.MapFS{
				"router/+layout.html": {Data: []byte(tt.layout)},
				"router/users.html":   {Data: []byte(tt.users)},
				"router/one.html":     {Data: []byte(tt.page)},
				"router/free.html":    {Data: []byte(`{{with .}}{{.Any.Thing}}{{end}}`)},
			}
			if tt.row != "" {
				tree["router/+row.html"] = &fstest.MapFile{Data: []byte(tt.row)}
			}
			r := flow.New(tree)
			r.Funcs = map[string]any{"shout": strings.ToUpper}
			r.At("users").GET().Do(list)
			r.At("one").GET().Do(one)
			r.At("free").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
			is.Equal(errorText(r.Check()), tt.want)
			if tt.want == "" {
				is.Equal(serve(r, "GET", "/users").Code, 200)
			}
		})
	}
}

func TestDeclaredPages(t *testing.T) {
	r := typedapp.Router
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ request, want string }{
		{"GET /users", "200 <li>Ada</li>"},
		{"GET /users?part=list", "200 <li>Ada</li>"},
		{"GET /users?part=count", "200 1"},
		{"GET /users?part=row", "200 <li>Ada</li>"},
		{"POST /users {\"name\":\"Bob\"}", "200 <li>Bob</li>"},
		{"POST /users {}", "422  is required"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			parts := strings.SplitN(tt.request+" ", " ", 3)
			w := do(r, sending(parts[0], parts[1], jsonMedia, parts[2]))
			is.Equal(fmt.Sprint(w.Code, " ")+strings.TrimRight(w.Body.String(), "\n"), tt.want)
		})
	}
}

func TestDeclarationFaults(t *testing.T) {
	is := is.New(t)
	is.Equal(errorText(typedfaults.Router.Check()), strings.Join([]string{
		`testdata/typedfaults/api.go:5: flow.PageOf declares the page of this counterpart, and testdata/typedfaults/router/api.http is no page: answer with JSON, or declare a template with flow.ViewOf`,
		`testdata/typedfaults/api.go:10: flow.JSONOf(99) is no status of an answer with JSON: give one from 200 to 599`,
		`testdata/typedfaults/api.go:11: flow.JSONOf(204): such an answer has no body (RFC 9110, section 15): answer with flow.Response{}.Status(204)`,
		`testdata/typedfaults/api.go:13: flow.JSONOf(202) declares this status a second time, after testdata/typedfaults/api.go:12: keep one`,
		`testdata/typedfaults/app.go:19: flow.PageOf speaks of the route whose counterpart this file is, and no route file has the counterpart app.go: rename one of them, or say the path with flow.ViewOf`,
		`testdata/typedfaults/app.go:20: no template is called "+raw": did you mean "+row"?`,
		`testdata/typedfaults/app.go:24: flow.JSONOf speaks of the route whose counterpart this file is, and no route file has the counterpart app.go: rename one of them, or answer with flow.JSON, which declares nothing`,
		`testdata/typedfaults/router/+row.html:1:4: {{.Email}}: typedfaults.user has no field or method Email`,
		`testdata/typedfaults/router/users.html:2:4: {{.Nam}}: typedfaults.user has no field or method Nam: did you mean "Name"?`,
		`testdata/typedfaults/users.go:7: testdata/typedfaults/router/users.html has no {{define}} or {{block}} that is called "lits": did you mean "list"?`,
	}, "\n"))
}

// TestDataThatIsNotDeclared: Page and View take anything, and what Check has not looked at is
// logged once for each page. It renders as before.
func TestDataThatIsNotDeclared(t *testing.T) {
	for _, tt := range []struct{ other, want string }{ // the page, and what it was given; "" for no record
		{"same", ""},
		{"pointer", ""},
		{"type", "users/index.html typedapp.likeUsers"},
		{"nil", "users/index.html <nil>"},
		{"block", ""},
		{"declared block", ""},
		{"declared block type", "users/index.html typedapp.likeUsers"},
		{"view", ""},
		{"view type", "users/+row.html struct { Name string }"},
	} {
		for _, mode := range []string{"production", "development"} {
			t.Run(tt.other+" in "+mode, func(t *testing.T) {
				is := is.New(t)
				r := typedapp.New()
				var records []string
				r.Logger = slog.New(eachRecord(func(rec slog.Record) {
					attrs := map[string]string{}
					rec.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value.String(); return true })
					is.Equal(rec.Level, slog.LevelWarn)
					is.True(strings.HasPrefix(rec.Message, "flow: a page is rendered with data of a type that it does not declare"))
					is.True(strings.Contains(attrs["declared"], "typedapp/users.index.go:"))
					is.True(strings.Contains(attrs["handler"], "typedapp/users.index.go:"))
					is.Equal(attrs["pattern"], "GET /users")
					records = append(records, strings.TrimPrefix(attrs["page"], "testdata/typedapp/router/")+" "+attrs["data"])
				}))
				if mode == "development" {
					r.Dev("testdata/typedapp")
				}
				is.NoErr(r.Check())
				for range 3 {
					is.Equal(serve(r, "GET", "/users?other="+url.QueryEscape(tt.other)).Code, 200)
				}
				var want []string
				switch {
				case tt.want == "":
				case mode == "development": // where each request of the page says so
					want = []string{tt.want, tt.want, tt.want}
				default:
					want = []string{tt.want}
				}
				is.Equal(records, want)
			})
		}
	}
}

// eachRecord is a slog.Handler that calls itself for each record.
type eachRecord func(slog.Record)

func (f eachRecord) Enabled(context.Context, slog.Level) bool      { return true }
func (f eachRecord) Handle(_ context.Context, r slog.Record) error { f(r); return nil }
func (f eachRecord) WithAttrs([]slog.Attr) slog.Handler            { return f }
func (f eachRecord) WithGroup(string) slog.Handler                 { return f }

// TestInterfacesThatAreDeclared: a page whose type is an interface takes what implements it.
func TestInterfacesThatAreDeclared(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/a.html": {Data: []byte("{{.String}}")}, "router/b.html": {Data: []byte("{{.Any}}")}})
	records := 0
	r.Logger = slog.New(eachRecord(func(slog.Record) { records++ }))
	r.At("a").GET().Do(func(req *flow.Request) (fmt.Stringer, error) { return req.URL, nil })
	r.At("a").POST().Do(func(req *flow.Request) flow.Response { return flow.Page(req.URL) })
	r.At("a").PUT().Do(func(req *flow.Request) flow.Response { return flow.Page(struct{ String string }{"no method"}) })
	r.At("b").GET().Do(func(*flow.Request) flow.Response { return flow.Page(map[string]int{}) }) // says nothing of its data
	is.NoErr(r.Check())
	for _, tt := range []struct {
		request string
		want    int
	}{{"GET /a", 0}, {"POST /a", 0}, {"GET /b", 0}, {"PUT /a", 1}, {"PUT /a", 1}} {
		method, target, _ := strings.Cut(tt.request, " ")
		is.Equal(serve(r, method, target).Code, 200)
		is.Equal(records, tt.want)
	}
}
