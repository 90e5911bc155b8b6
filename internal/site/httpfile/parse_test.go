package httpfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
)

// parse returns the File of a text and its faults, without the name of the file.
func parse(text string) (*File, string) {
	f, faults := Parse("f", []byte(text))
	var said []string
	for _, err := range fault.Of(fault.Join(faults)) {
		said = append(said, strings.TrimPrefix(err.Text, "f:"))
	}
	return f, strings.Join(said, "\n")
}

// message returns the first request of a text as it is sent, in the form of HTTP.
func message(t *testing.T, text string) string {
	t.Helper()
	f, said := parse(text)
	if said != "" {
		t.Fatal(said)
	}
	v := NewValues(map[string]string{"given": "7", "blank": "a b"})
	if err := v.Set(f.Requests[0].Variables); err != nil {
		t.Fatal(err)
	}
	m, err := f.Requests[0].Message(v, func(name string) ([]byte, error) {
		if name == "_files/photo.png" {
			return []byte("\x89PNG\n"), nil
		}
		return nil, errors.New(name + " is missing")
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(m.Method + " " + m.Host + " " + m.Target + "\n")
	if err := m.Header.Write(&b); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "\r", "") + "\n" + string(m.Body)
}

func TestParse(t *testing.T) {
	is := is.New(t)
	f, said := parse(`# The whole file is about users.

@email = ada@example.com

### Add a user
# The address belongs
# to one user.
# @name created
# @no-redirect
POST http://localhost:8080/users?x=1 HTTP/1.1
Accept: application/json
# ?? status == 201
Content-Type: application/json

{
  "email": "{{email}}"

}

# ?? header location startsWith /users/
// a comment
### Show the user
GET {{created.response.headers.location}}

#### A stream
# @disabled
GET {{host}}/users/{{created.response.body.$.id}}/events
# ?? body [0].id == 1
###
`)
	is.Equal(said, "")
	is.Equal(f.Prose, "The whole file is about users.")
	is.Equal(len(f.Variables), 1)
	is.Equal(len(f.Requests), 3)
	r := f.Requests[0]
	is.Equal(r.Line, 10)
	is.Equal(r.Title, "Add a user")
	is.Equal(r.Prose, "The address belongs\nto one user.")
	is.Equal(r.Name, "created")
	is.True(r.NoRedirect && !r.Disabled)
	is.Equal(r.String(), "POST /users?x=1")
	is.Equal(r.Status(), 201)
	is.Equal(len(r.Header), 2)
	is.Equal(len(r.Body), 4)
	is.Equal(len(r.Expects), 2)
	is.Equal(r.Expects[1].Line, 20)
	is.True(f.Requests[1].Absolute)
	r = f.Requests[2]
	is.True(r.Disabled)
	is.Equal(r.Title, "A stream")
	is.Equal(r.Status(), 0)
	path, ok := r.Path("?")
	is.True(ok)
	is.Equal(path, "/users/?/events")
}

// Each client sends these bytes.
func TestMessage(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing but a line", "GET http://localhost:8080/a", "GET localhost:8080 /a\n\n"},
		{"no path", "GET http://127.0.0.1", "GET 127.0.0.1 /\n\n"},
		{"no path, but a query", "GET https://[::1]:443?a=b", "GET [::1]:443 /?a=b\n\n"},
		{"a path alone", "GET /a HTTP/2", "GET localhost:8080 /a\n\n"},
		{"a variable host", "GET {{ host }}/a", "GET localhost:8080 /a\n\n"},
		{"BOM, CRLF", "\uFEFF### T\r\nGET /a\r\nA: b\r\n\r\nx\r\ny\r\n\r\n", "GET localhost:8080 /a\nA: b\n\nx\ny"},
		{"variables", "@a = 1{{given}}\nGET /{{a}}/{{ given }}?q={{blank}}\nX: {{a}}\n\n{{a}}{{a}}", "GET localhost:8080 /17/7?q=a%20b\nX: 17\n\n1717"},
		{"escapes", "GET /é/{a}?\"=%22", "GET localhost:8080 /%C3%A9/%7Ba%7D?%22=%22\n\n"},
		{"fields of one name", "GET /\nAccept: a\naccept:b", "GET localhost:8080 /\nAccept: a\nAccept: b\n\n"},
		{"comments around a body", "POST /\n# c\nA: b\n# c\n\n# c\nx\n# c\n\n// c\n\n", "POST localhost:8080 /\nA: b\n\nx"},
		{"blank lines in a body", "POST /\n\nx\n\n\ny\n\n", "POST localhost:8080 /\n\nx\n\n\ny"},
		{"blanks in a body", "POST /\n\n  x \n", "POST localhost:8080 /\n\n  x "},
		{"a form", "POST /\nContent-Type: application/x-www-form-urlencoded\n\na=é+x\n&b={{blank}}", "POST localhost:8080 /\nContent-Type: application/x-www-form-urlencoded\n\na=%C3%A9+x&b=a%20b"},
		{"lines of JSON", "POST /\nContent-Type: application/x-ndjson\n\n1\n2", "POST localhost:8080 /\nContent-Type: application/x-ndjson\n\n1\n2\n"},
		{"a file", "PUT /\n\n< ./_files/photo.png", "PUT localhost:8080 /\n\n\x89PNG\n"},
		{"multipart", "POST /\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"p\"\r\n\r\n< _files/photo.png\r\n--x--\r\n",
			"POST localhost:8080 /\nContent-Type: multipart/form-data; boundary=x\n\n--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"p\"\r\n\r\n\x89PNG\n\r\n--x--"},
		{"multipart of another kind", "POST /\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\ny\n--x--", "POST localhost:8080 /\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\ny\n--x--"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(message(t, tt.text), tt.want)
		})
	}
}

