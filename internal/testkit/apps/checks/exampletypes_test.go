package checks_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"

	"example.com/flow/internal/testkit/apptest"
)

type (
	orderIn struct {
		Org    string `param:"org"`
		Notify bool   `query:"notify"`

		Name    string      `json:"name"`
		Size    float64     `json:"size"`
		Seats   uint8       `json:"seats"`
		Urgent  bool        `json:"urgent"`
		Tags    []string    `json:"tags"`
		Address orderPlace  `json:"address"`
		Lines   []orderLine `json:"lines"`
		Note    *string     `json:"note"`
		Color   orderColor  `json:"color"`
		At      time.Time   `json:"at"`
		More    any         `json:"more"`
	}
	orderPlace struct {
		Street string `json:"street"`
	}
	orderLine struct {
		Amount int `json:"amount"`
	}
	soldOrder struct {
		ID      int            `json:"id"`
		Name    string         `json:"name"`
		Paid    bool           `json:"paid"`
		Tags    []string       `json:"tags"`
		Owner   orderPlace     `json:"owner"`
		Lines   []orderLine    `json:"lines"`
		Counts  map[string]int `json:"counts"`
		Comment string         `json:"comment,omitempty"`
		Parent  *soldOrder     `json:"parent,omitempty"`
		At      time.Time      `json:"at"`
	}
	orderColor string
)

func (orderColor) JSONSchema(s map[string]any) { s["enum"] = []string{"red", "green"} }

// ordersRouter has one route file with a text.
func ordersRouter(text string) *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/orgs/[org]/orders.http": &fstest.MapFile{Data: []byte(text)},
		"router/orgs/[org]/_body.json":  &fstest.MapFile{Data: []byte("{\n\"siez\": 1\n}")},
	})
	f := r.At("orgs/[org]/orders")
	f.POST().Status(201).Do(func(*flow.Request, orderIn) (soldOrder, error) { return soldOrder{}, nil })
	f.GET().Do(func(*flow.Request, struct{ Page int }) ([]soldOrder, error) { return nil, nil })
	f.PUT().Do(func(*flow.Request, orderIn) (*soldOrder, error) { return nil, nil })
	f.PATCH().Do(func(*flow.Request, orderIn) (flow.Response, error) { return flow.Response{}, nil })
	f.DELETE().Do(func(*flow.Request) flow.Response { return flow.Response{} })
	return r
}

const (
	postOrder = "POST /orgs/a/orders\nContent-Type: application/json\n\n"
	wholeJSON = `"id": 1, "name": "a", "paid": true, "tags": [], "owner": {"street": "b"}, "lines": null, "counts": {"a": 1}, "at": "2026-01-02T03:04:05Z"`
)

