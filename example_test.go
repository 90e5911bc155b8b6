package flow_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing/fstest"
	"time"

	"example.com/flow"
)

// tree is a route directory. An application embeds one with go:embed.
var tree = fstest.MapFS{
	"router/index.html":       {Data: []byte(`<a href="{{route "users.show" "id" 42}}">Ann</a>`)},
	"router/users/index.http": {},
	"router/users/store.http": {},
	"router/users/[id].http":  {},
	"router/(admin)/log.http": {},
}

func show(req *flow.Request) string    { return "user " + req.Param("id") }
func list(*flow.Request) flow.Response { return flow.JSON([]string{"Ann", "Bob"}) }
func create(req *flow.Request) flow.Response {
	return flow.Success(req.Only("name", "email"), "created", http.StatusCreated)
}

// newRouter registers explicitly, as a test does. In the package that embeds the
// tree, users.id.go says flow.GET().Name("users.show").Do(show).
func newRouter() *flow.Router {
	r := flow.New(tree)
	r.At("users/index").GET().Do(list)
	r.At("users/store").POST().Do(create)
	r.At("users/[id]").GET().Name("users.show").Do(show)
	r.At("(admin)/log").GET().Do(list)
	return r
}

func ExampleNew() {
	r := newRouter()
	for _, route := range r.Routes() {
		fmt.Printf("%-4s %-11s %s\n", route.Method, route.Pattern, route.File)
	}
	get(r, "/users/42")
	get(r, "/")
	// Output:
	// GET  /           router/index.html
	// GET  /log        router/(admin)/log.http
	// GET  /users      router/users/index.http
	// POST /users      router/users/store.http
	// GET  /users/{id} router/users/[id].http
	// 200 user 42
	// 200 <a href="/users/42">Ann</a>
}

// A job runs while the application serves, and is waited for.
func ExampleRouter_OnStart() {
	r := newRouter()
	var jobs sync.WaitGroup // of which none need have begun when it is waited for
	r.OnStart(func(ctx context.Context) error {
		fmt.Println("the tables are migrated")
		jobs.Go(func() {
			<-ctx.Done() // a job that works until the last request is answered
			fmt.Println("the job has ended")
		})
		return nil
	})
	r.OnStop(func(context.Context) error {
		jobs.Wait()
		return nil
	})
	r.Logger = slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(context.Background())
	r.OnStart(func(context.Context) error { stop(); return nil }) // as SIGTERM does, for this example
	fmt.Println(flow.Serve(ctx, "localhost:0", r))
	// Output:
	// the tables are migrated
	// the job has ended
	// <nil>
}

func ExampleRouter_OnStop() {
	r := newRouter()
	r.OnStop(func(context.Context) error { fmt.Println("the database is closed"); return nil })
	r.OnStop(func(context.Context) error { fmt.Println("the mailer has sent what waited"); return nil })
	ctx, stop := context.WithCancel(context.Background())
	stop() // as SIGTERM does
	r.Logger = slog.New(slog.DiscardHandler)
	fmt.Println(flow.Serve(ctx, "localhost:0", r))
	// Output:
	// the mailer has sent what waited
	// the database is closed
	// <nil>
}

func ExampleRun() {
	dsn := flag.String("dsn", "app.db", "`file` of the database") // beside flow's own flags
	build := func(context.Context) (*flow.Router, error) {
		db, err := sql.Open("sqlite", *dsn)
		if err != nil {
			return nil, err
		}
		r := newRouter()
		r.OnStop(func(context.Context) error { return db.Close() })
		return r, nil
	}
	main := func() { os.Exit(flow.Run(context.Background(), build)) }
	_ = main
}

func ExampleRouter_Check() {
	r := flow.New(fstest.MapFS{
		"router/users.html":       {},
		"router/users/index.html": {},
		"router/blog/[id.html":    {},
		"router/feed.xml.http":    {},
	})
	fmt.Println(r.Check())
	// Output:
	// router/blog/[id.html: a parameter fills a whole segment, and "[id" is not one of [id], [[id]], [...id], [[...id]]
	// router/feed.xml.http: no handler is registered for it: call At("feed.xml").GET().Do(…) on this Router, which was made in a test file and so has no static calls
	// router/users.html and router/users/index.html both answer /users: rename one of them
}

