package page

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/describe/document"
	"example.com/flow/internal/site/httpfile"
)

func TestCurl(t *testing.T) {
	for _, tt := range []struct {
		name   string
		s      httpfile.Sample
		prefix string
		want   string
	}{
		{"a GET", httpfile.Sample{Method: "GET", Target: "/a?b=c&d"}, "", `curl -i "$URL/a?b=c&d"`},
		{"below a prefix", httpfile.Sample{Method: "GET", Target: "/a"}, "/in", `curl -i "$URL/in/a"`},
		{"below a prefix with parameters", httpfile.Sample{Method: "GET", Target: "/a"}, "/\x00", ""},
		{"a HEAD", httpfile.Sample{Method: "HEAD", Target: "/a"}, "", `curl -I "$URL/a"`},
		{"a URL that a shell would read", httpfile.Sample{Method: "GET", Target: "/$HOME/`id`"}, "", "curl -i \"$URL\"'/$HOME/`id`'"},
		{"a URL that curl would read", httpfile.Sample{Method: "GET", Target: "/a?b[0]=1"}, "", `curl -i -g "$URL/a?b[0]=1"`},
		{"a target that is missing", httpfile.Sample{Method: "GET"}, "", ""},
		{"a body that is missing", httpfile.Sample{Method: "POST", Target: "/a", Lacks: true}, "", ""},
		{"JSON", httpfile.Sample{Method: "POST", Target: "/a", Header: [][2]string{{"content-type", "application/json"}}, Body: []byte("{\n \"a\": \"it's\"\n}")}, "", `curl -i -X POST "$URL/a" -H 'content-type: application/json' --data-raw '{"a":"it'\''s"}'`},
		{"a body without a type", httpfile.Sample{Method: "PUT", Target: "/a", Body: []byte("@a")}, "", `curl -i -X PUT "$URL/a" -H 'Content-Type:' --data-raw '@a'`},
		{"a GET with a body", httpfile.Sample{Method: "GET", Target: "/a", Body: []byte("a")}, "", `curl -i -X GET "$URL/a" -H 'Content-Type:' --data-raw 'a'`},
		{"lines", httpfile.Sample{Method: "POST", Target: "/a", Body: []byte("a\nb")}, "", ""},
		{"bytes", httpfile.Sample{Method: "POST", Target: "/a", Body: []byte("\xff")}, "", ""},
		{"what a test knows", httpfile.Sample{Method: "GET", Target: "/a", Header: [][2]string{{"A", "{{ b }}"}, {"C", "d {{e}}$f"}}}, "", `curl -i "$URL/a" -H 'A: '"$b" -H 'C: d '"$e"'$f'`},
	} {
		t.Run(tt.name, func(t *testing.T) { is.New(t).Equal(Curl(tt.s, tt.prefix), tt.want) })
	}
}

// sentence returns what a page says of a value.
func sentence(f fieldOf) string {
	text := strings.TrimSpace(f.Before + f.Type + " " + f.After)
	if f.Link {
		text += " (link)"
	}
	text = strings.Join(append([]string{text}, f.Notes...), ", ")
	for _, field := range f.Fields {
		text += "; " + field.Name + ": " + sentence(field)
	}
	return text
}

func TestDescribe(t *testing.T) {
	link := &schema.Schema{Of: &schema.Component{Name: "Task", Schema: &schema.Schema{}}}
	for _, tt := range []struct {
		text string // of the schema
		in   *schema.Schema
		want string
	}{
		{text: `{}`, want: "any value"},
		{text: `{"type": "integer", "minimum": 1, "maximum": 9, "default": 3}`, want: "whole number, at least 1, at most 9, default 3"},
		{text: `{"type": ["string", "null"], "minLength": 1, "maxLength": 8, "pattern": "^a"}`, want: "string or null, 1 to 8 characters, matches ^a"},
		{text: `{"type": "string", "format": "date-time"}`, want: "string, date-time"},
		{text: `{"type": "string", "examples": ["2026-01-02", "2026-01-02T15:04:05Z"]}`, want: "string, such as 2026-01-02 or 2026-01-02T15:04:05Z"},
		{text: `{"enum": ["a", "b"]}`, want: "any value, one of a, b"},
		{text: `{"type": ["string", "boolean"]}`, want: "string or true or false"},
		{text: `{"type": "array", "items": {"type": "string", "minLength": 2}, "maxItems": 3}`, want: "list of string, at most 3 items, at least 2 characters"},
		{text: `{"type": "string", "minLength": 1}`, want: "string, at least 1 character"},
		{text: `{"type": "string", "maxLength": 1}`, want: "string, at most 1 character"},
		{text: `{"type": "array", "minItems": 1, "maxItems": 2}`, want: "list, 1 to 2 items"},
		{text: `{"type": "object", "additionalProperties": {"type": "string", "format": "date-time"}}`, want: "object of string, date-time"},
		{text: `{"type": ["array", "null"]}`, want: "list or null"},
		{text: `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {"type": "number"}}}}}`, want: "object; a: string; b: object; c: number"},
		{text: `{"type": "object", "additionalProperties": {"type": "string"}}`, want: "object of string"},
		{text: `{"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}`, want: "one of; or: string; or: number; or: true or false"},
		{in: link, want: "Task (link)"},
		{in: &schema.Schema{AnyOf: []*schema.Schema{link, {Type: schema.Types{"null"}}}}, want: "Task or null (link)"},
		{in: &schema.Schema{Type: schema.Types{"array", "null"}, Items: link}, want: "list of Task or null (link)"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			s := tt.in
			if s == nil {
				s = &schema.Schema{}
				is.NoErr(json.Unmarshal([]byte(tt.text), s))
			}
			is.Equal(sentence(describe("", s)), tt.want)
		})
	}
}

