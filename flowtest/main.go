package flowtest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/flow"
	"example.com/flow/internal/site"
)

// Main is a TestMain that says which routes no test has asked: it runs the tests, prints a
// line for each method of a route that answered none of their requests, and exits.
//
//	func TestMain(m *testing.M) { flowtest.Main(m, app.New(&app.App{}).Routes) }
//
// routes is called after the tests. A request counts if it went to any Router of the
// application, in an example or in another test, and got past the matching: the answer may be
// that of a guard. Main prints nothing if tests failed, or if a flag such as -run has left out
// some of them. The go command shows what a passing test prints with -v only.
func Main(m *testing.M, routes func() []flow.RouteInfo, options ...Option) {
	var set settings
	for _, option := range options {
		option(&set)
	}
	var asked record
	site.Asked = asked.note
	code := m.Run()
	if code == 0 && allTestsRun() {
		unasked, total := asked.missing(routes())
		fmt.Printf("routes: %d of %d were asked\n", total-len(unasked), total)
		failing := 0
		for _, info := range unasked {
			said := ""
			if set.require && !slices.Contains(set.except, name(info)) {
				failing++
				said = ": no test asks for it"
			}
			fmt.Printf("\t%-6s %s  %s%s\n", info.Method, info.Pattern, info.File, said)
		}
		if failing > 0 {
			fmt.Println("FAIL: write an example for each of these routes, or name them in flowtest.Require")
			code = 1
		}
	}
	os.Exit(code)
}

// An Option changes what Main does.
type Option func(*settings)

type settings struct {
	require bool
	except  []string
}

// Require makes a route that no test has asked a failure, unless except names it: "GET
// /debug/{path...}", as Router.Routes has it.
func Require(except ...string) Option {
	return func(s *settings) { s.require, s.except = true, append(s.except, except...) }
}

// name returns the name of a route for Require.
func name(info flow.RouteInfo) string { return info.Method + " " + info.Pattern }

// allTestsRun reports whether no flag has left out tests.
func allTestsRun() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// A record holds the endpoints that have answered requests.
type record struct{ seen sync.Map } // of [2]string: the pattern of http.Request.Pattern, and the file

// note is site.Asked.
func (r *record) note(pattern, file string) {
	key := [2]string{pattern, file}
	if _, ok := r.seen.Load(key); !ok {
		r.seen.Store(key, true)
	}
}

// missing returns the routes that have answered no request, and the number of all routes.
func (r *record) missing(routes []flow.RouteInfo) (unasked []flow.RouteInfo, total int) {
	for _, info := range routes {
		pattern := strings.TrimPrefix(name(info), "ANY ")
		found := false
		r.seen.Range(func(key, _ any) bool {
			k := key.([2]string)
			found = k[0] == pattern && strings.HasSuffix(info.File, k[1])
			return !found
		})
		if !found {
			unasked = append(unasked, info)
		}
	}
	return unasked, len(routes)
}
