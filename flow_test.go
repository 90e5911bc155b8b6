package flow_test

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestRouterThatNewDidNotMake(t *testing.T) {
	is := is.New(t)
	r := &flow.Router{}
	logged(r)
	is.Equal(report(r), []string{"flow.New got no files: give it the embed.FS that holds router/"})
	is.Equal(serve(r, "GET", "/").Code, 500)
}

func TestRoutersDoNotShareAnything(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Files("router/a.http")
	one, two := flow.New(tree), flow.New(tree)
	one.At("a").GET().Do(func(*flow.Request) string { return "one" })
	two.At("a").GET().Do(func(*flow.Request) string { return "two" })
	is.Equal(says(serve(one, "GET", "/a")), "200 one")
	is.Equal(says(serve(two, "GET", "/a")), "200 two")
}

// TestNoSniffing: whatever answers, browsers believe its media type.
func TestNoSniffing(t *testing.T) {
	tree := flowtest.Files("router/text.http", "router/json.http", "router/std.http", "router/own.http", "router/page.html", "router/once.html", "router/bad.http", "public/app.css")
	newRouter := func() *flow.Router {
		r := flow.New(tree)
		r.At("text").GET().Do(hello)
		r.At("json").GET().Do(func(*flow.Request) flow.Response { return flow.JSON(1) })
		r.At("std").GET().Do(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<script>") })
		r.At("own").GET().Do(func(w http.ResponseWriter, r *http.Request) { w.Header().Del("X-Content-Type-Options") })
		r.At("page").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
		r.At("bad").GET().Do(func(*flow.Request) string { panic("x") })
		r.Mount("/mount", http.HandlerFunc(http.NotFound))
		journalOf(r)
		return r
	}
	good, bad := newRouter(), newRouter()
	bad.At("none").GET().Do(hello)
	for _, target := range []string{"/text", "/json", "/std", "/page", "/once", "/bad", "/app.css", "/none", "/text/", "/mount/x"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			for _, method := range []string{"GET", "POST", "OPTIONS"} {
				is.Equal(serve(good, method, target).Header()["X-Content-Type-Options"], []string{"nosniff"})
				is.Equal(serve(bad, method, target).Header()["X-Content-Type-Options"], []string{"nosniff"})
			}
		})
	}
	is := is.New(t)
	is.Equal(serve(good, "GET", "/own").Header()["X-Content-Type-Options"], nil) // a handler may take it away
}