// A body of JSON shows the fields of its type, and a link to it.
func TestBodyShowsFields(t *testing.T) {
	is := is.New(t)
	task := &schema.Component{Name: "Task", Schema: &schema.Schema{Type: schema.Types{"object"}, Properties: schema.Properties{{Name: "title", Schema: &schema.Schema{Type: schema.Types{"string"}}}}}}
	body := &document.Body{Content: document.List[*document.Content]{{Key: "application/json", Value: &document.Content{Schema: &schema.Schema{Of: task}}}}}
	o := operationOf(&document.Document{}, "POST", "/tasks", &document.Operation{Body: body})
	is.Equal(sentence(o.Bodies[0].Value), "Task (link); title: string")
}

// What the text of a field says is not said beside its name again.
func TestDeprecatedIsSaidOnce(t *testing.T) {
	is := is.New(t)
	is.True(describe("a", &schema.Schema{Deprecated: true}).Deprecated)
	is.True(!describe("a", &schema.Schema{Deprecated: true, Description: "Deprecated: use b"}).Deprecated)
}

func TestWhoMayAsk(t *testing.T) {
	scheme := document.List[*document.Scheme]{{Key: "token", Value: &document.Scheme{}}, {Key: "cookie", Value: &document.Scheme{}}}
	for _, tt := range []struct {
		schemes  document.List[*document.Scheme]
		security []map[string][]string
		want     string
	}{
		{nil, nil, ""},
		{scheme, nil, "Everybody may ask."},
		{scheme, []map[string][]string{{}, {"token": nil}}, "Everybody may ask."},
		{scheme, []map[string][]string{{"token": nil}}, "Who asks has to sign in: token."},
		{scheme, []map[string][]string{{"token": nil, "cookie": nil}}, "Who asks has to sign in: cookie, token."},
	} {
		t.Run(tt.want, func(t *testing.T) {
			d := &document.Document{Components: document.Components{SecuritySchemes: tt.schemes}}
			is.New(t).Equal(who(d, &document.Operation{Security: tt.security}), tt.want)
		})
	}
}

// A list of many operations is closed, so that it has an end.
func TestLongListIsClosed(t *testing.T) {
	is := is.New(t)
	for n, open := range map[int]bool{40: true, 41: false} {
		d := &document.Document{}
		for i := range n {
			path := &document.Path{{Key: "get", Value: &document.Operation{ID: strings.Repeat("a", i+1)}}}
			d.Paths = append(d.Paths, document.Entry[*document.Path]{Key: "/" + strings.Repeat("a", i+1), Value: path})
		}
		html, err := HTML(d, "openapi.json", func(string, string) []Example { return nil })
		is.NoErr(err)
		is.Equal(strings.Contains(string(html), "<details open>"), open)
	}
}

// TestPolicy: the style sheet of a clone with CRLF has the hash that browsers compute, which is of LF.
func TestPolicy(t *testing.T) {
	before := style
	t.Cleanup(func() { style = before })
	for _, end := range []string{"\n", "\r\n", "\r"} {
		t.Run(end, func(t *testing.T) {
			style = strings.ReplaceAll("a {\n}\n", "\n", end)
			sum := sha256.Sum256([]byte("a {\n}\n"))
			is.New(t).True(strings.Contains(Policy(), "; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; "))
		})
	}
}
