package checks_test

import (
	"mime/multipart"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// A version is one of two of a small application: its files below router/ with their texts, and
// what is registered.
type version struct {
	files    []string // names and texts alternate
	register []func(*flow.Router)
}

func (v version) router() *flow.Router {
	tree := fstest.MapFS{}
	for i := 0; i < len(v.files); i += 2 {
		name := "router/" + v.files[i]
		if public, ok := strings.CutPrefix(v.files[i], "public/"); ok {
			name = "public/" + public
		}
		tree[name] = &fstest.MapFile{Data: []byte(v.files[i+1])}
	}
	r := flow.New(tree)
	r.Authenticate = func(*flow.Request) (any, error) { return nil, nil }
	for _, register := range v.register {
		register(r)
	}
	return r
}

// holds returns a version of files, whose names and texts alternate.
func holds(files ...string) version { return version{files: files} }

// on returns the version with more handlers.
func (v version) on(register ...func(*flow.Router)) version {
	return version{v.files, append(v.register, register...)}
}

// reads registers a handler that reads a form of type T.
func reads[T any](method, file string) func(*flow.Router) {
	return func(r *flow.Router) {
		verb(r, method, file).Do(func(*flow.Request, flow.Form[T]) (flow.Response, error) { return flow.Redirect("/"), nil })
	}
}

// asks registers a handler of GET that reads the query of type T.
func asks[T any](file string) func(*flow.Router) {
	return func(r *flow.Router) {
		r.At(file).GET().Do(func(*flow.Request, T) (flow.Response, error) { return flow.Page(nil), nil })
	}
}

// plainly registers a handler that reads nothing that flow knows of.
func plainly(methodsAndFiles ...string) func(*flow.Router) {
	return func(r *flow.Router) {
		for i := 0; i < len(methodsAndFiles); i += 2 {
			verb(r, methodsAndFiles[i], methodsAndFiles[i+1]).Do(func(*flow.Request) flow.Response { return flow.Text("done") })
		}
	}
}

func verb(r *flow.Router, method, file string) *flow.Verb {
	at := r.At(file)
	return map[string]func() *flow.Verb{"GET": at.GET, "POST": at.POST, "PUT": at.PUT, "PATCH": at.PATCH, "DELETE": at.DELETE, "ANY": at.ANY}[method]()
}

// mounts mounts a Router of the route files below a prefix.
func mounts(prefix string, files ...string) func(*flow.Router) {
	return func(r *flow.Router) { r.Mount(prefix, flow.New(flowtest.Files(files...))) }
}

// What the forms of the versions below send.
type (
	nameOnly struct {
		Name string `form:"name"`
	}
	titleOnly struct {
		Title string `form:"title"`
	}
	nameAndMail struct {
		Name string `form:"name"`
		Mail string `form:"mail"`
	}
	nameAndNote struct {
		Name string `form:"name"`
		Note string `form:"note"`
	}
	amountText struct {
		Amount string `form:"amount"`
	}
	amountNumber struct {
		Amount int `form:"amount"`
	}
	dueText struct {
		Due string `form:"due"`
	}
	dueDate struct {
		Due time.Time `form:"due"`
	}
	rowsOfItems struct {
		Items []nameOnly `json:"items"`
	}
	rowsOfLines struct {
		Lines []nameOnly `json:"lines"`
	}
	addressForm struct {
		Address struct {
			Street string `json:"street"`
		} `json:"address"`
	}
	addressFlat struct {
		Street string `form:"street"`
	}
	photoForm struct {
		Photo *multipart.FileHeader `form:"photo"`
	}
	pictureForm struct {
		Picture *multipart.FileHeader `form:"picture"`
	}
	termsForm struct {
		Name  string `form:"name"`
		Terms bool   `form:"terms"`
	}
	queryQ struct {
		Text string `query:"q"`
	}
	queryText struct {
		Text string `query:"text"`
	}
	topicOne struct {
		Topic string `form:"topic"`
	}
	topicMany struct {
		Topic []string `form:"topic"`
	}
)

func (f *nameOnly) Validate() error    { return required("name", f.Name) }
func (f *titleOnly) Validate() error   { return required("title", f.Title) }
func (f *nameAndMail) Validate() error { return required("name", f.Name, "mail", f.Mail) }
func (f *nameAndNote) Validate() error { return required("name", f.Name) }
func (f *termsForm) Validate() error {
	if !f.Terms {
		return flow.Invalid{"terms": "have to be accepted"}
	}
	return nil
}

func required(namesAndValues ...string) error {
	wrong := flow.Invalid{}
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] == "" {
			wrong[namesAndValues[i]] = "is required"
		}
	}
	return wrong
}