func ExampleRouter_Route() {
	r := newRouter()
	fmt.Println(r.Route("users.show", "id", 42))
	fmt.Println(r.Route("users.show", "id", "a/b", "tab", "posts"))
	fmt.Println(r.Route("users.show"))
	// Output:
	// /users/42 <nil>
	// /users/a%2Fb?tab=posts <nil>
	//  flow: route "users.show" (router/users/[id].http): the parameter "id" is missing
}

func ExampleRouter_In() {
	r := newRouter()
	r.Authenticate = func(req *flow.Request) (any, error) {
		if name, _, ok := req.BasicAuth(); ok {
			return name, nil
		}
		return nil, nil
	}
	r.In("(admin)").Use(func(req *flow.Request) flow.Response {
		if !req.IsAuthenticated() {
			return flow.Text("who are you?").Status(http.StatusUnauthorized)
		}
		return flow.Next()
	})
	get(r, "/log")
	get(r, "/users/1")
	// Output:
	// 401 who are you?
	// 200 user 1
}

func ExampleRequest_Bind() {
	r := flow.New(tree)
	r.At("users/index").GET().Do(func(req *flow.Request) (flow.Response, error) {
		var filter struct {
			Name string `form:"name"`
			Page int    `form:"page"`
		}
		if err := req.Bind(&filter); err != nil {
			return flow.Response{}, err
		}
		return flow.Text(fmt.Sprintf("page %d of %s", filter.Page, filter.Name)), nil
	})
	r.At("users/store").POST().Do(create)
	r.At("users/[id]").GET().Name("users.show").Do(show)
	r.At("(admin)/log").GET().Do(list)
	get(r, "/users?name=Ann&page=2")
	get(r, "/users?page=two")
	// Output:
	// 200 page 2 of Ann
	// 422 {"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"page":"must be a whole number"},"codes":{"page":"invalid.integer"}}
}

func ExampleNewRequest() {
	req := flow.NewRequest(httptest.NewRequest("GET", "/users/42", nil), "id", "42")
	fmt.Println(show(req))

	body := strings.NewReader("name=Ann&email=ann@example.com&admin=true")
	post := httptest.NewRequest("POST", "/users", body)
	post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req = flow.NewRequest(post)
	w := httptest.NewRecorder()
	create(req).Write(w, req)
	fmt.Print(w.Code, " ", w.Body)
	// Output:
	// user 42
	// 201 {"success":true,"message":"created","data":{"email":"ann@example.com","name":"Ann"}}
}

func ExampleError() {
	r := newRouter()
	r.Logger = slog.New(slog.DiscardHandler) // the cause goes there
	r.At("users/[id]").DELETE().Do(func(req *flow.Request) (string, error) {
		return "", flow.Error(http.StatusConflict, "user "+req.Param("id")+" has orders", errors.New("foreign key"))
	})
	w := do(r, httptest.NewRequest("DELETE", "/users/42", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	fmt.Println(w.Body)
	// Output:
	// 409 application/problem+json
	// {"type":"about:blank","title":"Conflict","status":409,"detail":"user 42 has orders"}
}

func ExampleHandler() {
	// Anything that is an http.Handler: a stream, a file, a templ component.
	r := newRouter()
	r.At("users/[id]").Method("REPORT").Do(func(req *flow.Request) flow.Response {
		return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for i := range 3 {
				fmt.Fprintf(w, "line %d of %s\n", i, r.PathValue("id"))
			}
		})).Header("Content-Type", "text/plain")
	})
	w := do(r, httptest.NewRequest("REPORT", "/users/42", nil))
	fmt.Print(w.Body)
	// Output:
	// line 0 of 42
	// line 1 of 42
	// line 2 of 42
}