func TestRandomValues(t *testing.T) {
	is := is.New(t)
	f, said := parse("@a = {{$randomInt -5 -3}}\n@b = {{$guid}}\n@c = {{$uuid}}\n@d = {{$timestamp}}\nGET /{{a}}/{{b}}/{{c}}/{{d}}/{{$randomInt 3 4}}")
	is.Equal(said, "")
	v := NewValues(nil)
	is.NoErr(v.Set(f.Requests[0].Variables))
	first, err := f.Requests[0].Message(v, nil)
	is.NoErr(err)
	second, err := f.Requests[0].Message(v, nil)
	is.NoErr(err)
	is.Equal(first.Target, second.Target) // a variable is set once
	parts := strings.Split(first.Target, "/")
	is.True(parts[1] == "-5" || parts[1] == "-4")
	is.Equal(len(parts[2]), 36)
	is.True(parts[2] != parts[3])
	is.True(len(parts[4]) >= 10) // seconds
	is.Equal(parts[5], "3")
}

// What a client would read in another way is a fault, and the fault says what would be right.
func TestFaults(t *testing.T) {
	get := "GET http://localhost:8080/a\n"
	post := "POST http://localhost:8080/a\nContent-Type: application/json\n\n"
	form := "POST /a\nContent-Type: application/x-www-form-urlencoded\n\n"
	for _, tt := range []struct{ text, want string }{
		{"get /a", "1: write the method in capitals: GET /a"},
		{"http://localhost:8080/a", "1: the request has no method: write GET http://localhost:8080/a"},
		{"{{host}}/a", "1: the request has no method"},
		{"BREW /a", "1: not all clients send the method BREW: they know GET, "},
		{"DELTE /a", `1: not all clients send the method DELTE: did you mean "DELETE"?`},
		{"GET", "1: this line is no request"},
		{"Sign in with a name", "1: this line is no request"},
		{"GET http://example.com/a", "1: http://example.com/a: the host of a request is http://localhost:8080"},
		{"GET http://localhost.example.com/a", "the host of a request"},
		{"GET localhost:8080/a", "the host of a request"},
		{"GET {{", "a path begins with a slash"},
		{"GET http://localhost{", "a path follows that begins with a slash"},
		{"# @name a\nPOST /a\n\n###\nGET http://localhost:8080{{a.response.headers.location}}", "a path follows that begins with a slash"},
		{"GET {{host}}", "write a path behind it"},
		{"GET {{host}}a", "a path begins with a slash"},
		{"GET {{host}}{{path}}", "a path begins with a slash"},
		{"# @name a\nPOST /a\n\n###\nGET {{a.response.headers.location}}/x", "5: {{a.response.headers.location}}/x: a path begins with a slash"},
		{"GET /a b", "write %20 for a blank"},
		{"GET /a#b", "clients do not send what follows #"},
		{`GET /a\b`, `write %5C`},
		{"GET /a%2", "write %25"},
		{"GET /a/../b", "clients resolve the dots"},
		{"GET /a/%2e", "clients resolve the dots"},
		{"GET /a\n  ?b=c", "2: write the URL in one line"},
		{"  ### T\nGET /a", "1: ### stands at the beginning of a line"},
		{"###\n\xff", "is not UTF-8"},

		{"# @nmae a\n" + get, `1: # @nmae is unknown: did you mean "name"?`},
		{"# @import x\n" + get, "1: # @import is unknown: there are # @name"},
		{"#@name a\n" + get, "1: @name a: write # @name a"},
		{"// @name a\n" + get, "1: @name a: write # @name a"},
		{"# @name\n" + get, "1: # @name needs one word"},
		{"# @name a b\n" + get, "1: # @name needs one word"},
		{"# @name a\n# @name b\n" + get, "2: the request has the name a already"},
		{"# @disabled now\n" + get, `1: # @disabled takes no value, and "now" follows it`},
		{"###\n# @disabled\n### T\n" + get, "2: # @disabled stands above no request"},
		{get + "# @no-redirect", "2: # @no-redirect stands above its request"},
		{"# ?? status == 200\n" + get, "1: an expectation stands below its request"},

		{"@a\n" + get, "1: @a: write @name = value"},
		{"@a-b = 1\n" + get, "1: @a-b = 1: write @name = value"},
		{"@a =\n" + get, "1: @a has no value"},
		{"@a = \"b\"\n" + get, "1: the value of @a begins with a quotation mark"},
		{"@a = 1\n@a = 2\n" + get, "2: a is a variable already"},
		{get + "###\n@a = 1\n###\n" + get, "3: @a stands above no request"},
		{"# @disabled\n@a = 1\n" + get, "2: @a stands above a request that is not sent"},
		{"# @name a\n" + get + "###\n# @name a\n" + get, "5: a is the name of another request already"},
		{"@a = 1\n# @name a\n" + get, "3: a is a variable already"},
		{"@signIn = 1\n### sign in\n" + get, "3: httpyac gives this request the name signIn"},

		{"GET /{{a.b}}", "1: {{a.b}} is no reference: write {{variable}}"},
		{"# @name a\nGET /a\n###\nGET /{{a.response.body}}", "4: {{a.response.body}} is no part of an answer: write {{a.response.body.$.key}}"},
		{"# @name a\nGET /a\n###\nGET /{{a.response.body.$id}}", "is no part of an answer"},
		{"# @name created\nGET /a\n###\nGET /{{craeted.response.body.$.x}}", `4: {{craeted.response.body.$.x}}: no request before this one has # @name craeted: did you mean "created"?`},
		{"GET /{{a.response.body.*}}\n###\n# @name a\n" + get, "1: {{a.response.body.*}}: no request before this one has # @name a"},
		{"# @name a\n# @disabled\nGET /a\n###\nGET /{{a.response.headers.x}}", "5: {{a.response.headers.x}}: the request a is not sent"},
		{"GET /{{$random.uuid}}", "{{$random.uuid}} is none of"},
		{"GET /{{$randomInt}}", "{{$randomInt}} is none of"},
		{"GET /{{$randomInt 2 2}}", "needs a smaller and a larger number"},
		{"# @name a\nGET nowhere\n###\nGET /{{a.response.body.*}}", "2: nowhere: the host of a request"},

		{"GET /a\n{\"a\": 1}", "2: this line is no field of a header"},
		{"GET /a\nA: b,", "2: clients leave out the comma"},
		{"GET /a\nAuthorization: Basic ada engine", "2: clients make another value of it"},
		{"GET /a\nAuthorization: Basic ada:engine", "2: clients make another value of it"},
		{"GET /a\nauthorization: Digest x", "2: clients make another value of it"},
		{"GET /a\nCookie: a=1; b=2", "2: clients read one cookie only"},

		{post + "{\n# c\n}", "5: this line is within a body"},
		{post + "{\n# ?? status == 200\n}", "5: this line is within a body"},
		{post + "{\n// c\n}", "5: this line is within a body"},
		{"POST /a\n\n\n{}", "4: leave one blank line above a body"},
		{"POST /a\n\n# c\n\n{}", "5: leave one blank line above a body"},
		{post + "?? status == 200", "4: clients send this line: write # ?? status == 200"},
		{"?? status == 200", "1: clients send this line"},
		{get + "?? status == 200", "2: clients send this line"},
		{post + "{}\n> {% client.test() %}", "5: scripts are not read"},
		{get + "> {%", "2: scripts are not read"},
		{"< {%\n%}", "1: scripts are not read"},
		{"{{\nexports.a = 1\n}}", "1: scripts are not read"},
		{post + "@a = 1", "4: a client does not take this line for a part of the body"},
		{post + "GET /b", "4: a client does not take this line"},
		{post + "x\n===", "5: a client does not take this line"},
		{post + "HTTP/1.1 200 OK", "4: a client does not take this line"},
		{post + ">> answer.json", "4: a client does not take this line"},
		{post + "<@ ./x", "4: references are not replaced in files: write < ./x"},
		{post + "< /etc/passwd", "4: write the name of a file, relative"},
		{post + `< a\b`, "4: write the name of a file, relative"},
		{post + "< {{a}}", "4: write the name of a file, relative"},
		{form + "a=1\nb=2", "5: clients join the lines of a form in different ways"},
		{form + "a = 1", "4: clients leave out blanks around = and &"},

		{get + "# ??", "2: an expectation needs a subject and a condition"},
		{get + "// ?? status == 200", "2: write an expectation behind #: # ?? status == 200"},
		{get + "# ?? stauts == 200", `2: "stauts" is no subject of an expectation: did you mean "status"?`},
		{get + "# ?? duration < 5", `2: "duration" is no subject of an expectation: write status`},
		{get + "# ?? status", "2: status needs a condition: # ?? status exists"},
		{get + "# ?? status = 200", `2: "=" is no condition: did you mean "=="?`},
		{get + "# ?? status is 200", `2: "is" is no condition: the conditions are ==`},
		{get + "# ?? status ==", "2: == needs a text to compare with: # ?? status == text"},
		{get + "# ?? status == OK", `2: "OK" is no status`},
		{get + "# ?? header", "2: header needs the name of a field"},
		{get + "# ?? header a", "2: header a needs a condition"},
		{get + "# ?? header set-cookie startsWith a", "2: clients keep Set-Cookie as a list"},
		{get + "# ?? body startWith a", `2: "startWith" is no condition: did you mean "startsWith"?`},
		{get + "# ?? body a.b startWith a", `2: "startWith" is no condition: did you mean "startsWith"?`},
		{get + "# ?? body a..b exists", `2: "a..b" is no place in a body`},
		{get + "# ?? body $.a exists", `2: "$.a" is no place in a body`},
		{get + "# ?? body a exists b", `2: exists takes no text, and "b" follows it`},
		{get + "# ?? body title == a == b", `2: the text begins a word with the condition "=="`},
		{get + "# ?? body title == It Exists", `2: the text begins a word with the condition "Exists"`},
		{get + "# ?? body title includes x <b>", `2: the text begins a word with the condition "<"`},
		{get + "# ?? body title matches (", "2: error parsing regexp"},
		{get + `# ?? body title matches {"a"`, "2: {\"a\" is not a regular expression both in Go and in JavaScript"},
		{get + `# ?? body title matches (?i)a`, "both in Go and in JavaScript"},
		{get + `# ?? body title matches a\-b`, "both in Go and in JavaScript"},
		{get + "# ?? body title == {{nothing.x}}", "2: {{nothing.x}} is no reference"},
		{get + "# ?? body title == {{a.response.body.$.b}}", "2: {{a.response.body.$.b}}: no request before this one"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			_, said := parse(tt.text)
			if !strings.Contains(said, tt.want) {
				t.Errorf("got  %s\nwant %s", said, tt.want)
			}
			is.Equal(strings.Count(said, "\n"), 0) // one fault
		})
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	is := is.New(t)
	_, said := parse("# @nmae x\nget /a\n###\nGET /b\nx\n\n# ?? sttus == 1\n# ?? body ===\n")
	is.Equal(strings.Count(said, "\n"), 4)
}

