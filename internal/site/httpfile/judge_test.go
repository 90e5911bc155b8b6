package httpfile

import (
	"net/http"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// The results are those of httpyac: see the notes for its oddities.
func TestJudge(t *testing.T) {
	body := `{"id": 7, "name": "Ada", "zero": 0, "none": null, "no": false, "yes": true, "empty": "", "n": "12 b",
		"roles": ["admin", "staff"], "ids": [1, 23], "nothing": [], "at": {"b": 1, "a": {"x-y": [{"z": "é<"}]}}, "large": 12345678901234567890, "half": 1.50}`
	answer := &Answer{Status: 201, Header: http.Header{}, Body: []byte(body)}
	answer.Header.Set("Content-Type", "application/problem+json; charset=utf-8")
	answer.Header.Set("X-Count", "12")
	answer.Header["Vary"] = []string{"Accept", "Origin"}
	answer.Header["Set-Cookie"] = []string{"a=1; Path=/", "b=2"}
	list := &Answer{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`[{"id": 1}, 2]` + "\n")}
	text := &Answer{Status: 404, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("12 apples\n")}
	broken := &Answer{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"a": 1`)}
	for _, tt := range []struct {
		answer *Answer
		line   string
		want   string // "" if the answer is as expected
	}{
		{answer, "status == 201", ""},
		{answer, "status == 200", "is 201"},
		{answer, "status != 200", ""},
		{answer, "status >= 200", ""},
		{answer, "status < 201", "is 201"},
		{answer, "status startsWith 2", ""},
		{answer, "status isNumber", ""},

		{answer, "header content-type startsWith application/problem+json", ""},
		{answer, "header Content-Type == application/json", `is "application/problem+json; charset=utf-8"`},
		{answer, "header x-count > 11", ""},
		{answer, "header x-count == 12", ""},
		{answer, "header x-count isNumber", `is "12"`}, // a header is text
		{answer, "header vary == Accept, Origin", ""},
		{answer, "header vary includes Origin", ""},
		{answer, "header x-none == undefined", ""},
		{answer, "header x-none exists", "is nothing"},
		{answer, "header x-none isFalse", ""},
		{answer, "header x-none != undefined", "is nothing"},
		{answer, "header set-cookie includes b=2", ""},
		{answer, "header set-cookie includes c=", `is ["a=1; Path=/","b=2"]`},
		{answer, "header set-cookie exists", ""},
		{answer, "header set-cookie != undefined", ""},

		{answer, "body id == 7", ""},
		{answer, "body id == 7.0", ""},
		{answer, "body id == 7a", ""}, // a number is read as far as it goes
		{answer, "body id == seven", "is 7"},
		{answer, "body id != seven", ""},
		{answer, "body id > 6", ""},
		{answer, "body id > six", "is 7"},
		{answer, "body name == Ada", ""},
		{answer, `body name == "Ada"`, `is "Ada"`}, // quotation marks are a part of the text
		{answer, "body name != Ada", `is "Ada"`},
		{answer, "body name includes d", ""},
		{answer, "body name endsWith da", ""},
		{answer, "body name matches ^A.a$", ""},
		{answer, "body name matches ^a", `is "Ada"`},
		{answer, "body name.length == 3", ""},
		{answer, "body zero exists", "is 0"}, // to exist is to be truthy
		{answer, "body none exists", "is null"},
		{answer, "body no exists", "is false"},
		{answer, "body empty exists", `is ""`},
		{answer, "body nothing exists", ""}, // an empty list does
		{answer, "body zero isFalse", ""},
		{answer, "body none == null", ""},
		{answer, "body none != null", "is null"},
		{answer, "body none == undefined", "is null"},
		{answer, "body none isFalse", ""},
		{answer, "body no == false", ""},
		{answer, "body no == False", ""},
		{answer, "body no == no", "is false"}, // any other text is true
		{answer, "body yes == no", ""},
		{answer, "body yes == 0", "is true"},
		{answer, "body yes isBoolean", ""},
		{answer, "body no includes false", "is false"},
		{answer, "body n > 11", ""},
		{answer, "body missing == undefined", ""},
		{answer, "body missing.deeper == undefined", ""},
		{answer, "body missing.deeper isString", "is nothing"},
		{answer, "body id.x == undefined", ""},
		{answer, "body roles isArray", ""},
		{answer, "body roles.length == 2", ""},
		{answer, "body roles[1] == staff", ""},
		{answer, "body roles[2] == undefined", ""},
		{answer, "body roles includes staff", ""},
		{answer, "body roles includes taf", ""}, // it looks at the list as JSON
		{answer, "body ids includes 3", ""},
		{answer, `body roles == [ "admin", "staff" ]`, ""},
		{answer, `body roles == ["staff", "admin"]`, `is ["admin","staff"]`},
		{answer, `body roles != ["admin","staff"]`, ""}, // a list is never the same as another
		{answer, `body at == {"b": 1.0, "a": {"x-y": [{"z": "\u00e9<"}]}}`, ""},
		{answer, `body at == {"a": {"x-y": [{"z": "é<"}]}, "b": 1}`, `is {"b":1,"a":{"x-y":[{"z":"é<"}]}}`}, // in the order of the answer
		{answer, "body at.a.x-y[0].z == é<", ""},
		{answer, "body large == 12345678901234567890", ""},
		{answer, "body half == 1.5", ""},
		{answer, "body id == {{given}}", ""},
		{answer, "body name == {{missing}}", "{{missing}} has no value"},

		{list, "body isArray", ""},
		{list, "body isString", `is [{"id":1},2]`},
		{list, "body [0].id == 1", ""},
		{list, "body length == 2", ""},
		{list, `body startsWith [{"id": 1}`, ""}, // the text, as it was sent
		{list, `body == [{"id": 1}, 2]`, `is "[{\"id\": 1}, 2]\n"`},
		{text, "body isString", ""},
		{text, "body length == 2", "is nothing"},
		{text, "body includes apples", ""},
		{text, "body > 11", ""},
		{text, "body matches ^\\d+ apples\\s$", ""},
		{text, "body exists", ""},
		{broken, "body a == undefined", ""},
		{broken, "body includes 1", ""},
		{&Answer{Status: 204}, "body isFalse", ""},
		{&Answer{Status: 204}, "body == undefined", `is ""`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			is := is.New(t)
			f, said := parse("GET /\n# ?? " + tt.line)
			is.Equal(said, "")
			got := f.Requests[0].Expects[0].Judge(tt.answer, NewValues(map[string]string{"given": "7"}))
			if tt.want == "" {
				is.Equal(got, "")
				return
			}
			is.True(strings.HasPrefix(got, strings.Fields(tt.line)[0]+" "))
			is.True(strings.Contains(got, ": "+tt.want)) // after what was expected
		})
	}
}

func TestReferences(t *testing.T) {
	answer := &Answer{Status: 200, Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/users/7"}}, Body: []byte(`{"user": {"id": 7, "name": "Ada", "n": 1e3}, "list": [true, null]}`)}
	for _, tt := range []struct{ target, want string }{
		{"/{{login.response.body.$.user.id}}", "/7"},
		{"/{{login.response.body.$.user.name}}", "/Ada"},
		{"/{{login.response.body.$.user.n}}", "/1000"},
		{"/{{login.response.body.$.list[0]}}", "/true"},
		{"/{{login.response.body.$.list}}", "/[true,null]"},
		{"/{{login.response.body.$['list']}}", "no part of an answer"},
		{"/{{login.response.body.$.list[2]}}", "has nothing there"},
		{"/?q={{login.response.body.$.user}}", "/?q=%7B%22id%22:7,%22name%22:%22Ada%22,%22n%22:1000%7D"},
		{"/{{login.response.headers.location}}", "//users/7"},
		{"{{login.response.headers.Location}}", "/users/7"},
		{"/{{login.response.headers.etag}}", "has no header etag"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			f, said := parse("# @name login\nGET /login\n###\nGET " + tt.target)
			v := NewValues(nil)
			v.Keep(f.Requests[0], answer)
			if said == "" {
				if m, err := f.Requests[1].Message(v, nil); err != nil {
					said = err.Error()
				} else {
					said = m.Target
				}
			}
			is.True(strings.HasSuffix(said, tt.want) || strings.Contains(said, tt.want) && !strings.HasPrefix(tt.want, "/"))
		})
	}
	is := is.New(t)
	f, _ := parse("# @name login\nGET /login\n###\nGET {{login.response.headers.location}}")
	v := NewValues(nil)
	_, err := f.Requests[1].Message(v, nil)
	is.True(err != nil && strings.Contains(err.Error(), "the request login was not answered"))
	answer.Header.Set("Location", "http://localhost:8080/users/7?x=%20#y")
	v.Keep(f.Requests[0], answer)
	m, err := f.Requests[1].Message(v, nil)
	is.NoErr(err)
	is.Equal(m.Target, "/users/7?x=%20")
	answer.Header.Set("Location", "7")
	_, err = f.Requests[1].Message(v, nil)
	is.True(err != nil)
}
