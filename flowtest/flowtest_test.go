package flowtest_test

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestMain runs the tests of a case in a process of its own: they fail on purpose.
func TestMain(m *testing.M) {
	switch name := os.Getenv("FLOWTEST_MAIN"); name {
	case "":
		os.Exit(m.Run())
	case "require":
		flowtest.Main(m, cases[os.Getenv("FLOWTEST_CASE")].router().Routes, flowtest.Require("ANY /unasked"))
	default:
		flowtest.Main(m, cases[os.Getenv("FLOWTEST_CASE")].router().Routes)
	}
}

// TestCase is the test of such a process.
func TestCase(t *testing.T) {
	c, ok := cases[os.Getenv("FLOWTEST_CASE")]
	if !ok {
		t.Skip("is started by other tests")
	}
	flowtest.SetTimeout(cmp.Or(c.timeout, servertest.Patience))
	flowtest.Examples(t, simpleBuilder(func(*testing.T) *flow.Router { return c.router() }), c.vars...)
}

// The tests give Examples functions of types of their own, as applications may. The app's
// tests give it one without a type name.
type (
	builder       func(*testing.T) (*flow.Router, map[string]string)
	simpleBuilder func(*testing.T) *flow.Router
)

// notInCase skips the test of other tests in the process of a case.
func notInCase(t *testing.T) {
	t.Helper()
	if os.Getenv("FLOWTEST_CASE") != "" {
		t.Skip("this process is a case")
	}
}

var times = regexp.MustCompile(`\([\d.]+s\)`)

// run runs the test of a case, and returns what it prints.
func run(t *testing.T, name, main string, args ...string) (said string, passed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-test.v=true"}, args...)...)
	if len(args) == 0 {
		cmd.Args = append(cmd.Args, "-test.run=^TestCase$")
	}
	cmd.Env = append(os.Environ(), "FLOWTEST_CASE="+name, "FLOWTEST_MAIN="+main)
	out, err := cmd.CombinedOutput()
	return times.ReplaceAllString(string(out), "()"), err == nil
}

// A testCase is an application, whose route files are pairs of name and text.
type testCase struct {
	files []string
	vars  []string
	want  string // lines of the output; without any, the test passes
	skips bool   // it says why in want

	timeout time.Duration // of an answer that has no end
}

// router returns the application. Each of its files answers any method with what it is named
// after.
func (c testCase) router() *flow.Router {
	files := fstest.MapFS{"router/_files/photo.png": {Data: []byte("\x89PNG")}}
	for i := 0; i < len(c.files); i += 2 {
		files["router/"+c.files[i]+".http"] = &fstest.MapFile{Data: []byte(c.files[i+1])}
	}
	r := flow.New(files)
	for i := 0; i < len(c.files); i += 2 {
		name := c.files[i]
		f := r.At(name)
		switch name {
		case "count": // how often it was asked
			n := 0
			f.GET().Do(func(*flow.Request) flow.Response { n++; return flow.JSON(map[string]int{"n": n}) })
		case "login":
			f.POST().Do(func(req *flow.Request) flow.Response {
				return flow.Redirect("/me").Cookie(&http.Cookie{Name: "who", Value: req.Input("name"), Path: "/"})
			})
		case "me":
			f.GET().Do(func(req *flow.Request) (flow.Response, error) {
				who, err := req.Cookie("who")
				if err != nil {
					return flow.Fail(401, "nobody"), nil
				}
				return flow.JSON(map[string]string{"name": who.Value, "token": req.Header.Get("Authorization"), "host": req.Host}), nil
			})
		case "upload": // a net/http handler, which reads the body by itself
			f.POST().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reader, err := r.MultipartReader()
				for err == nil {
					var part interface {
						io.Reader
						FileName() string
					}
					if part, err = reader.NextPart(); err == nil {
						b, _ := io.ReadAll(part)
						fmt.Fprintf(w, "%s %d %q\n", part.FileName(), len(b), b)
					}
				}
			}))
		case "events":
			f.GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, ": hello\n\nretry: 1000\n\n")
				for i := 1; r.Context().Err() == nil; i++ {
					fmt.Fprintf(w, "id: %d\ndata: x\n\n", i)
					http.NewResponseController(w).Flush()
					time.Sleep(time.Millisecond)
				}
			}))
		case "typed": // a guard answers in its place if it is asked to
			f.Use(func(req *flow.Request) flow.Response {
				if req.URL.Query().Has("early") {
					return flow.JSON(map[string]any{"size": "x", "more": 1}).Status(200)
				}
				return flow.Next()
			})
			f.GET().Do(func(*flow.Request) (sized, error) { return sized{}, nil })
			f.POST().Status(201).Do(func(*flow.Request) (sized, error) { return sized{}, nil })
			f.PUT().Do(func(*flow.Request, struct{}) error { return flow.Error(409, "no") })
		case "silent": // a comment, and no event
			f.GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, ": hello\n\n")
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}))
		case "late":
			f.GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		case "endless":
			f.GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for err := error(nil); err == nil; {
					_, err = w.Write(make([]byte, 1<<20))
				}
			}))
		case "abort":
			f.GET().Do(func(*flow.Request) flow.Response { panic(http.ErrAbortHandler) })
		default:
			f.ANY().Do(func(req *flow.Request) flow.Response {
				return flow.JSON(map[string]any{"method": req.Method, "path": req.URL.Path, "data": req.All()}).Header("X-Method", req.Method)
			})
		}
	}
	return r
}