// These are right, though they look like faults above.
func TestNoFaults(t *testing.T) {
	for _, text := range []string{
		"",
		"\n\n",
		"### Only a title",
		"# Only prose.\n\nNothing more? No: that would be a fault.",
		"GET /a.b/..c/%2fd/~e?f=../g",
		"GET /{{$randomInt 1 5}}/x",
		"GET /a\nAuthorization: Basic YWRhOmVuZ2luZQ==",
		"GET /a\nAuthorization: Basic {{credentials}}",
		"GET /a\nCookie: session={{token}}",
		"POST /a\n\n{\"a\": {\"b\": {}}}",
		"POST /a\n\nGETS /b\n< b",
		"POST /a\n\na=b\nc=d",
		"GET /a\n# ?? body a == b=c",
		"GET /a\n# ?? body a == 100% of it",
		"GET /a\n# ?? body [0].a-b[1].c_d == 1",
		"GET /a\n# ?? body isArray",
		`GET /a` + "\n" + `# ?? body a matches ^[a-z\-]+(?:\.\d{2,})?\{x\}\(?$`,
		"GET /a\n# ?? header set-cookie == undefined",
		"# @name a\nGET /a\n# ?? body b == {{a.response.body.$.c}}",
		"### a\nGET /a\n### a\nGET /a",
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			f, said := parse(strings.TrimSuffix(text, "\n\nNothing more? No: that would be a fault."))
			is.Equal(said, "")
			is.True(f != nil)
		})
	}
}