// Layouts wrap the pages of their directory. A page fills their blocks, and one
// block of it can be the whole answer.
func ExamplePage() {
	r := flow.New(fstest.MapFS{
		"router/+layout.html": {Data: []byte(`<title>{{block "title" .}}Shop{{end}}</title> {{template "content" .}}`)},
		"router/about.html":   {Data: []byte(`About us`)},
		"router/cart.html": {Data: []byte(`{{define "title"}}Cart{{end}}{{block "items" .}}` +
			`{{range .}}{{template "+item" .}}{{end}}{{end}}`)},
		"router/+item.html": {Data: []byte(`<li>{{.}}</li>`)},
	})
	r.At("cart").GET().Do(func(req *flow.Request) flow.Response {
		page := flow.Page([]string{"Tea", "Cup"}).Header("Vary", "HX-Request")
		if req.Header.Get("HX-Request") != "" { // htmx asks for a fragment
			return page.Block("items")
		}
		return page
	})
	get(r, "/about")
	get(r, "/cart")
	fragment := httptest.NewRequest("GET", "/cart", nil)
	fragment.Header.Set("HX-Request", "true")
	w := do(r, fragment)
	fmt.Println(w.Code, w.Body)
	// Output:
	// 200 <title>Shop</title> About us
	// 200 <title>Cart</title> <li>Tea</li><li>Cup</li>
	// 200 <li>Tea</li><li>Cup</li>
}

// A store is what ExampleWith and ExampleRouter_Provide give to handlers.
type store struct{ names map[string]string }

func (s *store) show(req *flow.Request) string { return s.names[req.Param("id")] }

// In a counterpart, users.id.go for example, With registers a handler that needs a value.
func ExampleWith() {
	init := func() { // is func init() there
		flow.With(func(f *flow.File, s *store) {
			f.GET().Name("users.show").Do(s.show)
		})
	}
	_ = init
}

// The application gives its values where it makes the Router. Each test may give others.
func ExampleRouter_Provide() {
	newSite := func(s *store) *flow.Router { return flow.New(tree).Provide(s) }
	_ = newSite(&store{names: map[string]string{"42": "Ann"}})
}

func ExampleView() {
	r := flow.New(fstest.MapFS{
		"router/users/index.html": {Data: []byte(`<ul>{{range .}}{{template "users/+row" .}}{{end}}</ul>`)},
		"router/users/store.http": {},
		"router/users/+row.html":  {Data: []byte(`<li>{{.}}</li>`)},
	})
	r.At("users/index").GET().Do(func(*flow.Request) flow.Response { return flow.Page([]string{"Ann", "Bob"}) })
	r.At("users/store").POST().Do(func(req *flow.Request) flow.Response {
		return flow.View("users/+row", req.Input("name")).Status(http.StatusCreated) // the new row alone
	})
	get(r, "/users")
	fmt.Println(ask(r, "POST", "/users", "name=Cid").Body)
	// Output:
	// 200 <ul><li>Ann</li><li>Bob</li></ul>
	// <li>Cid</li>
}

func ExampleResponse_Block() {
	r := flow.New(fstest.MapFS{
		"router/news.html": {Data: []byte(`<h1>News</h1><ul>{{block "list" .}}{{range .}}<li>{{.}}</li>{{end}}{{end}}</ul>`)},
	})
	r.At("news").GET().Do(func(req *flow.Request) flow.Response {
		page := flow.Page([]string{"Tea is here"})
		if req.Input("part") == "list" { // a script replaces the list
			return page.Block("list")
		}
		return page
	})
	get(r, "/news")
	get(r, "/news?part=list")
	// Output:
	// 200 <h1>News</h1><ul><li>Tea is here</li></ul>
	// 200 <li>Tea is here</li>
}

// Serve checks both Routers, and calls their functions of OnStart and OnStop.
func ExampleHosts() {
	page := func(text string) *flow.Router {
		return flow.New(fstest.MapFS{"router/index.html": {Data: []byte(text)}})
	}
	hosts := flow.Hosts{"admin.example.com": page("for operators"), "": page("for everybody")}
	fmt.Println(hosts.Check())
	for _, url := range []string{"http://admin.example.com:8080/", "http://example.com/"} {
		w := do(hosts, httptest.NewRequest("GET", url, nil))
		fmt.Println(w.Body)
	}
	// Output:
	// <nil>
	// for operators
	// for everybody
}