type sized struct {
	Size  int    `json:"size"`
	Label string `json:"label"`
}

// doubling returns n+1 lines of variables, each of which has twice the length of the one before.
func doubling(n int) string {
	lines := "@a0 = x\n"
	for i := range n {
		lines += fmt.Sprintf("@a%d = {{a%d}}{{a%[2]d}}\n", i+1, i)
	}
	return lines
}

var cases = map[string]testCase{
	"steps and cookies": {files: []string{"login", "", "me", `### Sign in
# @name login
# @no-redirect
POST http://localhost:8080/login
Content-Type: application/x-www-form-urlencoded

name=ada

# ?? status == 303

### Follow
GET {{login.response.headers.location}}
Authorization: Bearer {{token}}

# ?? body name == ada
# ?? body token == Bearer secret
# ?? body host == localhost:8080
`}, vars: []string{"token", "secret"}},
	"a fresh application for each file": {files: []string{
		"count", "GET /count\n# ?? body n == 1\n###\nGET /count\n# ?? body n == 2",
		"other", "# @name a\nGET /count\n# ?? body n == 1",
	}},
	"cookies stay in the file": {files: []string{
		"login", "# @no-redirect\nPOST /login?name=ada",
		"me", "GET /me\n# ?? status == 401\n### One of its own\nGET /me\nCookie: who=eve\n# ?? body name == eve\n### Which is kept\nGET /me\n# ?? body name == eve",
	}},
	"multipart":              {files: []string{"upload", "POST /upload\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"p.png\"\r\n\r\n< ./_files/photo.png\r\n--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nx\r\n--b--\r\n\r\n# ?? body includes p.png 4 \"\\x89PNG\"\r\n# ?? body includes  1 \"x\"\r\n"}},
	"an event stream":        {files: []string{"events", "GET /events\n# ?? header content-type == text/event-stream\n# ?? body includes id: 1\n"}},
	"one that is not sent":   {files: []string{"events", "# @disabled\nGET /events\n# ?? status == 500\n"}},
	"an answer of any form":  {files: []string{"any", "GET /any?a=1\n# ?? body data.a == 1\n###\nPUT /any\nContent-Type: application/json\n\n{\"a\": [1]}\n\n# ?? body data == {\"a\": [1]}"}},
	"a variable of the file": {files: []string{"any", "@a = {{$randomInt 1 9}}{{b}}\n###\n# @name x\nGET /any?a={{a}}\n###\nGET /any?a={{a}}\n# ?? body data.a == {{x.response.body.$.data.a}}"}, vars: []string{"b", "0"}},

	"answers of typed handlers": {files: []string{"typed", "GET /typed\n###\nPOST /typed\n# ?? status == 201\n###\nPUT /typed\n# ?? status == 409\n###\nHEAD /typed"}},
	"an answer of another type": {files: []string{"typed", "### Other\nGET /typed?early=1\n### Status\nPOST /typed?early=1"}, want: `
flowtest/router/typed.http:2: GET /typed?early=1: the answer: size: is a string, and must be a whole number
flowtest/router/typed.http:2: GET /typed?early=1: the answer: more: is no field
flowtest/router/typed.http:2: GET /typed?early=1: the answer: lacks label
	answer 200: {"more":1,"size":"x"}
flowtest/router/typed.http:4: POST /typed?early=1: the answer: the status is 200, and the handler declares 201: declare it with flow.JSONOf, or give the handler that status`},
	"what is wrong": {files: []string{"any", `### Wrong
GET /any

# ?? status == 404
# ?? header x-method == POST
# ?? header x-none exists
# ?? body method == POST
# ?? body data.nmae isString
`}, want: `
flowtest/router/any.http:4: status == 404: is 200
flowtest/router/any.http:5: header x-method == POST: is "GET"
flowtest/router/any.http:6: header x-none exists: is nothing
flowtest/router/any.http:7: body method == POST: is "GET"
flowtest/router/any.http:8: body data.nmae isString: is nothing
	answer 200: {"data":{},"method":"GET","path":"/any"}`},
	"an error that nobody expects": {files: []string{"me", "GET /me"}, want: `
flowtest/router/me.http:1: GET /me: the answer is 401: if it should be, write # ?? status == 401 below
	answer 401: {"type":"about:blank","title":"Unauthorized","status":401,"detail":"nobody"}`},
	"a redirect without a mark": {files: []string{"login", "POST /login\n# ?? status == 303"}, want: `
flowtest/router/login.http:1: POST /login: the answer redirects to /me, which clients follow: write # @no-redirect above the request`},
	"a value that is missing": {files: []string{"any", "@a = {{b}}\nGET /any?c={{c}}\n###\nGET /any?c={{c}}&d={{d}}\nX: {{e}}\n"}, want: `
flowtest/router/any.http:1: {{b}} has no value: set it above with @b = value, or give it to flowtest.Examples
flowtest/router/any.http:4: {{c}} has no value: set it above with @c = value, or give it to flowtest.Examples
flowtest/router/any.http:4: {{d}} has no value: set it above with @d = value, or give it to flowtest.Examples
flowtest/router/any.http:5: {{e}} has no value: set it above with @e = value, or give it to flowtest.Examples`},
	"a value that an answer lacks": {files: []string{"any", "# @name a\nGET /any\n###\nGET /any?x={{a.response.body.$.id}}"}, want: `
flowtest/router/any.http:4: {{a.response.body.$.id}} has no value: the answer of a has nothing there`},
	"variables that double": {files: []string{"any", doubling(40) + "###\nGET /any"}, want: `
flowtest/router/any.http:25: the text has more than 20 MiB with the values of its references`},
	"variables of a request that double": {files: []string{"any", "### First\nGET /any\n### Second\n" + doubling(40) + "GET /any?a={{a40}}"}, want: `
flowtest/router/any.http:28: the text has more than 20 MiB with the values of its references`},
	"a body that is too long": {files: []string{"any", doubling(22) + "POST /any" + strings.Repeat("\nX: {{a15}}", 20) + "\n\n" + strings.Repeat("{{a22}}\n", 9)}, want: `
flowtest/router/any.http:50: the text has more than 20 MiB with the values of its references`},
	"an answer without end": {files: []string{"endless", "GET /endless"}, want: `
flowtest/router/endless.http:1: GET /endless: the answer has more than 64 MiB: write # @disabled above the request, if it has no end`},
	"no event": {files: []string{"silent", "GET /silent"}, timeout: 3 * time.Second, want: `
flowtest/router/silent.http:1: GET /silent: no event within 3s: send one at once, or write # @disabled above the request`},
	"an answer too late": {files: []string{"late", "GET /late"}, timeout: 3 * time.Second, want: `
flowtest/router/late.http:1: GET /late: the answer has no end after 3s: write # @disabled above the request, if it should have none`},
	"no answer":             {files: []string{"abort", "GET /abort"}, want: "\nflowtest/router/abort.http:1: GET /abort: EOF"},
	"an application faulty": {files: []string{"any", "GET /ayn"}, want: "\nflowtest: the application has faults:\n\trouter/any.http:1: GET /ayn: nothing answers it: did you mean /any?"},
	"nothing to run":        {files: []string{"any", ""}, want: "\nflowtest: no route file has an example", skips: true},
	"an odd number":         {files: []string{"any", "GET /any"}, vars: []string{"a"}, want: "\nflowtest: Examples got the name \"a\" without a value"},
	"unasked":               {files: []string{"any", "GET /any", "unasked", "", "me", "# @disabled\nGET /me"}},
}

