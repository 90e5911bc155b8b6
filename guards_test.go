package flow_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func signedIn(*flow.Request) flow.Response            { return flow.Next() }
func ownersOnly(*flow.Request) (flow.Response, error) { return flow.Next(), nil }

//go:noinline
func allow(role string) func(*flow.Request) flow.Response {
	return func(req *flow.Request) flow.Response {
		if req.Header.Get("Role") != role {
			return flow.Text("no").Status(403)
		}
		return flow.Next()
	}
}

type role string

func (r role) guard(req *flow.Request) flow.Response { return allow(string(r))(req) }

//go:noinline
func atMost(int) func(*flow.Request) flow.Response {
	return func(*flow.Request) flow.Response { return flow.Next() }
}
func signedInStandard(h http.Handler) http.Handler { return h }

// TestGuardsOfRoutes: Routes and the command routes name the guards of each handler, wherever
// they are registered, and no standard middleware.
func TestGuardsOfRoutes(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/index.html", "router/invoices/[id].http"))
	inner.At("invoices/[id]").GET().Use(ownersOnly).Do(hello)
	r := flow.New(flowtest.Files("router/index.html", "router/login.html", "router/(staff)/staff/index.html", "router/(staff)/staff/users.http", "router/admin.html"))
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
GET /admin [flow_test.ownersOnly] 1
GET /billing [flow_test.signedIn] 1
GET /billing/invoices/{id} [flow_test.signedIn flow_test.ownersOnly] 2
ANY /debug/ [] 0
GET /login [] 1
GET /staff [flow_test.signedIn flow_test.atMost] 3
GET /staff/users [flow_test.signedIn flow_test.atMost flow_test.ownersOnly] 5
POST /staff/users [flow_test.signedIn flow_test.atMost flow_test.ownersOnly flow_test.pass] 6
`)
	r.Routes()[1].Guards[0] = "changed"
	is.Equal(r.Routes()[1].Guards, []string{"flow_test.ownersOnly"}) // each caller has a list of its own
	listed := runWith(t.Context(), r, nil, "routes -path /staff").stdout
	is.True(strings.Contains(asTable(listed), "GET  /staff  flow_test.signedIn, flow_test.atMost  "))
}

// TestGuardsOfAll: a guard of Use or of In("") runs before mounted handlers, too.
func TestGuardsOfAll(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/index.html"))
	r := flow.New(flowtest.Files("router/a.html"))
	r.Use(signedIn)
	r.In("").Use(ownersOnly)
	r.Mount("/in", inner)
	r.Mount("/debug", http.NotFoundHandler())
	is.NoErr(r.Check())
	for _, i := range r.Routes() {
		is.Equal(i.Guards, []string{"flow_test.signedIn", "flow_test.ownersOnly"}) // those before i.Pattern
	}
	is.Equal(len(r.Routes()), 3)
}

// TestUnguarded: a file that leaves out the group of a guarded directory below the same URL is
// warned of. register calls In and Use; files are pages without content.
func TestUnguarded(t *testing.T) {
	in := func(dirs ...string) func(*flow.Router) {
		return func(r *flow.Router) {
			for _, dir := range dirs {
				r.In(dir).Use(signedIn)
			}
		}
	}
	for _, tt := range []struct {
		name, files string
		register    func(*flow.Router)
		want        string // "file < guarded file: where to", one on each line
	}{
		{"beside an index", "(staff)/staff/index staff/reports", in("(staff)"), "staff/reports < (staff)/staff/index: (staff)/staff/reports"},
		{"In of the directory", "(staff)/staff/index staff/reports", in("(staff)/staff"), "staff/reports < (staff)/staff/index: (staff)/staff/reports"},
		{"beside the file of the directory", "(staff)/staff staff/reports", in("(staff)"), "staff/reports < (staff)/staff: (staff)/staff/reports"},
		{"without a page of the directory", "(staff)/staff/users (staff)/staff/tickets staff/reports", in("(staff)"), "staff/reports < (staff)/staff/tickets: (staff)/staff/reports"},
		{"of a parameter", "(staff)/tickets/index tickets/[id]", in("(staff)"), "tickets/[id] < (staff)/tickets/index: (staff)/tickets/[id]"},
		{"a parameter is guarded", "(staff)/tickets/[id] tickets/export", in("(staff)"), "tickets/export < (staff)/tickets/[id]: (staff)/tickets/export"},
		{"an optional parameter", "(staff)/staff/[[page]] staff/reports", in("(staff)"), "staff/reports < (staff)/staff/[[page]]: (staff)/staff/reports"},
		{"a group within", "shop/(staff)/admin/index shop/admin/orders", in("shop/(staff)"), "shop/admin/orders < shop/(staff)/admin/index: shop/(staff)/admin/orders"},
		{"one of two guards", "(staff)/staff/index staff/reports", func(r *flow.Router) {
			r.In("staff").Use(pass)
			r.In("(staff)").Use(signedIn)
		}, "staff/reports < (staff)/staff/index: (staff)/staff/reports"},
		{"a guard of the same maker for all", "(staff)/staff/index staff/reports", func(r *flow.Router) {
			r.In("").Use(allow("user"))
			r.In("(staff)").Use(allow("admin"))
		}, "staff/reports < (staff)/staff/index: (staff)/staff/reports"},
		{"a method of another value for all", "(staff)/staff/index staff/reports", func(r *flow.Router) {
			r.In("").Use(role("user").guard)
			r.In("(staff)").Use(role("admin").guard)
		}, "staff/reports < (staff)/staff/index: (staff)/staff/reports"},
		{"In of the URL", "(staff)/staff/index staff/reports", in("staff"), ""},
		{"pages at the root", "index about (auth)/login (auth)/reset (app)/home (app)/settings/index (app)/settings/keys", in("(app)"), ""},
		{"a public list, guarded changes", "articles/index articles/[slug] (editors)/articles/new (editors)/articles/[slug]/edit articles/[slug]/comments", in("(editors)"), ""},
		{"a public item, guarded changes", "index articles/[slug] (editors)/articles/new (editors)/articles/store.http", in("(editors)"), ""},
		{"a sign-in page beside a group", "admin/login admin/(signed-in)/index admin/(signed-in)/users", in("admin/(signed-in)"), ""},
		{"a language before the root", "[[lang]]/about [[lang]]/login (members)/[[lang]]/home (members)/[[lang]]/mail/index", in("(members)"), ""},
		{"a guard of its own", "(staff)/staff/index staff/login", func(r *flow.Router) {
			r.In("(staff)").Use(signedIn)
			r.At("staff/login").GET().Use(atMost(5))
		}, ""},
		{"guards of a directory of its own", "(staff)/staff/index staff/api/[id]", func(r *flow.Router) {
			r.In("(staff)").Use(signedIn)
			r.In("staff/api").Use(ownersOnly)
		}, ""},
		{"the same guard", "(staff)/staff/index staff/reports", func(r *flow.Router) {
			r.In("(staff)").Use(signedIn)
			r.At("staff/reports").Use(signedIn)
		}, ""},
		{"the same guard for all", "(staff)/staff/index staff/reports", func(r *flow.Router) {
			r.In("").Use(signedIn)
			r.In("(staff)").Use(signedIn)
		}, ""},
		{"a guard of the same maker of its own", "(staff)/staff/index staff/reports", func(r *flow.Router) {
			r.In("(staff)").Use(allow("admin"), signedIn)
			r.At("staff/reports").Use(allow("user"))
		}, ""},
		{"standard middleware", "(staff)/staff/index staff/reports", func(r *flow.Router) { r.In("(staff)").Use(signedInStandard) }, ""},
		{"a guard of one file", "(staff)/staff/index staff/reports", func(r *flow.Router) { r.At("(staff)/staff/index").Use(signedIn) }, ""},
		{"more guards within", "(staff)/staff/index (staff)/staff/(owner)/bills (staff)/staff/users", in("(staff)", "(staff)/staff/(owner)"), ""},
		{"no guards", "(staff)/staff/index staff/reports", func(*flow.Router) {}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			named := func(name string) string { // with its extension
				if strings.HasSuffix(name, ".http") {
					return name
				}
				return name + ".html"
			}
			var files []string
			for file := range strings.FieldsSeq(tt.files) {
				files = append(files, "router/"+named(file))
			}
			r := flow.New(flowtest.Files(files...))
			for _, file := range files {
				if name, ok := strings.CutSuffix(strings.TrimPrefix(file, "router/"), ".http"); ok {
					r.At(name).POST().Do(hello)
				}
			}
			tt.register(r)
			is.NoErr(r.Check())
			var want, got []string
			for line := range strings.Lines(tt.want) {
				file, rest, _ := strings.Cut(strings.TrimSpace(line), " < ")
				guarded, to, _ := strings.Cut(rest, ": ")
				want = append(want, "router/"+named(file)+" router/"+named(guarded)+" "+named(to))
			}
			for line := range strings.Lines(errorText(r.Warnings())) {
				m := unguarded.FindStringSubmatch(strings.TrimSpace(line))
				if m == nil {
					t.Fatalf("another warning: %s", line)
				}
				got = append(got, strings.Join(m[1:], " "))
			}
			is.Equal(got, want)
		})
	}
}

// BenchmarkGuards checks applications with many calls of In, each for a directory in a group,
// which has a file that leaves out the group beside it. Twice as many calls take twice the
// time, and not four times.
func BenchmarkGuards(b *testing.B) {
	for _, n := range []int{100, 400, 1600} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var files, dirs []string
			for i := range n {
				dirs = append(dirs, fmt.Sprintf("(team%d)/area%[1]d", i))
				files = append(files, "router/"+dirs[i]+"/index.html", fmt.Sprintf("router/area%d/open.html", i))
			}
			tree := flowtest.Files(files...)
			for b.Loop() {
				b.StopTimer() // a MapFS reads all of its files for each directory
				r := flow.New(tree)
				for _, dir := range dirs {
					r.In(dir).Use(signedIn)
				}
				b.StartTimer()
				if err := r.Check(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var unguarded = regexp.MustCompile(`^(\S+): warning: it lacks the guard flow_test\.(?:signedIn|allow|role\.guard), which In\(".+"\) gives to (\S+) below the same /\S+: move it to (\S+); or, if that is meant, into a group of its own, such as (?:\S+/)?\(public\)/\S+, or give it a guard of its own$`)