// seeded are mistakes that people make in examples, with what Check says. They were written before
// the rules.
var seeded = []struct{ name, text, want string }{
	{"a key misspelt", postOrder + `{"siez": 1}`, `4: POST /orgs/a/orders: the body: siez: is no field: did you mean "size"?`},
	{"in its own line", postOrder + "{\n  \"name\": \"a\",\n  \"seast\": 1\n}", `6: POST /orgs/a/orders: the body: seast: is no field: did you mean "seats"?`},
	{"inside", postOrder + `{"address": {"steret": "a"}}`, `4: POST /orgs/a/orders: the body: address.steret: is no field: did you mean "street"?`},
	{"in a list", postOrder + "{\"lines\": [{\"amount\": 1},\n{\"amuont\": 2}]}", `5: POST /orgs/a/orders: the body: lines[1].amuont: is no field: did you mean "amount"?`},
	{"a key of the URL", postOrder + `{"org": "a"}`, `4: POST /orgs/a/orders: the body: org: is no field: did you mean "more"?`},
	{"a text for a number", postOrder + `{"size": "1"}`, `4: POST /orgs/a/orders: the body: size: is a string, and must be a number`},
	{"a number for a text", postOrder + `{"name": 1}`, `4: POST /orgs/a/orders: the body: name: is a whole number, and must be a string`},
	{"a text for a boolean", postOrder + `{"urgent": "yes"}`, `4: POST /orgs/a/orders: the body: urgent: is a string, and must be a boolean`},
	{"a fraction", postOrder + `{"lines": [{"amount": 1.5}]}`, `4: POST /orgs/a/orders: the body: lines[0].amount: is 1.5, and must be a whole number`},
	{"a number too large", postOrder + `{"seats": 300}`, `4: POST /orgs/a/orders: the body: seats: is 300, and must be at most 255`},
	{"a text for a list", postOrder + `{"tags": "a"}`, `4: POST /orgs/a/orders: the body: tags: is a string, and must be a list`},
	{"a list for a struct", postOrder + `{"address": ["a"]}`, `4: POST /orgs/a/orders: the body: address: is a list, and must be an object`},
	{"a list as a whole", postOrder + `[{"name": "a"}]`, `4: POST /orgs/a/orders: the body: is a list, and must be an object`},
	{"a comma too many", postOrder + "{\n\"name\": \"a\",\n}", `6: POST /orgs/a/orders: the body: is no JSON: invalid character '}' looking for beginning of object key string`},
	{"a word that is none of the list", postOrder + `{"color": "blue"}`, `4: POST /orgs/a/orders: the body: color: is "blue", and must be one of "red", "green"`},
	{"a variable", "@size = big\n" + postOrder + `{"size": "{{size}}"}`, `5: POST /orgs/a/orders: the body: size: is a string, and must be a number`},
	{"a tag in another case", postOrder + `{"NAME": "a"}`, `4: POST /orgs/a/orders: the body: NAME: is no field`},
	{"in a file", postOrder + `< ./_body.json`, `4: POST /orgs/a/orders: the body: siez: is no field: did you mean "size"?`},
	{"another way to answer", "PATCH /orgs/a/orders\nContent-Type: application/json\n\n{\"nmae\": \"a\"}\n\n# ?? status == 202", `4: PATCH /orgs/a/orders: the body: nmae: is no field: did you mean "name"?`},

	{"a key of a form", "POST /orgs/a/orders\nContent-Type: application/x-www-form-urlencoded\n\nname=a\n&siez=1", `5: POST /orgs/a/orders: the body: siez: is no field: did you mean "size"?`},
	{"a key inside of a form", "POST /orgs/a/orders\nContent-Type: application/x-www-form-urlencoded\n\naddress.steret=a", `4: POST /orgs/a/orders: the body: address.steret: is no field: did you mean "address.street"?`},
	{"a value of a form", "POST /orgs/a/orders\nContent-Type: application/x-www-form-urlencoded\n\nseats=300", `4: POST /orgs/a/orders: the body: seats: is "300", and must be a whole number from 0 to 255`},
	{"a key of the query", "GET /orgs/a/orders?paeg=1", `1: GET /orgs/a/orders?paeg=1: the query: paeg: is no field: did you mean "Page"?`},
	{"a value of the query", "GET /orgs/a/orders?page=x", `1: GET /orgs/a/orders?page=x: the query: page: is "x", and must be a whole number`},
	{"a key of the query beside a body", strings.Replace(postOrder, "orders", "orders?notfiy=true", 1) + `{}`, `1: POST /orgs/a/orders?notfiy=true: the query: notfiy: is no field: did you mean "notify"?`},
	{"a value of the query beside a body", strings.Replace(postOrder, "orders", "orders?notify=maybe", 1) + `{}`, `1: POST /orgs/a/orders?notify=maybe: the query: notify: is "maybe", and must be true or false`},
	{"a status that is never", "GET /orgs/a/orders\n# ?? status == 201\n# ?? body isArray", `2: GET /orgs/a/orders: the expected answer: the status is 201, and the handler declares 200: declare it with flow.JSONOf, or give the handler that status`},
	{"a key beside it", "GET /orgs/a/orders\n# ?? status == 201\n# ?? body [0].nmae exists", "2: GET /orgs/a/orders: the expected answer: the status is 201, and the handler declares 200: declare it with flow.JSONOf, or give the handler that status\nrouter/orgs/[org]/orders.http:3: GET /orgs/a/orders: the expected answer: [0].nmae: is no field: did you mean \"name\"?"},

	{"a key that is expected", postOrder + "{}\n\n# ?? status == 201\n# ?? body nmae == x", `7: POST /orgs/a/orders: the expected answer: nmae: is no field: did you mean "name"?`},
	{"one inside", postOrder + "{}\n\n# ?? body owner.steret isString", `6: POST /orgs/a/orders: the expected answer: owner.steret: is no field: did you mean "street"?`},
	{"one in a list", "GET /orgs/a/orders\n# ?? body [0].liens exists", `2: GET /orgs/a/orders: the expected answer: [0].liens: is no field: did you mean "lines"?`},
	{"behind a pointer", "PUT /orgs/a/orders\n# ?? body parent.parent.nmae == x", `2: PUT /orgs/a/orders: the expected answer: parent.parent.nmae: is no field: did you mean "name"?`},
	{"another type", postOrder + "{}\n\n# ?? body id isString", `6: POST /orgs/a/orders: the expected answer: id is a whole number, so isString never holds`},
	{"an index where no list is", postOrder + "{}\n\n# ?? body [0].id == 1", `6: POST /orgs/a/orders: the expected answer: the body: is no list, but an object`},
	{"a list where none is", postOrder + "{}\n\n# ?? body isArray", `6: POST /orgs/a/orders: the expected answer: is an object, so isArray never holds`},
	{"a text that is no number", postOrder + "{}\n\n# ?? body lines[0].amount == many", `6: POST /orgs/a/orders: the expected answer: lines[0].amount is a whole number, and never many`},
	{"a whole answer with a key misspelt", postOrder + "{}\n\n# ?? body == {" + wholeJSON + `, "coment": "c"}`, `6: POST /orgs/a/orders: the expected answer: coment: is no field: did you mean "comment"?`},
	{"a whole answer that lacks a key", postOrder + "{}\n\n# ?? body == {" + strings.Replace(wholeJSON, `"tags": [], `, "", 1) + "}", `6: POST /orgs/a/orders: the expected answer: lacks tags`},
	{"a part of an answer", postOrder + "{}\n\n# ?? body owner == {\"street\": 1}", `6: POST /orgs/a/orders: the expected answer: owner street: is a whole number, and must be a string`},
}

