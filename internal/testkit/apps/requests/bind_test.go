package requests_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// checked fails as it is told.
type checked struct {
	N   int
	err error
}

func (c *checked) Validate() error { return c.err }

// value has Validate on the value.
type value struct{ N int }

func (v value) Validate() error { return flow.Invalid{"N": fmt.Sprint(v.N)} }

func TestValidate(t *testing.T) {
	down := errors.New("the database is down")
	var none flow.Invalid
	for _, tt := range []struct {
		name, query string
		err, want   error
	}{
		{"nil", "N=1", nil, nil},
		{"nil Invalid", "N=1", none, nil},
		{"empty Invalid", "N=1", flow.Invalid{}, nil},
		{"empty Invalid, wrapped", "N=1", fmt.Errorf("checked: %w", flow.Invalid{}), nil},
		{"Invalid", "N=1", flow.Invalid{"N": "is odd"}, flow.Invalid{"N": "is odd"}},
		{"both", "N=x", flow.Invalid{"N": "is zero", "M": "is missing"}, flow.Invalid{"N": "must be a whole number", "M": "is missing"}},
		{"conversion only", "N=x", nil, flow.Invalid{"N": "must be a whole number"}},
		{"other error", "N=1", down, down},
		{"other error goes first", "N=x", down, down},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			given, _ := tt.err.(flow.Invalid)
			given = maps.Clone(given)
			is.Equal(flow.NewRequest(httptest.NewRequest("GET", "/?"+tt.query, nil)).Bind(&checked{err: tt.err}), tt.want)
			if after, ok := tt.err.(flow.Invalid); ok {
				is.Equal(after, given) // Bind changed what is not its own
			}
		})
	}
	is := is.New(t)
	is.Equal(flow.NewRequest(httptest.NewRequest("GET", "/?N=4", nil)).Bind(&value{}), flow.Invalid{"N": "4"})
	is.Equal(flow.NewRequest(flowtest.Sending("POST", "/", flowtest.JSON, `{"N":5}`)).Bind(&value{}), flow.Invalid{"N": "5"})
}

type (
	order struct {
		Shop   string   `param:"shop"`
		ID     int      `param:"id"`
		Path   []string `param:"path"`
		Notify bool     `query:"notify"`
		Buyer  buyer    `json:"buyer"`
		Items  []*item  `json:"items"`
	}
	buyer struct {
		Email string `json:"email"`
		Age   int    `json:"age"`
	}
	item struct {
		Name string `json:"name"`
	}
)

func (b buyer) Validate() error {
	wrong := flow.Invalid{}
	if b.Email == "" {
		wrong["email"] = "is required"
	}
	if b.Age < 18 {
		wrong["age"] = "must be 18 at least"
	}
	return wrong
}

func (i *item) Validate() error {
	if i.Name == "" {
		return flow.Invalid{"name": "is required"}
	}
	return nil
}

// TestBindFromEverywhere: through a Router, the route, the query and the body each fill
// what is theirs, and each struct inside is validated.
func TestBindFromEverywhere(t *testing.T) {
	r := flow.New(flowtest.Files("router/orders/[id].http", "router/files/[id]/[[...path]].http"))
	answer := func(req *flow.Request) (flow.Response, error) {
		var o order
		if err := req.Bind(&o); err != nil {
			return flow.Response{}, err
		}
		return flow.Text(fmt.Sprintf("%s %d %q %v %v %d", o.Shop, o.ID, o.Path, o.Notify, o.Buyer, len(o.Items))), nil
	}
	r.At("orders/[id]").PUT().Do(answer)
	r.At("files/[id]/[[...path]]").PUT().Do(answer)
	outer := flow.New(flowtest.Files("router/about.http"))
	outer.At("about").GET().Do(apptest.Hello)
	outer.Mount("/shops/[shop]", r)
	const good = `{"buyer":{"email":"a@b","age":20},"items":[{"name":"x"}]}`
	for _, tt := range []struct {
		target, body string
		code         int
		want         string // the answer, or what is invalid
	}{
		{"/orders/7?notify=true", good, 200, `s 7 [] true {a@b 20} 1`},
		{"/files/7/a/b%2Fc?notify=0", good, 200, `s 7 ["a" "b/c"] false {a@b 20} 1`},
		{"/files/7", good, 200, `s 7 [] false {a@b 20} 1`},
		{"/orders/7", `{"ID":8,"id":8,"notify":true,"Notify":true,"Path":["x"],` + good[1:], 200, `s 7 [] false {a@b 20} 1`},
		{"/orders/x?notify=x", good, 422, `map[id:must be a whole number notify:must be true or false]`},
		{"/orders/7", `{"items":[{"name":"x"},{}]}`, 422, `map[buyer.age:must be 18 at least buyer.email:is required items.1.name:is required]`},
		{"/orders/7", `{"buyer":{"age":"x"},"items":[{"name":1}]}`, 422, `map[buyer.age:must be a whole number items.0.name:must be text]`},
		{"/orders/7", `{"buyer":[],"items":5}`, 422, `map[buyer:must be an object items:must be a list]`},
	} {
		t.Run(tt.target+" "+tt.body, func(t *testing.T) {
			is := is.New(t)
			w := apptest.Do(outer, flowtest.Sending("PUT", "/shops/s"+tt.target, flowtest.JSON, tt.body))
			is.Equal(w.Code, tt.code)
			if w.Code == 200 {
				is.Equal(w.Body.String(), tt.want)
				return
			}
			var problem struct{ Errors map[string]string }
			is.NoErr(json.Unmarshal(w.Body.Bytes(), &problem))
			is.Equal(fmt.Sprint(problem.Errors), tt.want)
		})
	}
}

