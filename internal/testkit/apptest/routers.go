// Package apptest helps tests of whole applications: Routers of a few files, their logs, requests to them,
// and what they answer and report. Unlike flowtest it imports the root, as applications do.
package apptest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

// Lone returns a Router of one route file, x, that answers every method with the
// handler, after the middleware, and the log that it writes.
func Lone(handler any, use ...any) (*flow.Router, *Journal) {
	r := flow.New(flowtest.Files("router/x.http"))
	r.Use(use...)
	r.At("x").ANY().Do(handler)
	return r, JournalOf(r)
}

// Registered makes a Router for the route files that have handlers, each for
// the methods given after its name: "users/[id].http GET PUT".
func Registered(tb testing.TB, lines ...string) *flow.Router {
	tb.Helper()
	r := Unchecked(tb, lines...)
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

// Unchecked is Registered without the Check, so that there may be more.
func Unchecked(tb testing.TB, lines ...string) *flow.Router {
	tb.Helper()
	files := fstest.MapFS{}
	for _, line := range lines {
		files["router/"+strings.Fields(line)[0]] = &fstest.MapFile{}
	}
	r := flow.New(files)
	tree := routetree.Parse(files, nil)
	routes := map[string]*routetree.Route{}
	for _, rt := range tree.Routes {
		routes[rt.File] = rt
	}
	for _, line := range lines {
		words := strings.Fields(line)
		rt := routes["router/"+words[0]]
		if rt == nil {
			tb.Fatalf("%s is no route: %v", words[0], fault.Join(tree.Faults))
		}
		for _, method := range words[1:] {
			if method == "ANY" {
				r.At(rt.Path).ANY().Do(Answers(rt, method))
			} else {
				r.At(rt.Path).Method(method).Do(Answers(rt, method))
			}
		}
	}
	return r
}

// Answers returns a handler that says which file and method it was registered
// for and what the parameters are: "router/[id].http GET id=42 rest=a|b".
func Answers(r *routetree.Route, method string) func(*flow.Request) string {
	return func(req *flow.Request) string {
		text := r.File + " " + method
		for _, seg := range r.Patterns[len(r.Patterns)-1].Segments {
			switch {
			case seg.Kind == pattern.Param:
				text += " " + seg.Text + "=" + req.Param(seg.Text)
			case seg.Kind == pattern.Rest:
				text += " " + seg.Text + "=" + strings.Join(req.Segments(seg.Text), "|")
			}
		}
		return text
	}
}

// InTest matches a position in a file of the tests, "flow/names_test.go:12", or of this package. The
// directory is called as the repository was cloned, and that name may have spaces.
var InTest = func() *regexp.Regexp {
	dir, _ := os.Getwd() // without it, only names with spaces are not recognized
	return regexp.MustCompile(`[^\s"]*(` + regexp.QuoteMeta(filepath.Base(dir)) + `/)?([a-z]+_test|apptest/[a-z]+)\.go:\d+`)
}()

// Report returns the faults of r, a line each, with HERE for positions in the tests.
func Report(r *flow.Router) []string {
	err := r.Check()
	if err == nil {
		return nil
	}
	return strings.Split(InTest.ReplaceAllString(err.Error(), "HERE"), "\n")
}

// ErrorText returns the text of an error, or "" if there is none.
func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