func TestExamplesHaveTheShapesOfTheirTypes(t *testing.T) {
	for _, tt := range seeded {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := ordersRouter(tt.text).Check()
			is.True(err != nil)
			is.Equal(err.Error(), "router/orgs/[org]/orders.http:"+tt.want)
		})
	}
}

// A handler may ask its Request for keys that its type does not have.
func TestKeysThatTheRequestMayBeAskedForAreWarnings(t *testing.T) {
	is := is.New(t)
	r := ordersRouter("GET /orgs/a/orders?serach=blue")
	is.NoErr(r.Check())
	is.Equal(apptest.Checked(r), "router/orgs/[org]/orders.http:1: warning: GET /orgs/a/orders?serach=blue: the query: serach: is no field of struct { Page int }, which has Page")
}

// A step has the shapes of the handler that answers it, in whichever file that is.
func TestStepsHaveTheShapesOfTheirTypes(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{
		"router/a.http":    &fstest.MapFile{Data: []byte("# @name first\nPOST /b\nContent-Type: application/json\n\n{\"stret\": \"x\"}\n\n###\nGET /a\n")},
		"router/b.http":    {},
		"router/[id].http": {},
	})
	do := func(*flow.Request, orderPlace) error { return nil }
	r.At("a").GET().Do(do)
	r.At("b").POST().Do(do)
	r.At("[id]").POST().Do(func(*flow.Request, orderLine) error { return nil })
	is.Equal(apptest.ErrorText(r.Check()), `router/a.http:5: POST /b: the body: stret: is no field: did you mean "street"?`)
}