// sent tells what a client has left out from what it has set to null: the documents show
// this type.
type sent[T any] struct {
	Is    bool
	Value *T
}

func (s *sent[T]) UnmarshalJSON(text []byte) error {
	s.Is = true
	return json.Unmarshal(text, &s.Value)
}

// TestAbsentAndNull are the three ways that the documents name.
func TestAbsentAndNull(t *testing.T) {
	for _, tt := range []struct{ body, present, typed, kept string }{
		{`{}`, "map[]", "{false nil}", "old"},
		{`{"nick":null}`, "map[nick:<nil>]", "{true nil}", "nil"},
		{`{"nick":"new"}`, "map[nick:new]", "{true new}", "new"},
		{`{"nick":5}`, "map[nick:5]", "nick: must be text", "nick: must be text"},
	} {
		t.Run(tt.body, func(t *testing.T) {
			is := is.New(t)
			req := flow.NewRequest(flowtest.Sending("PATCH", "/", flowtest.JSON, tt.body))
			is.Equal(fmt.Sprint(map[string]any(req.Only("nick"))), tt.present)

			say := func(s *string, err error) string {
				switch {
				case err != nil:
					return strings.TrimPrefix(err.Error(), "invalid input: ")
				case s == nil:
					return "nil"
				}
				return *s
			}
			var typed struct {
				Nick sent[string] `json:"nick"`
			}
			err := req.Bind(&typed)
			got := fmt.Sprintf("{%v %s}", typed.Nick.Is, say(typed.Nick.Value, nil))
			if err != nil {
				got = say(nil, err)
			}
			is.Equal(got, tt.typed)

			old := "old"
			kept := struct {
				Nick *string `json:"nick"`
			}{&old}
			err = req.Bind(&kept)
			is.Equal(say(kept.Nick, err), tt.kept)
		})
	}
}

// TestBindErrors: a mistake of the program is no mistake of the client.
func TestBindErrors(t *testing.T) {
	type form struct{ N int }
	for _, tt := range []struct {
		name string
		dst  any
		want string
	}{
		{"struct", form{}, "flow: Bind needs a pointer to a struct, not a requests_test.form"},
		{"nil", nil, "flow: Bind needs a pointer to a struct, not a <nil>"},
		{"nil pointer", (*form)(nil), "flow: Bind needs a pointer to a struct, not a *requests_test.form"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := flow.NewRequest(flowtest.Sending("POST", "/", flowtest.JSON, `{}`)).Bind(tt.dst)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
			is.Equal(flow.StatusOf(err), 500)
		})
	}
}

// TestBindBlamesTheClient: what a client sends to a handler that does not take it is
// answered as a mistake of the client, and leaves no record.
func TestBindBlamesTheClient(t *testing.T) {
	for _, tt := range []struct {
		name, media, body string
		dst               func() any
		want              string // the detail of the problem
	}{
		{"malformed", flowtest.JSON, `{`, func() any { return new(order) }, "400 the body is not valid JSON"},
		{"no object", flowtest.JSON, `[]`, func() any { return new(order) }, "400 the body is not a JSON object"},
		{"another kind of body", "text/plain", `N=1`, func() any { return new(order) }, "415 the body is neither JSON nor a form"},
		{"empty, for a list", flowtest.JSON, ``, func() any { return &[]int{} }, "400 the body is empty, and JSON is expected"},
		{"a form, for a map", flowtest.Form, `a=1`, func() any { return &map[string]int{} }, "415 the body is not JSON"},
		{"a form, for a text", flowtest.Multipart, flowtest.Parts("a=1"), func() any { return &netip.Addr{} }, "415 the body is not JSON"},
		{"no media type, for anything", "", `[1]`, func() any { return new(any) }, "415 the body is not JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(func(req *flow.Request) (flow.Response, error) { return flow.Response{}, req.Bind(tt.dst()) })
			w := apptest.Do(r, flowtest.Sending("POST", "/x", tt.media, tt.body))
			var problem apptest.ProblemBody
			is.NoErr(json.Unmarshal(w.Body.Bytes(), &problem))
			is.Equal(fmt.Sprint(w.Code, " ", problem.Detail), tt.want)
			is.Equal(log.String(), "")
		})
	}
}

func TestNumbersAndCopiesOfAll(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(func(req *flow.Request) string {
		_, isNumber := req.All()["n"].(json.Number)
		is.True(isNumber)
		req.All()["n"] = "changed"
		req.Inputs("l")[0] = "changed"
		is.Equal(req.Input("n"), "1")
		is.Equal(req.Input("l"), "a")
		is.Equal(req.Only("x"), flow.Data{})
		return ""
	})
	is.Equal(apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, `{"n":1,"l":["a"]}`)).Code, 200)
}