// FuzzParse parses anything, and makes messages of what has no faults.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"### T\n# @name a\nPOST http://localhost:8080/a?b=c\nContent-Type: application/json\n\n{\"a\": {{b}}}\n\n# ?? body a.b[0] == {{a.response.body.$.c}}",
		"\uFEFF@a = {{$guid}}\r\nGET {{host}}/{{a}}\r\n# ?? header set-cookie includes x",
		"POST /\nContent-Type: multipart/form-data; boundary=x\n\n--x\n\n< ./f\n--x--",
		"GET {{a.response.headers.location}}\n> {% x %}\n?? status == 1",
		"GET /\n# ?? body matches ^(?:[a-z]{2}|\\d)$",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, faults := Parse("f", []byte(text))
		if len(faults) > 0 {
			return
		}
		v := NewValues(map[string]string{"a": "1"})
		a := &Answer{Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(text)}
		for _, r := range file.Requests {
			if strings.ContainsAny(r.Method, " \n") || r.Line == 0 {
				t.Errorf("%q: the method is %q in line %d", text, r.Method, r.Line)
			}
			v.Set(r.Variables)
			if m, err := r.Message(v, func(string) ([]byte, error) { return nil, nil }); err == nil && !strings.HasPrefix(m.Target, "/") {
				t.Errorf("%q: the target is %q", text, m.Target)
			}
			v.Keep(r, a)
			for _, e := range r.Expects {
				e.Judge(a, v)
			}
		}
	})
}
