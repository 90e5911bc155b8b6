package httpfile

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// open returns the content of the files of samples.
func openSample(name string) ([]byte, error) {
	switch name {
	case "item.json":
		return []byte(`{"size": 1}`), nil
	case "large":
		return bytes.Repeat([]byte("x"), maxSample+1), nil
	}
	return nil, errors.New(name + " is missing")
}

// sampleText returns a Sample in the form of HTTP.
func sampleText(s Sample) string {
	var b strings.Builder
	b.WriteString(s.Method + " " + s.Target)
	for _, field := range s.Header {
		b.WriteString("\n" + field[0] + ": " + field[1])
	}
	if s.Body != nil {
		b.WriteString("\n\n" + string(s.Body))
	}
	if s.Lacks {
		b.WriteString("\nlacks its body")
	}
	return b.String()
}

func TestSampleOf(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a request", "GET http://localhost:8080/a?b=c d\nAccept: application/json", ""},
		{"as it is", "GET http://localhost:8080/a?b=c\nAccept: application/json", "GET /a?b=c\nAccept: application/json"},
		{"variables", "@id = 7\n###\n@b = {{id}}1\nPOST /a/{{id}}\nX: {{b}}\n\n{\"id\": {{id}}}", "POST /a/7\nX: 71\n\n{\"id\": 7}"},
		{"those of an earlier request", "###\n@a = 1\nGET /\n###\n@b = 2\nPOST /{{a}}{{b}}\n###\nGET /", "POST /12"},
		{"what is random", "POST /{{$randomInt 1 100}}/{{$randomInt 50 60}}/{{$randomInt 1 3}}/{{$uuid}}/{{$timestamp}}", "POST /42/50/2/0f8fad5b-d9cb-469f-a165-70867728950e/1767225600"},
		{"a variable that is random", "@a = n{{$randomInt 1 100}}\nPOST /\n\n{{a}}", "POST /\n\nn42"},
		{"a variable of a test", "POST /a\nAuthorization: Bearer {{token}}\n\n{}", "POST /a\nAuthorization: Bearer {{token}}\n\n{}"},
		{"a body with one", "POST /a\n\n{{token}}", "POST /a\nlacks its body"},
		{"a variable with one", "@a = {{token}}\nPOST /{{a}}\n\n{\n\"a\": \"{{a}}\"}", "POST \nlacks its body"},
		{"an answer", "# @name x\nGET /x\n###\nPOST /{{x.response.body.$.id}}\nX: {{x.response.headers.etag}}\n\n{\"a\": {{x.response.body.$.id}}}", "POST \nX: {{x.response.headers.etag}}\nlacks its body"},
		{"wherever an answer says", "# @name x\nGET /x\n###\nPOST {{x.response.headers.location}}", "POST "},
		{"a file", "POST /\nContent-Type: application/json\n\n< ./item.json", "POST /\nContent-Type: application/json\n\n{\"size\": 1}"},
		{"a large file", "POST /\n\n< ./large", "POST /\nlacks its body"},
		{"a file that is not there", "POST /\n\n< ./none", "POST /\nlacks its body"},
		{"a long text", "@a = " + strings.Repeat("x", 9<<10) + "\nPOST /\n\n{{a}}\n{{a}}", "POST /\nlacks its body"},
		{"a form", "POST /\nContent-Type: application/x-www-form-urlencoded\n\na=1\n&b=ä", "POST /\nContent-Type: application/x-www-form-urlencoded\n\na=1&b=%C3%A4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			f, said := parse(tt.text)
			if tt.want == "" {
				is.True(said != "") // a row that has to be refused, so that the others are known to be parsed
				return
			}
			is.Equal(said, "")
			var got string
			for _, r := range f.Requests {
				if r.Method == "POST" || len(f.Requests) == 1 {
					got = sampleText(SampleOf(f, r, openSample))
				}
			}
			is.Equal(got, tt.want)
		})
	}
}