// What may be meant is not told.
func TestExamplesThatFitTheirTypes(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"nothing", ""},
		{"all fields", postOrder + `{"name": "a", "size": 1.5, "seats": 255, "urgent": true, "tags": ["a"], "address": {"street": "b"}, "lines": [{"amount": 1}], "note": null, "color": "red", "at": "2026-01-02T03:04:05Z", "more": {"a": [1, "b"]}}`},
		{"no field", postOrder + `{}`},
		{"a key inside in another case", postOrder + `{"address": {"STREET": "a"}}`},
		{"what is refused", postOrder + "{\"siez\": \"x\"}\n\n# ?? status == 422\n# ?? body fields.size exists"},
		{"what only a test knows", "# @name first\n" + postOrder + "{}\n###\n" + postOrder + "{\"size\": {{first.response.body.$.id}}, \"nmae\": 1}"},
		{"a form", "POST /orgs/a/orders\nContent-Type: application/x-www-form-urlencoded\n\nname=a&SEATS=1&tags=a&tags=b&address.street=c"},
		{"a form that is refused", "POST /orgs/a/orders\nContent-Type: application/x-www-form-urlencoded\n\nsiez=1\n\n# ?? status == 422"},
		{"a query", "GET /orgs/a/orders?page=2"},
		{"a key of the query that the Request may be asked for", "GET /orgs/a/orders?debug=1"},
		{"a query of what only a test knows", "GET /orgs/a/orders?paeg={{token}}"},
		{"another media type", "POST /orgs/a/orders\nContent-Type: text/plain\n\n{\"siez\": 1}"},
		{"no media type", "POST /orgs/a/orders\n\n{\"siez\": 1}"},
		{"a handler that is not typed", "DELETE /orgs/a/orders\nContent-Type: application/json\n\n{\"siez\": 1}\n\n# ?? body nmae == x"},
		{"a handler that decides", "PATCH /orgs/a/orders\n# ?? body nmae == x"},
		{"a key that is not to be there", postOrder + "{}\n\n# ?? body password isFalse\n# ?? body secret == undefined\n# ?? body code != 1"},
		{"a whole answer", postOrder + "{}\n\n# ?? body == {" + wholeJSON + "}"},
		{"a part of an answer", postOrder + "{}\n\n# ?? body owner == {\"street\": \"b\"}\n# ?? body tags == [\"a\"]\n# ?? body lines == null\n# ?? body at == 2026-01-02T03:04:05Z"},
		{"places", "GET /orgs/a/orders\n# ?? body isArray\n# ?? body [0].counts.whatever == 1\n# ?? body length > 1\n# ?? body [0].tags.length == 2\n# ?? body [0].name.length == 1\n# ?? body [0].parent.id == 1\n# ?? body [0].paid == true\n# ?? body [0].id isNumber"},
		{"a text", "GET /orgs/a/orders\n# ?? body includes nmae\n# ?? body == abc\n# ?? header location exists"},
		{"a step in another file", "# @name first\nGET /orgs/a/orders\n# ?? body == {{token}}"},
	} {
		t.Run(tt.name, func(t *testing.T) { is.New(t).NoErr(ordersRouter(tt.text).Check()) })
	}
}

type (
	brokenColor string
	brokenWord  int
)

func (brokenColor) JSONSchema(s map[string]any) { s["enum"].([]any)[0] = "red" }
func (brokenWord) JSONSchema(s map[string]any)  { s["minimum"] = "one" }

// A JSONSchema that makes no schema is a fault at the handler, once, with a description of the API or
// without.
func TestFaultsOfJSONSchema(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/a.http": {}})
	type in struct{ Colors []brokenColor }
	r.At("a").POST().Do(func(*flow.Request, in) (brokenWord, error) { return 0, nil })
	r.At("a").PUT().Do(func(*flow.Request, in) error { return nil })
	err := r.Check()
	is.True(err != nil)
	lines := strings.Split(err.Error(), "\n")
	is.Equal(len(lines), 2)
	for i, want := range []string{
		"JSONSchema of checks_test.brokenColor panics: interface conversion: interface {} is nil, not []interface {}",
		"JSONSchema of checks_test.brokenWord makes no JSON Schema: json: ",
	} {
		is.True(strings.Contains(lines[i], "exampletypes_test.go:"))
		is.True(strings.Contains(lines[i], ": the handler has a type whose schema cannot be made: "+want))
	}
}

// validatedSize counts how often its Validate is called.
type validatedSize struct{ Size int }

var validations int

func (*validatedSize) Validate() error { validations++; return nil }

// Check asks no Validate about examples: that may depend on the day.
func TestExamplesAskNoValidate(t *testing.T) {
	is := is.New(t)
	check := func(text string) int {
		r := flow.New(fstest.MapFS{"router/a.http": &fstest.MapFile{Data: []byte(text)}})
		r.At("a").POST().Do(func(*flow.Request, validatedSize) error { return nil })
		before := validations
		is.NoErr(r.Check())
		return validations - before
	}
	check("") // what is asked once for each type is asked
	is.Equal(check("POST /a\nContent-Type: application/json\n\n{\"size\": 1}"), check(""))
}