const (
	nameForm  = `<form method="post" action="/users"><label>Name <input name="name"></label><button>Add</button></form>`
	titleForm = `<form method="post" action="/users"><label>Title <input name="title"></label><button>Add</button></form>`
	mailForm  = `<form method="post" action="/users"><label>Name <input name="name"></label><label>Mail <input name="mail"></label><button>Add</button></form>`
	noteForm  = `<form method="post" action="/users"><label>Name <input name="name"></label><label>Note <input name="note"></label><button>Add</button></form>`
)

// A deployment is an old and a new version of an application. What breaks is given as words that the
// messages have: the file of the page, and the request or the field.
type deployment struct {
	about    string
	old, new version
	forwards string // what open pages of old find broken in new, "" for nothing
	back     string // what open pages of new find broken in old
}

// In each of these, an open page of one version asks the other for what that does not have.
var breaking = []deployment{
	{"a page goes that is linked", holds("index.html", `<a href="/about">About</a>`, "about.html", "About"), holds("index.html", "Home"),
		"index.html /about", ""},
	{"a page has another name", holds("index.html", `<a href="/about">About</a>`, "about.html", "About"), holds("index.html", `<a href="/info">Info</a>`, "info.html", "Info"),
		"index.html /about", "index.html /info"},
	{"pages move to another directory", holds("index.html", `{{range .}}<a href="/users/{{.}}">User</a>{{end}}`, "users/[id].html", "User").on(plainly("GET", "index")), holds("index.html", `{{range .}}<a href="/members/{{.}}">User</a>{{end}}`, "members/[id].html", "User").on(plainly("GET", "index")),
		"index.html /users/", "index.html /members/"},
	{"a parameter is added", holds("index.html", `{{range .}}<a href="/users/{{.}}">User</a>{{end}}`, "users/[id].html", "User").on(plainly("GET", "index")), holds("index.html", "Home", "users/[org]/[id].html", "User").on(plainly("GET", "index")),
		"index.html /users/", "router/users/[org]/[id].html GET /users/"},
	{"a matcher refuses what is linked", holds("index.html", `<a href="/posts/first-steps">First</a>`, "posts/[slug].html", "Post"), holds("index.html", `<a href="/posts/7">First</a>`, "posts/[id=int].html", "Post"),
		"index.html router/posts/[slug].html GET /posts/", ""},
	{"a rest becomes one segment", holds("index.html", `<a href="/docs/guide/start">Start</a>`, "docs/[...path].html", "Docs"), holds("index.html", `<a href="/docs/start">Start</a>`, "docs/[page].html", "Docs"),
		"index.html router/docs/[...path].html GET /docs/", ""},
	{"an optional parameter becomes one that has to be there", holds("index.html", `<a href="/help">Help</a>`, "[[lang]]/help.html", "Help"), holds("index.html", `<a href="/en/help">Help</a>`, "[lang]/help.html", "Help"),
		"index.html /help", ""},
	{"a handler of a form goes", holds("index.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users")), holds("index.html", "Home", "users.http", "").on(plainly("GET", "users")),
		"index.html POST /users", "router/users.http GET /users"},
	{"a form of a page to itself loses its handler", holds("index.html", `<form method="post"><input name="name" aria-label="Name"><button>Add</button></form>`).on(plainly("POST", "index")), holds("index.html", "Home"),
		"index.html POST /", ""},
	{"the method of a form is another one", holds("index.html", `<form action="/logout"><button>Leave</button></form>`, "logout.http", "").on(plainly("GET", "logout")), holds("index.html", `<form method="post" action="/logout"><button>Leave</button></form>`, "logout.http", "").on(plainly("POST", "logout")),
		"index.html GET /logout", "index.html POST /logout"},
	{"a form in the layout loses its handler", holds("+layout.html", `<!doctype html><form method="post" action="/logout"><button>Leave</button></form>{{template "content" .}}`, "index.html", "Home", "logout.http", "").on(plainly("POST", "logout")), holds("+layout.html", `<!doctype html>{{template "content" .}}`, "index.html", "Home"),
		"layout.html POST /logout", ""},
	{"a form in a partial loses its handler", holds("index.html", `{{template "+vote" .}}`, "+vote.html", `<form method="post" action="/votes"><button>Vote</button></form>`, "votes.http", "").on(plainly("POST", "votes")), holds("index.html", `Home`),
		"+vote.html POST /votes", ""},
	{"a button sends elsewhere", holds("index.html", `<form method="post" action="/save"><button>Save</button><button formaction="/draft">Draft</button></form>`, "save.http", "", "draft.http", "").on(plainly("POST", "save", "POST", "draft")), holds("index.html", `<form method="post" action="/save"><button>Save</button></form>`, "save.http", "").on(plainly("POST", "save")),
		"index.html POST /draft", ""},
	{"a field has another name", holds("index.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users")), holds("index.html", titleForm, "users.http", "").on(reads[titleOnly]("POST", "users")),
		"index.html title", "index.html name"},
	{"a field is required that old pages do not have", holds("index.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users")), holds("index.html", mailForm, "users.http", "").on(reads[nameAndMail]("POST", "users")),
		"index.html mail", ""},
	{"a field goes that the old program requires", holds("index.html", mailForm, "users.http", "").on(reads[nameAndMail]("POST", "users")), holds("index.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users")),
		"", "index.html mail"},
	{"terms have to be accepted from now on", holds("index.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users")), holds("index.html", `<form method="post" action="/users"><label>Name <input name="name"></label><label><input type="checkbox" name="terms"> Terms</label><button>Add</button></form>`, "users.http", "").on(reads[termsForm]("POST", "users")),
		"index.html terms", ""},
	{"a color where a date is read now", holds("index.html", `<form method="post" action="/plan"><input type="color" name="due" aria-label="Due"></form>`, "plan.http", "").on(reads[dueText]("POST", "plan")), holds("index.html", `<form method="post" action="/plan"><input name="due" type="date" aria-label="Due"></form>`, "plan.http", "").on(reads[dueDate]("POST", "plan")),
		"index.html due", ""},
	{"rows have another name", holds("index.html", `<form method="post" action="/order"><input name="items.0.name" aria-label="Name"></form>`, "order.http", "").on(reads[rowsOfItems]("POST", "order")), holds("index.html", `<form method="post" action="/order"><input name="lines.0.name" aria-label="Name"></form>`, "order.http", "").on(reads[rowsOfLines]("POST", "order")),
		"index.html items.0.name", "index.html lines.0.name"},
	{"a struct becomes flat", holds("index.html", `<form method="post" action="/send"><input name="address.street" aria-label="Street"></form>`, "send.http", "").on(reads[addressForm]("POST", "send")), holds("index.html", `<form method="post" action="/send"><input name="street" aria-label="Street"></form>`, "send.http", "").on(reads[addressFlat]("POST", "send")),
		"index.html address.street", "index.html street"},
	{"a file has another name", holds("index.html", `<form method="post" action="/up" enctype="multipart/form-data"><input type="file" name="photo" aria-label="Photo"></form>`, "up.http", "").on(reads[photoForm]("POST", "up")), holds("index.html", `<form method="post" action="/up" enctype="multipart/form-data"><input type="file" name="picture" aria-label="Photo"></form>`, "up.http", "").on(reads[pictureForm]("POST", "up")),
		"index.html photo", "index.html picture"},
	{"a list becomes one value", holds("index.html", `<form method="post" action="/ask"><select multiple name="topic" aria-label="Topic"><option>a</option></select></form>`, "ask.http", "").on(reads[topicMany]("POST", "ask")), holds("index.html", `<form method="post" action="/ask"><select name="topic" aria-label="Topic"><option>a</option></select></form>`, "ask.http", "").on(reads[topicOne]("POST", "ask")),
		"index.html topic", ""},
	{"the word that a search asks for is another one", holds("index.html", `<form action="/search"><input name="q" aria-label="Search"></form>`, "search.html", "Search").on(asks[queryQ]("search")), holds("index.html", `<form action="/search"><input name="text" aria-label="Search"></form>`, "search.html", "Search").on(asks[queryText]("search")),
		"index.html q", "index.html text"},
	{"the page of a search goes", holds("index.html", `<form action="/search"><input name="q" aria-label="Search"></form>`, "search.html", "Search").on(asks[queryQ]("search")), holds("index.html", "Home"),
		"index.html GET /search", ""},

	// htmx, events and public files.
	{"what htmx gets goes", holds("index.html", `<div hx-get="/news" hx-trigger="load">News</div>`, "news.http", "").on(plainly("GET", "news")), holds("index.html", "Home"),
		"index.html GET /news", ""},
	{"what htmx deletes goes", holds("index.html", `{{range .}}<button hx-delete="/users/{{.}}">Delete</button>{{end}}`, "users/[id].http", "").on(plainly("GET", "index", "DELETE", "users/[id]")), holds("index.html", `{{range .}}<button hx-post="/users/{{.}}">Delete</button>{{end}}`, "users/[id].http", "").on(plainly("GET", "index", "POST", "users/[id]")),
		"index.html DELETE /users/", "index.html POST /users/"},
	{"a stream of events has another name", holds("index.html", `<div hx-ext="sse" sse-connect="/events">Live</div>`, "events.http", "").on(plainly("GET", "events")), holds("index.html", `<div hx-ext="sse" sse-connect="/stream">Live</div>`, "stream.http", "").on(plainly("GET", "stream")),
		"index.html /events", "index.html /stream"},
	{"a public file without a hash goes", holds("index.html", `<a href="/prices.pdf">Prices</a>`, "public/prices.pdf", "x"), holds("index.html", "Home", "public/other.pdf", "x"),
		"index.html /prices.pdf", ""},
	{"a public file has another name", holds("index.html", `<img src="/img/a.png" alt="">`, "public/img/a.png", "x"), holds("index.html", `<img src="/img/b.png" alt="">`, "public/img/b.png", "x"),
		"index.html /img/a.png", "index.html /img/b.png"},
	{"what was mounted goes", holds("index.html", `<a href="/billing/invoices">Invoices</a>`).on(mounts("/billing", "router/index.html", "router/invoices.html")), holds("index.html", "Home"),
		"index.html /billing/invoices", ""},
	{"a page of a mounted Router goes", holds("index.html", `<a href="/billing/invoices">Invoices</a>`).on(mounts("/billing", "router/index.html", "router/invoices.html")), holds("index.html", "Home").on(mounts("/billing", "router/index.html")),
		"index.html /billing/invoices", ""},

	// Only a step back breaks these.
	{"a new page is linked", holds("index.html", "Home"), holds("index.html", `<a href="/about">About</a>`, "about.html", "About"),
		"", "index.html /about"},
	{"a new form", holds("index.html", "Home", "users.http", "").on(plainly("GET", "users")), holds("index.html", nameForm, "users.http", "").on(plainly("GET", "users"), reads[nameOnly]("POST", "users")),
		"", "index.html POST /users"},
	{"links have names of a route that moves", holds("index.html", `<a href="{{route "info"}}">Info</a>`, "about.html", "About").on(func(r *flow.Router) { r.At("about").GET().Name("info") }), holds("index.html", `<a href="{{route "info"}}">Info</a>`, "info.html", "About").on(func(r *flow.Router) { r.At("info").GET().Name("info") }),
		"index.html /about", "index.html /info"},

	// The new version answers more than the old one, for clients that no page tells of, too.
	{"a matcher goes", holds("index.html", `<a href="/posts/7">Seven</a>`, "posts/[id=int].html", "Post"), holds("index.html", `<a href="/posts/7">Seven</a>`, "posts/[slug].html", "Post"),
		"", "router/posts/[slug].html GET /posts/"},
	{"a segment becomes the rest", holds("index.html", `<a href="/docs/start">Start</a>`, "docs/[page].html", "Docs"), holds("index.html", `<a href="/docs/start">Start</a>`, "docs/[...path].html", "Docs"),
		"", "router/docs/[...path].html GET /docs/"},
	{"the handler answers all methods", holds("index.html", nameForm, "users.http", "").on(plainly("POST", "users")), holds("index.html", nameForm, "users.http", "").on(plainly("ANY", "users")),
		"", "router/users.http PUT /users"},
	{"a method more", holds("index.html", nameForm, "users.http", "").on(plainly("POST", "users")), holds("index.html", nameForm, "users.http", "").on(plainly("POST", "users", "PUT", "users")),
		"", "router/users.http PUT /users"},
	{"a segment has a hole for what was written out", holds("index.html", `<a href="/blog/2026">2026</a>`, "blog/2026.html", "2026"), holds("index.html", `<a href="/blog/2026">2026</a>`, "blog/[year].html", "Blog"),
		"", "router/blog/[year].html GET /blog/"},
}