func TestExamples(t *testing.T) {
	notInCase(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			said, passed := run(t, name, "list")
			if passed != (c.want == "" || c.skips) {
				t.Fatal(said)
			}
			// the lines of messages, without the indentation and the position of testing
			var lines strings.Builder
			for line := range strings.Lines(said) {
				line = regexp.MustCompile(`^ +(?:\w+\.go:\d+: )?`).ReplaceAllString(line, "")
				lines.WriteString(strings.TrimPrefix(line, "\t"))
			}
			for line := range strings.SplitSeq(strings.TrimPrefix(c.want, "\n"), "\n") {
				if !strings.Contains(lines.String(), strings.TrimSpace(line)) {
					t.Errorf("%s\nis not in\n%s", line, said)
				}
			}
			is.Equal(strings.Count(said, ".http:"), strings.Count(c.want, ".http:")) // nothing else is told
		})
	}
}

// TestValuesOfTheApplication gives each file the token of its own application.
func TestValuesOfTheApplication(t *testing.T) {
	notInCase(t)
	const example = "GET /%s?who={{who}}\nAuthorization: {{token}}\n\n# ?? body == ada\n"
	files := fstest.MapFS{}
	for _, name := range []string{"a", "b"} {
		files["router/"+name+".http"] = &fstest.MapFile{Data: fmt.Appendf(nil, example, name)}
	}
	built := 0
	flowtest.Examples(t, builder(func(*testing.T) (*flow.Router, map[string]string) {
		built++
		token := rand.Text()
		r := flow.New(files)
		for _, name := range []string{"a", "b"} {
			r.At(name).GET().Do(func(req *flow.Request) (string, error) {
				if req.Header.Get("Authorization") != token {
					return "", flow.Error(401, "this is the token of another application")
				}
				return req.Input("who"), nil
			})
		}
		return r, map[string]string{"token": token}
	}), "who", "ada", "token", "is that of the application")
	is.New(t).Equal(built, 3) // to find the files, and for each of them
}

