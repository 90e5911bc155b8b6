// Package flowtest runs the examples in the route files of an application as tests, and names
// the routes that no test has asked.
//
//	func TestExamples(t *testing.T) {
//		flowtest.Examples(t, func(t *testing.T) *flow.Router { return app.New(&app.App{}) })
//	}
//
//	func TestMain(m *testing.M) { flowtest.Main(m, app.New(&app.App{}).Routes) }
//
// The examples are HTTP requests in files with the extension .http, with lines that say what is
// expected of the answers. Editors send the same requests to a running server. The page
// docs/endpoints.md of flow describes the format.
package flowtest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// Examples sends the requests of each route file of an application, and compares the answers
// with what the file expects. Each file is a subtest, and so is each request: go test -run
// 'TestExamples/api/users' runs those of router/api/users/.
//
// build returns the application. It is called for each file, so that no file sees what another
// one has changed, and it may use the T of the file for its own set-up. It may also return the
// values of variables, for references such as {{token}} that the file itself gives no value:
//
//	flowtest.Examples(t, func(*testing.T) (*flow.Router, map[string]string) {
//		a := &app.App{}
//		return app.New(a), map[string]string{"token": a.SignIn("ada")}
//	})
//
// vars are such names and values in turn, for values that no application needs to know. One
// of build goes before one of vars.
//
// The requests of a file are sent one after the other, to a server on loopback. Cookies are
// kept within a file. Redirects are not followed. Of an event stream, the first event is read.
// A request with # @disabled is skipped, and so is the test if no file has a request. An
// answer of 400 or above is a failure unless the example expects it. So is an answer below 300
// of a typed handler that its signature does not declare: another status, or JSON that is not of
// its type, as a MarshalJSON may write it.
func Examples[B Build](t *testing.T, build B, vars ...string) {
	t.Helper()
	if len(vars)%2 != 0 {
		t.Fatalf("flowtest: Examples got the name %q without a value", vars[len(vars)-1])
	}
	first, _ := call(t, build)
	if err := first.Check(); err != nil {
		t.Fatalf("flowtest: the application has faults:\n%v", err)
	}
	files, _ := site.ExamplesOf(first)
	if len(files) == 0 {
		t.Skip("flowtest: no route file has an example: write one into a file with the extension .http")
	}
	for i, file := range files {
		t.Run(file.Tree.Path, func(t *testing.T) {
			router, own := call(t, build)
			variables := map[string]string{}
			for i := 0; i < len(vars); i += 2 {
				variables[vars[i]] = vars[i+1]
			}
			maps.Copy(variables, own)
			of, routes := site.ExamplesOf(router)
			if len(of) != len(files) || of[i].Tree.Path != file.Tree.Path {
				t.Fatal("flowtest: build has returned another application")
			}
			runFile(t, router, of[i], routes, variables)
		})
	}
}

// A Build makes an application for the examples of a file. One that returns a map gives
// variables their values.
type Build interface {
	~func(*testing.T) *flow.Router | ~func(*testing.T) (*flow.Router, map[string]string)
}

// call calls a Build.
func call[B Build](t *testing.T, build B) (*flow.Router, map[string]string) {
	if build, ok := forms.Convert[func(*testing.T) (*flow.Router, map[string]string)](build); ok {
		return build(t)
	}
	simple, _ := forms.Convert[func(*testing.T) *flow.Router](build)
	return simple(t), nil
}

// runFile sends the requests of one file.
func runFile(t *testing.T, router *flow.Router, file site.File, routes *site.Map, variables map[string]string) {
	r := newRunner(t, router, file, routes, variables)
	if err := r.values.Set(file.Variables); err != nil {
		r.reportError(t, 1, err)
		return
	}
	for i, req := range file.Requests {
		t.Run(titleOf(req), func(t *testing.T) {
			if req.Disabled {
				t.Skip("# @disabled")
			}
			for r.sent < i { // -run has left out steps that this request may need
				r.send(file.Requests[r.sent])
			}
			r.judge(t, req)
		})
	}
}

// titleOf returns the name of the test of a request.
func titleOf(r *httpfile.Request) string {
	title := r.Title
	if title == "" {
		title = r.Name
	}
	if title == "" {
		title = r.String()
	}
	return strings.ReplaceAll(title, "/", "|") // a slash would be a level of its own for -run
}

// judge sends a request, and reports what is not as expected.
func (r *runner) judge(t *testing.T, req *httpfile.Request) {
	t.Helper()
	a, err := r.send(req)
	if err != nil {
		r.reportError(t, req.Line, err)
		return
	}
	for _, e := range req.Expects {
		if wrong := e.Judge(a, r.values); wrong != "" {
			r.report(t, e.Line, wrong)
		}
	}
	for _, wrong := range r.shapeWrong(req, a) {
		r.report(t, req.Line, fmt.Sprintf("%s: the answer: %s", req, wrong))
	}
	if len(req.Expects) == 0 && a.Status >= 400 {
		r.report(t, req.Line, fmt.Sprintf("%s: the answer is %d: if it should be, write # ?? status == %[2]d below", req, a.Status))
	}
	location := a.Header.Get("Location")
	if a.Status >= 300 && a.Status < 400 && location != "" && !req.NoRedirect {
		r.report(t, req.Line, fmt.Sprintf("%s: the answer redirects to %s, which clients follow: write # @no-redirect above the request", req, location))
	}
	if t.Failed() {
		fmt.Fprintf(t.Output(), "\tanswer %d: %s\n", a.Status, short(a.Body))
	}
}

// reportError fails a test with an error, or with each of several that are joined. line is the
// line of those that have none of their own.
func (r *runner) reportError(t *testing.T, line int, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			r.reportError(t, line, err)
		}
		return
	}
	if of, ok := err.(*httpfile.LineError); ok {
		line = of.Line
	}
	r.report(t, line, err.Error())
}

// report fails a test with a line of the route file.
func (r *runner) report(t *testing.T, line int, text string) {
	t.Fail()
	fmt.Fprintf(t.Output(), "%s:%d: %s\n", r.shown, line, text)
}

// short returns a body for messages.
func short(body []byte) string {
	text := []rune(strings.TrimSpace(strings.ToValidUTF8(string(body), "�")))
	if len(text) > 500 {
		return string(text[:500]) + "…"
	}
	return string(text)
}

// shownFile returns the name of a route file for messages, from the root of the module, where
// editors and terminals can open it.
func shownFile(name string) string {
	wd, err := os.Getwd()
	for dir := wd; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			if below, err := filepath.Rel(dir, wd); err == nil {
				return path.Join(filepath.ToSlash(below), name)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return name
}

var errNotSent = errors.New("was not sent")
