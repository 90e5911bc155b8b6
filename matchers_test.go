package flow_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/flowtest"
)

// answering returns a Router in which each file says which it is, and what its parameter
// p holds.
func answering(matchers map[string]func(string) bool, files ...string) *flow.Router {
	r := flow.New(flowtest.Files(files...))
	r.Matchers = matchers
	for _, file := range files {
		path := strings.TrimSuffix(strings.TrimPrefix(file, "router/"), ".http")
		r.At(path).GET().Do(func(req *flow.Request) string { return path + " " + req.Param("p") })
	}
	return r
}

// TestMatchersOfTheApplication may also replace a built-in one.
func TestMatchersOfTheApplication(t *testing.T) {
	matchers := map[string]func(string) bool{
		"lang": func(v string) bool { return v == "de" || v == "fr" },
		"int":  func(v string) bool { return v == "seven" },
	}
	r := answering(matchers, "router/[[p=lang]]/help.http", "router/[p].http", "router/n/[p=int].http")
	for target, want := range map[string]string{
		"/help":    "[[p=lang]]/help ",
		"/de/help": "[[p=lang]]/help de",
		"/it/help": "",
		"/de":      "[p] de",
		"/n/seven": "n/[p=int] seven",
		"/n/7":     "",
	} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, "GET", target)
			if want == "" {
				is.Equal(w.Code, 404)
				return
			}
			is.Equal(w.Body.String(), want)
		})
	}
}

func TestMatcherFaults(t *testing.T) {
	golden := flowtest.OpenGolden(t, "faults/matchers.txt")
	for _, tt := range []struct {
		name     string
		matchers map[string]func(string) bool
		files    []string
	}{
		{"unknown", nil, []string{"router/[p=lang].http"}},
		{"unknown beside own", map[string]func(string) bool{"color": func(string) bool { return true }}, []string{"router/[p=lang].http"}},
		{"misspelt", nil, []string{"router/[p=dat].http"}},
		{"misspelt own", map[string]func(string) bool{"lang": func(string) bool { return true }}, []string{"router/[...p=langs].http"}},
		{"nil", map[string]func(string) bool{"lang": nil}, []string{"router/a.http"}},
		{"no name", nil, []string{"router/[p=].http"}},
		{"odd name", nil, []string{"router/[p=a-b].http"}},
		{"no parameter", nil, []string{"router/[=int].http"}},
		{"one URL", nil, []string{"router/[a=int].http", "router/[b=int].http"}},
		{"beside", nil, []string{"router/[a=int].http", "router/[b].http"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := flow.New(flowtest.Files(tt.files...))
			r.Matchers = tt.matchers
			for _, rt := range r.Tree().Routes {
				r.At(rt.Path).GET().Do(func(*flow.Request) string { return "" })
			}
			golden.Equal(t, tt.name, strings.TrimSpace(errorText(r.Check())))
		})
	}
	t.Run("prefix", func(t *testing.T) {
		is := is.New(t)
		r := flow.New(flowtest.Files("router/a.http"))
		r.At("a").GET().Do(func(*flow.Request) string { return "" })
		r.Mount("/[org=int]", http.NotFoundHandler())
		is.True(strings.Contains(errorText(r.Check()), `"[org=int]": a prefix has no matchers: write [org], and look at the value in a guard`))
	})
}

// TestCheckNamesNeighbours warns of matchers side by side.
func TestCheckNamesNeighbours(t *testing.T) {
	is := is.New(t)
	r := answering(nil, "router/u/[a=int].http", "router/u/[b=slug]/x.http", "router/u/[c].http", "router/v/[...d=int].http", "router/v/[e=slug].http")
	is.NoErr(r.Check())
	is.Equal(errorText(r.Warnings()), "router/u/[b=slug]/x.http: warning: [b=slug] stands beside [a=int] of router/u/[a=int].http: a value that both match is for [a=int], since matchers are tried in the order of their names")
}

// TestRouteRefusesWhatDoesNotMatch since its URL would lead elsewhere.
func TestRouteRefusesWhatDoesNotMatch(t *testing.T) {
	is := is.New(t)
	r := answering(nil, "router/users/[p=int].http", "router/days/[...p=date].http", "router/[[p=int]]/about.http")
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"users.p", 7, "/users/7"},
		{"users.p", "x", `flow: route "users.p" (router/users/[p=int].http): "x" cannot be the value of the parameter "p": it does not match "int"`},
		{"days.p", []string{"2026-11-22", "2026-11-23"}, "/days/2026-11-22/2026-11-23"},
		{"days.p", "2026-11-22/x", `flow: route "days.p" (router/days/[...p=date].http): "x" cannot be the value of the parameter "p": it does not match "date"`},
		{"p.about", 7, "/7/about"},
	} {
		u, err := r.Route(tt.name, "p", tt.value)
		if err != nil {
			u = err.Error()
		}
		is.Equal(u, tt.want)
	}
	u, err := r.Route("p.about")
	is.NoErr(err)
	is.Equal(u, "/about")
}