// A request that -run chooses alone has its steps sent before it.
func TestStepsOfOneRequest(t *testing.T) {
	notInCase(t)
	is := is.New(t)
	said, passed := run(t, "steps and cookies", "list", "-test.run=^TestCase$/^me$/^Follow$")
	is.True(passed)
	is.True(strings.Contains(said, "--- PASS: TestCase/me/Follow"))
	is.True(!strings.Contains(said, "Sign_in"))
}

func TestMainTellsWhatNoTestAsked(t *testing.T) {
	notInCase(t)
	const list = "routes: 1 of 3 were asked\n\tGET    /me  router/me.http%s\n\tANY    /unasked  router/unasked.http\n"
	for _, tt := range []struct {
		name, main string
		args       []string
		want       string
		passed     bool
	}{
		{"the list", "list", []string{"-test.v"}, fmt.Sprintf(list, ""), true},
		{"a route that is required", "require", []string{"-test.v"}, fmt.Sprintf(list, ": no test asks for it") + "FAIL: write an example", false},
		{"a part of the tests", "require", []string{"-test.v", "-test.run=TestCase"}, "", true},
		{"without a part of the tests", "require", []string{"-test.v", "-test.skip=Other"}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			said, passed := run(t, "unasked", tt.main, tt.args...)
			is.Equal(passed, tt.passed)
			is.Equal(strings.Contains(said, "routes:"), tt.want != "")
			if !strings.Contains(said, tt.want) {
				t.Error(said)
			}
		})
	}
	is := is.New(t)
	said, passed := run(t, "what is wrong", "list", "-test.v")
	is.True(!passed && !strings.Contains(said, "routes:")) // the tests failed, so the list says little
}
