package dev

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
)

var someFaults = []devpage.Fault{
	{Text: "undefined: x", File: "app/a.go", Line: 9, Column: 2, Source: []devpage.Line{{Number: 9, Text: "\tx()", Marked: true}, {Number: 10}}, Word: devpage.Span{From: 1, To: 2}},
	{Text: "go: updates to go.mod needed"},
}

func TestTerminal(t *testing.T) {
	is := is.New(t)
	var b strings.Builder
	term := newTerminal(&b, func(string) string { return "" })
	term.say("ready on %s", "http://localhost:8080")
	term.Write([]byte("no newline"))
	term.complain("the build has failed", someFaults, "go on")
	is.Equal(b.String(), `flow: ready on http://localhost:8080
no newline
flow: the build has failed

app/a.go:9:2: undefined: x

  9 | x()
    | ^

go: updates to go.mod needed

flow: go on
`)
	b.Reset()
	term.colors = true
	term.complain("the build has failed", someFaults[:1], "")
	is.Equal(b.String(), "\x1b[2mflow: \x1b[0m\x1b[31mthe build has failed\x1b[0m\n\n"+term.colors.Faults(devpage.Red, someFaults[:1]))
	is.True(strings.Contains(b.String(), "\x1b[1mapp/a.go:9:2\x1b[0m: undefined: x\n"))
}

// TestTerminalWarns: what is new is told with its source, and of what is gone the number that is left.
func TestTerminalWarns(t *testing.T) {
	warnings := func(lines string) (all []devpage.Fault) {
		for i, text := range strings.Fields(lines) {
			all = append(all, devpage.Fault{File: "a.html", Line: i + 1, Text: "warning: " + text})
		}
		return all
	}
	for _, tt := range []struct{ name, before, now, want string }{
		{"none", "", "", ""},
		{"the first", "", "a b", "flow: the templates have 2 warnings\n\na.html:1: warning: a\na.html:2: warning: b\n"},
		{"the same", "a b", "a b", "flow: the templates still have 2 warnings\n"},
		{"others lines", "a b", "b a", "flow: the templates still have 2 warnings\n"},
		{"one more", "b", "a b", "flow: the templates have 2 warnings, 1 of them new\n\na.html:1: warning: a\n"},
		{"one more of the same text", "a", "a a", "flow: the templates have 2 warnings, 1 of them new\n\na.html:2: warning: a\n"},
		{"one in place of another", "a", "b", "flow: the templates have 1 warning\n\na.html:1: warning: b\n"},
		{"fewer", "a b", "b", "flow: the templates have 1 warning left\n"},
		{"none any more", "a b", "", "flow: the templates have no warnings any more\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			newTerminal(&b, func(string) string { return "" }).warn(warnings(tt.before), warnings(tt.now))
			is.New(t).Equal(b.String(), tt.want)
		})
	}
}

// TestJudged: a line about mistakes says which files have them.
func TestJudged(t *testing.T) {
	for files, want := range map[string]string{
		"":                         "the templates",
		"a/b.html":                 "the templates",
		"a/[id].http c.http":       "the examples",
		"a/b.http a/b.html c.http": "the templates and examples",
		"a/b.md":                   "the pages",
		"a/b.md c.html":            "the templates and pages",
		"a/b.md c.http":            "the pages and examples",
		"a/b.md c.http d.html":     "the templates, pages and examples",
	} {
		var faults []devpage.Fault
		for _, f := range strings.Fields(files) {
			faults = append(faults, devpage.Fault{File: f})
		}
		is.New(t).Equal(judged(faults), want)
	}
}

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name, host, accept, mediaType string
		has, lacks                    string
	}{
		{"a page", "localhost:8080", "text/html,*/*", devpage.ContentType, "undefined: x", "nothing"},
		{"a program", "localhost:8080", "*/*", "text/plain; charset=utf-8", "app/a.go:9:2: undefined: x", "<"},
		{"another machine", "example.org", "text/html", "text/plain; charset=utf-8", "503 Service Unavailable", "undefined"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := httptest.NewRequest("GET", "/any", nil)
			r.RemoteAddr, r.Host = "127.0.0.1:1234", tt.host
			r.Header.Set("Accept", tt.accept)
			w := httptest.NewRecorder()
			report{"The build has failed", someFaults}.handler().ServeHTTP(w, r)
			is.Equal(w.Code, http.StatusServiceUnavailable)
			is.Equal(w.Header().Get("Content-Type"), tt.mediaType)
			is.True(strings.Contains(w.Body.String(), tt.has))
			is.True(!strings.Contains(w.Body.String(), tt.lacks))
			is.True(!strings.Contains(w.Body.String(), "Route map")) // which is that of an application
		})
	}
}

func TestTailKeepsTheEndOfTheOutput(t *testing.T) {
	is := is.New(t)
	var b strings.Builder
	tail := &tail{to: &b}
	for range 1000 {
		tail.Write([]byte("a line of the log\n"))
	}
	tail.Write([]byte("the end"))
	is.Equal(b.Len(), 1000*18+7) // all of it is passed on
	kept := tail.String()
	is.True(len(kept) <= maxTail)
	is.True(strings.HasPrefix(kept, "a line of the log\n"))
	is.True(strings.HasSuffix(kept, "\nthe end"))
}