func TestAboutReadsTitleAndProse(t *testing.T) {
	const refused = "### Nobody\n# They are sent away.\nGET /\n# ?? status == 401\n"
	for _, tt := range []struct {
		name, text string
		file, one  About
	}{
		{"nothing", "", About{}, About{}},
		{"a request", "### A\n# b\n# c\nGET /", About{Title: "A", Prose: "b\nc"}, About{Title: "A", Prose: "b\nc"}},
		{"a part without one", "### Things\n# All of them.\n### A\nGET /", About{Title: "Things", Prose: "All of them."}, About{Title: "A"}},
		{"prose above the first part", "# All of them.\n### A\nGET /", About{Prose: "All of them."}, About{Title: "A"}},
		{"the first that expects success", refused + "### Show it\nGET /\n# ?? status == 200\n### Another\nGET /", About{Title: "Nobody", Prose: "They are sent away."}, About{Title: "Show it"}},
		{"a redirect is success", refused + "### Go on\nGET /\n# ?? status == 303", About{Title: "Nobody", Prose: "They are sent away."}, About{Title: "Go on"}},
		{"nothing but refusals", refused, About{Title: "Nobody", Prose: "They are sent away."}, About{}},
		{"deprecated", "### A\n# b\n#\n# Deprecated: use\n# the other\n#\n# c\nGET /", About{"A", "b\n\nDeprecated: use\nthe other\n\nc", "use\nthe other"}, About{"A", "b\n\nDeprecated: use\nthe other\n\nc", "use\nthe other"}},
		{"the word within a paragraph", "### A\n# b\n# Deprecated: no\nGET /", About{Title: "A", Prose: "b\nDeprecated: no"}, About{Title: "A", Prose: "b\nDeprecated: no"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			f, said := parse(tt.text)
			is.Equal(said, "")
			is.Equal(AboutFile(f), tt.file)
			is.Equal(AboutRequests(f.Requests), tt.one)
		})
	}
}

func TestConditionsOf(t *testing.T) {
	is := is.New(t)
	f, said := parse("@a = 7\nGET /\n# ?? status == 201\n# ?? header location startsWith /x/\n# ?? body items[0].id == {{a}}\n# ?? body == {\"a\": {{$randomInt 1 99}}}\n# ?? body isArray\n# ?? body name == {{token}}")
	is.Equal(said, "")
	var got []string
	for _, c := range ConditionsOf(f, f.Requests[0]) {
		got = append(got, fmt.Sprintf("%d %s %s %q %s %s %v", c.Line, c.Subject, c.Header, c.Place, c.Word, c.Text, c.Lacks))
	}
	is.Equal(got, []string{
		`3 status  [] == 201 false`,
		`4 header location [] startsWith /x/ false`,
		`5 body  ["items" "[0]" "id"] == 7 false`,
		`6 body  [] == {"a": 42} false`,
		`7 body  [] isArray  false`,
		`8 body  ["name"] == {{token}} true`,
	})
}

// FuzzSample makes samples of anything twice: they are the same, and have no reference left where
// they are whole.
func FuzzSample(f *testing.F) {
	for _, text := range []string{
		"### T\n@a = {{$uuid}}\nPOST /a?b={{a}}\nContent-Type: application/json\n\n{\"a\": {{$randomInt 1 9}}}\n\n# ?? body a == {{a}}",
		"# @name x\nGET /{{$timestamp}}\n###\nPOST {{x.response.headers.location}}\n\n{{x.response.body.*}}",
		"POST /\nContent-Type: application/x-www-form-urlencoded\n\na={{b}}\n&c= d",
		"POST /\n\n< ./item.json\n< ./large",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, faults := Parse("f", []byte(text))
		if len(faults) > 0 {
			return
		}
		AboutFile(file)
		AboutRequests(file.Requests)
		for _, r := range file.Requests {
			s := SampleOf(file, r, openSample)
			if !reflect.DeepEqual(s, SampleOf(file, r, openSample)) || !reflect.DeepEqual(ConditionsOf(file, r), ConditionsOf(file, r)) {
				t.Errorf("%q: the sample of %v differs from one to the next", text, r)
			}
			if s.Target != "" && s.Target[0] != '/' || s.Lacks && s.Body != nil || len(s.Body) > maxSample {
				t.Errorf("%q: the sample is %q", text, sampleText(s))
			}
			if len(ConditionsOf(file, r)) != len(r.Expects) {
				t.Errorf("%q: a condition is missing", text)
			}
		}
	})
}