// The first SIGTERM stops the server gracefully. Main does the same, with flags.
func ExampleServe() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := newRouter()
	r.Logger = slog.New(slog.DiscardHandler)
	r.OnStart(func(context.Context) error { stop(); return nil }) // as a signal does, for this example
	if err := flow.Serve(ctx, "localhost:0", r); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stopped")
	// Output: stopped
}

// Guards and handlers ask who the user is; Authenticate finds that out, at most once for a
// request.
func ExampleRouter_authenticate() {
	type account struct{ Name string }
	r := newRouter()
	r.Authenticate = func(req *flow.Request) (any, error) {
		cookie, err := req.Cookie("session")
		if err != nil || cookie.Value != "7f3a" { // a store of sessions, in earnest
			return nil, nil // nobody
		}
		return &account{"Ann"}, nil
	}
	r.In("(admin)").Use(func(req *flow.Request) flow.Response {
		if !req.IsAuthenticated() {
			return flow.Fail(http.StatusUnauthorized, "sign in first")
		}
		return flow.Next()
	})
	r.At("users/[id]").Method("REPORT").Do(func(req *flow.Request) string {
		return "for " + flow.UserOf[*account](req).Name
	})
	fmt.Println(ask(r, "GET", "/log", "").Code, ask(r, "GET", "/log", "", "Cookie: session=7f3a").Code)
	fmt.Println(ask(r, "REPORT", "/users/42", "", "Cookie: session=7f3a").Body)
	// Output:
	// 401 200
	// for Ann
}

func ExampleOneOf() {
	r := flow.New(fstest.MapFS{
		"router/[[lang=lang]]/about.html": {Data: []byte(`about, in {{or (request.Param "lang") "en"}}`)},
	})
	r.Matchers = map[string]func(string) bool{"lang": flow.OneOf("de", "fr")}
	get(r, "/about")
	get(r, "/de/about")
	fmt.Println(ask(r, "GET", "/en/about", "").Code)
	_, err := r.Route("lang.about", "lang", "en")
	fmt.Println(err)
	// Output:
	// 200 about, in en
	// 200 about, in de
	// 404
	// flow: route "lang.about" (router/[[lang=lang]]/about.html): "en" cannot be the value of the parameter "lang": it does not match "lang"
}

func ExampleRouter_matchers() {
	r := flow.New(fstest.MapFS{
		"router/[lang=lang]/about.html": {Data: []byte(`about, in {{request.Param "lang"}}`)},
		"router/[page].html":            {Data: []byte(`page {{request.Param "page"}}`)},
	})
	r.Matchers = map[string]func(string) bool{
		"lang": func(s string) bool { return len(s) == 2 && s == strings.ToLower(s) },
	}
	get(r, "/de/about")
	get(r, "/de")
	fmt.Println(ask(r, "GET", "/eng/about", "").Code)
	// Output:
	// 200 about, in de
	// 200 page de
	// 404
}

// What flow says to clients has codes. This application is in German.
func ExampleRouter_translate() {
	german := map[string]string{
		"lang":          "de",
		"status.404":    "Nicht gefunden",
		"status.422":    "Nicht verarbeitbar",
		"fields":        "einige Felder sind ungültig",
		"invalid.range": "muss eine ganze Zahl von %d bis %d sein",
	}
	r := flow.New(fstest.MapFS{"router/ages.http": {}})
	r.Translate = func(_ *flow.Request, m flow.Message) string {
		text := german[m.Code]
		if strings.Contains(text, "%") {
			text = fmt.Sprintf(text, m.Args...)
		}
		return text
	}
	r.At("ages").GET().Do(func(_ *flow.Request, in struct {
		Age uint8 `query:"age"`
	}) (int, error) {
		return int(in.Age), nil
	})
	fmt.Print(ask(r, "GET", "/ages?age=300", "", "Accept: text/plain").Body)
	fmt.Print(ask(r, "GET", "/none", "", "Accept: text/plain").Body)
	// Output:
	// Nicht verarbeitbar: einige Felder sind ungültig
	// age: muss eine ganze Zahl von 0 bis 255 sein
	// Nicht gefunden
}

