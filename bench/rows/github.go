package rows

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gin-gonic/gin"

	"example.com/flow/bench/measure"
)

var githubRows = []Row{
	{"github/all", "GitHub's API: 203 routes, each in turn", func() measure.Group {
		return github(func(route) bool { return true })
	}},
	{"github/static", "the 36 of them without parameters", func() measure.Group {
		return github(func(r route) bool { return !strings.Contains(r.pattern, ":") })
	}},
	{"github/params", "the 167 others", func() measure.Group {
		return github(func(r route) bool { return strings.Contains(r.pattern, ":") })
	}},
	{"github/one", "one of them, with one parameter", func() measure.Group {
		return github(func(r route) bool { return r == route{"GET", "/users/:user/repos"} })
	}},
}

// github has all routes registered, and calls for those that are asked for. The name of a
// parameter, ":user", is its value.
func github(asked func(route) bool) measure.Group {
	routes := githubRoutes()
	g := measure.Group{Base: httprouterName, Contestants: append(contest(routes), measure.Contestant{Name: GinWriterName, Handler: ginWriterOf(routes)})}
	for _, r := range routes {
		if asked(r) {
			g.Calls = append(g.Calls, measure.Call{Method: r.method, Path: r.pattern, Bare: true, Want: answers(hello)})
		}
	}
	return g
}

// GinWriterName is gin with handlers that write to its ResponseWriter, past its renderers:
// the cheapest handlers that gin has.
const GinWriterName = "gin, io.WriteString"

func ginWriterOf(routes []route) http.Handler {
	r := newGin()
	r.HandleMethodNotAllowed = true
	for _, route := range routes {
		r.Handle(route.method, route.pattern, func(c *gin.Context) {
			c.Writer.Header()["Content-Type"] = textType
			io.WriteString(c.Writer, hello)
		})
	}
	return r
}

// githubRoutes returns the 203 routes of GitHub's REST API, as the author of httprouter
// lists them for his benchmark.
func githubRoutes() []route {
	_, source, _, _ := runtime.Caller(0)
	f, err := os.Open(filepath.Join(filepath.Dir(source), "../../internal/testkit/apps/speed/testdata/github.txt"))
	if err != nil {
		panic(err) // the program is run from its source
	}
	defer f.Close()
	var routes []route
	for lines := bufio.NewScanner(f); lines.Scan(); {
		method, pattern, _ := strings.Cut(lines.Text(), " ")
		routes = append(routes, route{method, pattern})
	}
	return routes
}