// TestMatcherThatPanics does not match, and is told.
func TestMatcherThatPanics(t *testing.T) {
	is := is.New(t)
	r := answering(map[string]func(string) bool{"odd": func(v string) bool { return v[10] == 'x' }}, "router/[p=odd].http", "router/[p].http")
	log := journalOf(r)
	for range 3 {
		is.Equal(serve(r, "GET", "/ada").Body.String(), "[p] ada")
	}
	all := records(t, log) // clients must not fill the log
	is.Equal(len(all), 1)
	is.Equal(all[0]["matcher"], "odd")
	is.True(strings.Contains(all[0]["error"].(string), "out of range"))
}

// TestMatchersOfMountedRouters are their own.
func TestMatchersOfMountedRouters(t *testing.T) {
	is := is.New(t)
	takes := func(want string) map[string]func(string) bool {
		return map[string]func(string) bool{"x": func(v string) bool { return v == want }}
	}
	r, inner := answering(takes("a"), "router/[p=x].http"), answering(takes("b"), "router/[p=x].http")
	r.Mount("/in", inner)
	is.Equal(serve(r, "GET", "/a").Body.String(), "[p=x] a")
	is.Equal(serve(r, "GET", "/b").Code, 404)
	is.Equal(serve(r, "GET", "/in/b").Body.String(), "[p=x] b")
	is.Equal(serve(r, "GET", "/in/a").Code, 404)
}

func TestMatchersAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("exchanges are not used again")
	}
	r := answering(nil, "router/a/[p=int].http", "router/b/[p=int].http", "router/b/[p].http", "router/c/[...p=slug].http")
	r.At("a/[p=int]").POST().Do(func(*flow.Request) string { return "hello" })
	r.At("b/[p]").POST().Do(func(*flow.Request) string { return "hello" })
	r.At("c/[...p=slug]").POST().Do(func(*flow.Request) string { return "hello" })
	for _, target := range []string{"/a/7", "/b/7", "/b/x", "/c/x/y"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			w := &sink{Headers: map[string][]string{}}
			req := request("POST", target)
			is.Equal(testing.AllocsPerRun(100, func() { r.ServeHTTP(w, req) }), 0.0)
			is.Equal(fmt.Sprint(w.Wrote > 0), "true")
		})
	}
}

// TestTemplatesNameRoutesWithMatchers with values that only requests know, which Check
// takes for right, and with constants, which it does not.
func TestTemplatesNameRoutesWithMatchers(t *testing.T) {
	for _, tt := range []struct{ name, template, want string }{
		{"a field", `{{route "item" "id" .}}`, "/items/7"},
		{"a variable", `{{$x := .}}{{route "item" "id" $x}}`, "/items/7"},
		{"piped", `{{. | route "item" "id"}}`, "/items/7"},
		{"a number", `{{route "item" "id" 8}}`, "/items/8"},
		{"text", `{{route "item" "id" "9"}}`, "/items/9"},
		{"uuid", `{{route "thing" "id" (printf "f81d4fae-7dec-11d0-a765-00a0c91e6bf%v" .)}}`, "/things/f81d4fae-7dec-11d0-a765-00a0c91e6bf7"},
		{"own", `{{route "help" "p" (printf "d%s" "e")}}`, "/de/help"},
		{"a catch-all", `{{route "days" "day" (printf "2026-11-0%v" .)}}`, "/days/2026-11-07"},
		{"a wrong constant", `{{route "item" "id" "x"}}`, `router/index.html:1: route "item" (router/items/[id=int].http): "x" cannot be the value of the parameter "id": it does not match "int"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(pagesOf("index.html: " + tt.template + "\nitems/[id=int].http: \nthings/[id=uuid].http: \n[[p=lang]]/help.http: \ndays/[...day=date].http: ")))
			r.Matchers = map[string]func(string) bool{"lang": func(v string) bool { return v == "de" }}
			for path, name := range map[string]string{"items/[id=int]": "item", "things/[id=uuid]": "thing", "[[p=lang]]/help": "help", "days/[...day=date]": "days"} {
				r.At(path).GET().Name(name).Do(func(*flow.Request) string { return "" })
			}
			r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(7) })
			if err := r.Check(); err != nil {
				is.Equal(err.Error(), tt.want)
				return
			}
			is.Equal(serve(r, "GET", "/").Body.String(), tt.want)
		})
	}
}