// The policy allows the scripts that templates name. Each answer has a nonce of its own.
func ExampleRouter_contentSecurityPolicy() {
	r := flow.New(fstest.MapFS{
		"router/index.html": {Data: []byte(`<script nonce="{{nonce}}" src="/app.js"></script>`)},
		"public/app.js":     {Data: []byte("document.title = 'Hello'")},
	})
	r.ContentSecurityPolicy = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; object-src 'none'; base-uri 'none'"
	w := ask(r, "GET", "/", "")
	_, nonce, _ := strings.Cut(w.Header().Get("Content-Security-Policy"), "'nonce-")
	nonce, _, _ = strings.Cut(nonce, "'")
	fmt.Println(len(nonce), strings.Contains(w.Body.String(), `nonce="`+nonce+`"`))
	// Output: 26 true
}

// A newUser is the input of ExampleVerb_Do.
type newUser struct {
	Org  string `param:"org"` // of the route
	Name string `json:"name"`
	Age  int    `json:"age"`
}

// Validate is called before the handler.
func (u *newUser) Validate() error {
	if u.Name == "" {
		return flow.Invalid{"name": "is required"}
	}
	return nil
}

// A handler with types gets its input bound and validated, and its result is the answer: JSON,
// or the data of a page.
func ExampleVerb_Do() {
	r := flow.New(fstest.MapFS{"router/orgs/[org]/users.http": {}})
	r.At("orgs/[org]/users").POST().Status(http.StatusCreated).Do(func(_ *flow.Request, in newUser) (newUser, error) {
		return in, nil // saved
	})
	for _, body := range []string{"name=Ann&age=36", "age=old"} {
		fmt.Print(ask(r, "POST", "/orgs/acme/users", body).Body)
	}
	// Output:
	// {"Org":"acme","name":"Ann","age":36}
	// {"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"age":"must be a whole number","name":"is required"},"codes":{"age":"invalid.integer"}}
}

// An event is the input of ExampleForm_Field.
type event struct {
	Title string    `form:"title"`
	Seats int       `form:"seats"`
	Day   time.Time `form:"day"`
}

func (e event) Validate() error {
	if e.Title == "" {
		return flow.Invalid{"title": "is required"}
	}
	return nil
}

// The markup of all fields stands in one partial, which is the application's own.
func ExampleForm_Field() {
	r := flow.New(fstest.MapFS{
		"router/+field.html": {Data: []byte(`<label for="{{.of.ID}}">{{.label}}</label> ` +
			`<input id="{{.of.ID}}" name="{{.of.Name}}" type="{{.of.Type}}" value="{{.of.Value}}"{{if .of.Required}} required{{end}}>{{with .of.Wrong}} {{.}}{{end}}`)},
		"router/events.html": {Data: []byte(`{{template "+field" (dict "of" (.Field "title") "label" "Title")}}
{{template "+field" (dict "of" (.Field "seats") "label" "Seats")}}
{{template "+field" (dict "of" ((.Field "day").As "date") "label" "Day")}}`)},
	})
	r.At("events").GET().Do(func(*flow.Request) (flow.Form[event], error) {
		return flow.Form[event]{}, nil
	})
	r.At("events").POST().Do(func(_ *flow.Request, in flow.Form[event]) (flow.Response, error) {
		if in.Wrong != nil {
			return flow.Page(in).Status(http.StatusUnprocessableEntity), nil
		}
		return flow.Redirect("/events"), nil // saved
	})
	get(r, "/events")
	fmt.Println(ask(r, "POST", "/events", "title=&seats=many&day=2026-05-05").Body)
	// Output:
	// 200 <label for="title">Title</label> <input id="title" name="title" type="text" value="" required>
	// <label for="seats">Seats</label> <input id="seats" name="seats" type="number" value="">
	// <label for="day">Day</label> <input id="day" name="day" type="date" value="">
	// <label for="title">Title</label> <input id="title" name="title" type="text" value="" required> is required
	// <label for="seats">Seats</label> <input id="seats" name="seats" type="number" value="many"> must be a whole number
	// <label for="day">Day</label> <input id="day" name="day" type="date" value="2026-05-05">
}