// Nothing is said of these, though a page may find them broken.
var undecided = []deployment{
	// What is typed into a text field may be a number.
	{"text becomes a number", holds("index.html", `<form method="post" action="/pay"><input name="amount" aria-label="Amount"></form>`, "pay.http", "").on(reads[amountText]("POST", "pay")), holds("index.html", `<form method="post" action="/pay"><input name="amount" type="number" aria-label="Amount"></form>`, "pay.http", "").on(reads[amountNumber]("POST", "pay")),
		"", ""},
}

// Each of these changes is right in both directions.
var compatible = []deployment{
	{about: "a file moves into a group", old: holds("index.html", `<a href="/about">About</a>`, "about.html", "About"), new: holds("index.html", `<a href="/about">About</a>`, "(site)/about.html", "About")},
	{about: "a page becomes the index of a directory", old: holds("index.html", `<a href="/about">About</a>`, "about.html", "About"), new: holds("index.html", `<a href="/about">About</a>`, "about/index.html", "About")},
	{about: "a parameter has another name", old: holds("index.html", `{{range .}}<a href="/users/{{.}}">User</a>{{end}}`, "users/[id].html", "User").on(plainly("GET", "index")), new: holds("index.html", `{{range .}}<a href="/users/{{.}}">User</a>{{end}}`, "users/[user].html", "User").on(plainly("GET", "index"))},
	{about: "a page moves, and the old URL redirects; the new one was there before", old: holds("index.html", `<a href="/about">About</a>`, "about.html", "About", "info.html", "Info"), new: holds("index.html", `<a href="/info">Info</a>`, "about.http", "", "info.html", "Info").on(plainly("GET", "about"))},
	{about: "a route has another name, and the same URL", old: holds("index.html", `<a href="{{route "about"}}">About</a>`, "about.html", "About").on(func(r *flow.Router) { r.At("about").GET().Name("about") }), new: holds("index.html", `<a href="{{route "info"}}">About</a>`, "about.html", "About").on(func(r *flow.Router) { r.At("about").GET().Name("info") })},
	{about: "a field more that may be empty, which the old program reads, too", old: holds("index.html", nameForm, "users.http", "").on(reads[nameAndNote]("POST", "users")), new: holds("index.html", noteForm, "users.http", "").on(reads[nameAndNote]("POST", "users"))},
	{about: "a field moves into a partial", old: holds("index.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users")), new: holds("index.html", strings.Replace(nameForm, `<input name="name">`, `{{template "+input" .}}`, 1), "+input.html", `<input name="name">`, "users.http", "").on(reads[nameOnly]("POST", "users"))},
	{about: "a required field may be empty now", old: holds("index.html", mailForm, "users.http", "").on(reads[nameAndMail]("POST", "users")), new: holds("index.html", mailForm, "users.http", "").on(reads[struct {
		Name string `form:"name"`
		Mail string `form:"mail"`
	}]("POST", "users"))},
	{about: "the type has another name and order", old: holds("index.html", mailForm, "users.http", "").on(reads[nameAndMail]("POST", "users")), new: holds("index.html", mailForm, "users.http", "").on(reads[struct {
		Mail string `form:"mail"`
		Name string `form:"name"`
	}]("POST", "users"))},
	{about: "a public file has another content, and a hash in its URL", old: holds("index.html", `<link rel="stylesheet" href="{{asset "app.css"}}">`, "public/app.css", "a"), new: holds("index.html", `<link rel="stylesheet" href="{{asset "app.css"}}">`, "public/app.css", "b")},
	{about: "links to others", old: holds("index.html", `<a href="https://other.example/a">A</a><a href="/gone" rel="external">B</a>`), new: holds("index.html", `<a href="https://other.example/b">B</a>`)},
	{about: "a link goes, and its page stays", old: holds("index.html", `<a href="/about">About</a>`, "about.html", "About"), new: holds("index.html", "Home", "about.html", "About")},
	{about: "a layout comes", old: holds("index.html", `<!doctype html><a href="/about">About</a>`, "about.html", "About"), new: holds("+layout.html", `<!doctype html><main>{{template "content" .}}</main>`, "index.html", `<a href="/about">About</a>`, "about.html", "About")},
	{about: "a form moves to another page", old: holds("index.html", nameForm, "about.html", "About", "users.http", "").on(reads[nameOnly]("POST", "users")), new: holds("index.html", "Home", "about.html", nameForm, "users.http", "").on(reads[nameOnly]("POST", "users"))},
	{about: "one value becomes a list", old: holds("index.html", `<form method="post" action="/ask"><input name="topic" aria-label="Topic"></form>`, "ask.http", "").on(reads[topicOne]("POST", "ask")), new: holds("index.html", `<form method="post" action="/ask"><input name="topic" aria-label="Topic"></form>`, "ask.http", "").on(reads[topicMany]("POST", "ask"))},
}

