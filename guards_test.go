package flow

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

func signedIn(*Request) Response                   { return Next() }
func ownersOnly(*Request) (Response, error)        { return Next(), nil }
func atMost(int) func(*Request) Response           { return func(*Request) Response { return Next() } }
func signedInStandard(h http.Handler) http.Handler { return h }

// TestGuardsOfRoutes: Routes and the command routes name the guards of each handler, wherever
// they are registered, and no standard middleware.
func TestGuardsOfRoutes(t *testing.T) {
	is := is.New(t)
	inner := New(flowtest.Files("router/index.html", "router/invoices/[id].http"))
	inner.At("invoices/[id]").GET().Use(ownersOnly).Do(hello)
	r := New(flowtest.Files("router/index.html", "router/login.html", "router/(staff)/staff/index.html", "router/(staff)/staff/users.http", "router/admin.html"))
	r.In("(staff)").Use(signedInStandard, signedIn, atMost(7))
	users := r.At("(staff)/staff/users")
	users.Use(signedIn, ownersOnly) // signedIn a second time
	users.GET().Do(hello)
	users.POST().Use(pass).Do(hello)
	r.At("admin").GET().Use(ownersOnly)
	r.At("login").Use(signedInStandard)
	r.Mount("/billing", inner).Use(signedIn)
	r.Mount("/debug", http.NotFoundHandler())
	is.NoErr(r.Check())
	var b strings.Builder
	for _, i := range r.Routes() {
		is.True(i.Guards != nil) // so that JSON has a list
		fmt.Fprintln(&b, i.Method, i.Pattern, i.Guards, i.Middleware)
	}
	is.Equal(b.String(), `GET / [] 0
GET /admin [flow.ownersOnly] 1
GET /billing [flow.signedIn] 1
GET /billing/invoices/{id} [flow.signedIn flow.ownersOnly] 2
ANY /debug/ [] 0
GET /login [] 1
GET /staff [flow.signedIn flow.atMost] 3
GET /staff/users [flow.signedIn flow.atMost flow.ownersOnly] 5
POST /staff/users [flow.signedIn flow.atMost flow.ownersOnly flow.pass] 6
`)
	r.Routes()[1].Guards[0] = "changed"
	is.Equal(r.Routes()[1].Guards, []string{"flow.ownersOnly"}) // each caller has a list of its own
	listed := runWith(t.Context(), r, nil, "routes -path /staff").stdout
	is.True(strings.Contains(asTable(listed), "GET  /staff  flow.signedIn, flow.atMost  router/(staff)/staff/index.html"))
}

// TestGuardsOfAll: a guard of Use or of In("") runs before mounted handlers, too.
func TestGuardsOfAll(t *testing.T) {
	is := is.New(t)
	inner := New(flowtest.Files("router/index.html"))
	r := New(flowtest.Files("router/a.html"))
	r.Use(signedIn)
	r.In("").Use(ownersOnly)
	r.Mount("/in", inner)
	r.Mount("/debug", http.NotFoundHandler())
	is.NoErr(r.Check())
	for _, i := range r.Routes() {
		is.Equal(i.Guards, []string{"flow.signedIn", "flow.ownersOnly"}) // those before i.Pattern
	}
	is.Equal(len(r.Routes()), 3)
}