func ExampleRouter_Asset() {
	r := flow.New(fstest.MapFS{
		"router/index.html": {Data: []byte(`<link rel="stylesheet" href="{{asset "app.css"}}">`)},
		"public/app.css":    {Data: []byte("body { margin: 0 }")},
	})
	get(r, "/")
	url, err := r.Asset("app.css")
	fmt.Println(url, err)
	get(r, url)
	// Output:
	// 200 <link rel="stylesheet" href="/app.4ugmjvqtcgfftyxn.css">
	// /app.4ugmjvqtcgfftyxn.css <nil>
	// 200 body { margin: 0 }
}

// A Router inside another one is an application by itself, whose URLs carry the prefix.
func ExampleRouter_Mount() {
	billing := flow.New(fstest.MapFS{"router/invoices/[id].http": {}})
	billing.At("invoices/[id]").GET().Name("invoices.show").Do(func(req *flow.Request) (string, error) {
		next, err := req.Route("invoices.show", "id", 8)
		return req.Param("org") + " " + req.Param("id") + ", next " + next, err
	})

	r := flow.New(fstest.MapFS{"router/index.html": {}})
	r.Mount("/orgs/[org]", billing).Name("billing")
	r.Mount("/files/", http.StripPrefix("/files", http.FileServerFS(fstest.MapFS{"a.txt": {Data: []byte("a file")}})))

	get(r, "/orgs/acme/invoices/7")
	get(r, "/files/a.txt")
	fmt.Println(r.Route("billing.invoices.show", "org", "acme", "id", 7))
	// Output:
	// 200 acme 7, next /orgs/acme/invoices/8
	// 200 a file
	// /orgs/acme/invoices/7 <nil>
}

// Errors of the API are in its own format, all of them; those of pages are left alone.
func ExampleDir_OnError() {
	r := flow.New(fstest.MapFS{"router/api/notes.http": {}})
	r.Logger = slog.New(slog.DiscardHandler)
	r.In("api").OnError(func(_ *flow.Request, err error) flow.Response {
		message, fields := http.StatusText(flow.StatusOf(err)), flow.Invalid{}
		if public := (*flow.HTTPError)(nil); errors.As(err, &public) && public.Message != "" {
			message = public.Message
		}
		errors.As(err, &fields)
		return flow.JSON(map[string]any{"message": message, "fields": fields})
	})
	r.At("api/notes").GET().Do(func(req *flow.Request) (string, error) {
		switch req.Input("as") {
		case "conflict":
			return "", flow.Error(409, "somebody else was first", errors.New("for the log"))
		case "invalid":
			return "", flow.Invalid{"text": "is required"}
		case "unknown":
			return "", errors.New("for the log")
		}
		panic("for the log")
	})
	r.At("api/notes").POST().Do(func(*flow.Request) flow.Response { return flow.Fail(403, "not you") })

	for _, target := range []string{
		"GET /api/notes?as=conflict", "GET /api/notes?as=invalid", "GET /api/notes?as=unknown", "GET /api/notes",
		"POST /api/notes", "PUT /api/notes", "GET /api/nobody", "GET /nobody",
	} {
		method, url, _ := strings.Cut(target, " ")
		w := ask(r, method, url, "")
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	w := ask(r, "POST", "/api/notes", "", "Sec-Fetch-Site: cross-site")
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// 409 {"fields":{},"message":"somebody else was first"}
	// 422 {"fields":{"text":"is required"},"message":"Unprocessable Entity"}
	// 500 {"fields":{},"message":"Internal Server Error"}
	// 500 {"fields":{},"message":"Internal Server Error"}
	// 403 {"fields":{},"message":"not you"}
	// 405 {"fields":{},"message":"Method Not Allowed"}
	// 404 {"fields":{},"message":"Not Found"}
	// 404 {"type":"about:blank","title":"Not Found","status":404}
	// 403 application/json
}