// breaksIn returns what the command check of a version says of the requests of another one.
func breaksIn(t *testing.T, other, now version) string {
	is := is.New(t)
	manifest := apptest.Run(t.Context(), other.router(), "manifest")
	is.Equal(manifest.Stderr, "")
	file := filepath.Join(t.TempDir(), "other.json")
	is.NoErr(os.WriteFile(file, []byte(manifest.Stdout), 0o600))
	alone := apptest.Run(t.Context(), now.router(), "check").Stderr
	both := apptest.Run(t.Context(), now.router(), "check -previous="+file).Stderr
	is.True(strings.HasPrefix(both, alone)) // what is said of the version itself comes first
	return strings.TrimPrefix(both, alone)
}

// TestDeployments: what check says of another version is what its pages find broken, and nothing else.
func TestDeployments(t *testing.T) {
	judge := func(t *testing.T, said, words string) {
		t.Helper()
		for _, word := range strings.Fields(words) {
			if !strings.Contains(said, word) {
				t.Errorf("check says nothing of %s: %q", word, said)
			}
		}
		if words == "" && said != "" {
			t.Errorf("check says %s", said)
		}
	}
	for _, d := range slices.Concat(breaking, undecided, compatible) {
		t.Run(d.about, func(t *testing.T) {
			judge(t, breaksIn(t, d.old, d.new), d.forwards)
			judge(t, breaksIn(t, d.new, d.old), d.back)
		})
	}
}

func TestVersionsAreApplications(t *testing.T) {
	for _, d := range slices.Concat(breaking, undecided, compatible) {
		t.Run(d.about, func(t *testing.T) {
			is := is.New(t)
			is.Equal(apptest.Checked(d.old.router()), "")
			is.Equal(apptest.Checked(d.new.router()), "")
		})
	}
}
