package apptest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"
	"example.com/flow/internal/serve/routes/routetree"
)

// Asked is a handler that says what it was asked, and what it is told.
func Asked(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %s", r.Method, r.URL.EscapedPath())
	for _, name := range []string{"org", "id"} {
		if v := r.PathValue(name); v != "" {
			fmt.Fprintf(w, " %s=%s", name, v)
		}
	}
}

// Sources returns the files of a tree: "file: text" in each line.
func Sources(lines string) fstest.MapFS {
	m := fstest.MapFS{}
	for file, text := range PagesOf(lines) {
		if !strings.HasPrefix(file, routetree.PublicDir+"/") {
			file = routetree.RouterDir + "/" + file
		}
		m[file] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// Billing returns an application that is made to be mounted.
func Billing() *flow.Router {
	r := flow.New(Sources(`		+layout.html: <nav href="{{route "invoices.index"}}" home="{{route "home"}}" css="{{asset "app.css"}}">{{template "content" .}}
		+error.html: {{.Status}} in billing for {{.Path}}
		invoices/+error.html: {{.Status}} of an invoice
		index.html: all
		invoices/index.html: invoices
		invoices/[id].html: invoice {{.}} <a href="{{route "invoices.show" "id" 7}}">
		pay.http: 
		public/app.css: a{}`))
	r.At("invoices/[id]").GET().Name("invoices.show").Do(func(req *flow.Request) flow.Response { return flow.Page(req.Param("org") + req.Param("id")) })
	r.At("pay").GET().Do(func(*flow.Request) flow.Response { return flow.RedirectTo("invoices.show", "id", 9) })
	r.At("pay").POST().Do(func(req *flow.Request) flow.Response { return flow.Redirect("/elsewhere") })
	return r
}

// OuterOf returns an application that has an inner one mounted, and the mount.
func OuterOf(t *testing.T, prefix string, inner *flow.Router) (*flow.Router, *flow.Mounted) {
	t.Helper()
	r := flow.New(Sources(`		index.html: {{route "billing.invoices.show" "id" 1 "org" "acme"}}
		users/[id].html: user
		+error.html: {{.Status}} outside`))
	r.At("index").GET().Name("home").Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
	return r, r.Mount(prefix, inner).Name("billing")
}
