// Package recipes_test has recipes of docs/recipes.md as examples, with what they answer.
package recipes_test

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"testing/fstest"

	"example.com/flow"

	"example.com/flow/internal/testkit/apptest"
)

// An API whose clients show a token. Of the tokens it knows only the hashes.
func Example_tokens() {
	type apiClient struct {
		Name  string
		Token [sha256.Size]byte // the hash of it
	}
	clients := []*apiClient{{"ci", sha256.Sum256([]byte("correct-horse"))}}

	r := flow.New(fstest.MapFS{"router/api/notes.http": {}, "router/index.html": {Data: []byte("hello")}})
	r.Authenticate = func(req *flow.Request) (any, error) {
		scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, nil // nobody
		}
		hash := sha256.Sum256([]byte(token))
		for _, c := range clients {
			if subtle.ConstantTimeCompare(hash[:], c.Token[:]) == 1 {
				return c, nil
			}
		}
		return nil, nil
	}
	r.In("api").Use(func(req *flow.Request) flow.Response {
		if !req.IsAuthenticated() {
			return flow.Fail(401, "a token is needed").Header("WWW-Authenticate", `Bearer realm="api"`)
		}
		return flow.Next().Header("Cache-Control", "no-store")
	})
	r.At("api/notes").GET().Do(func(req *flow.Request) string {
		return "notes for " + flow.UserOf[*apiClient](req).Name
	})

	for _, headers := range [][]string{nil, {"Authorization: Bearer wrong"}, {"Authorization: Basic Y2k6"}, {"Authorization: bearer correct-horse"}} {
		w := apptest.Ask(r, "GET", "/api/notes", "", headers...)
		fmt.Println(w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
	}
	apptest.Show(r, "/")
	// Output:
	// 401 Bearer realm="api" {"type":"about:blank","title":"Unauthorized","status":401,"detail":"a token is needed"}
	// 401 Bearer realm="api" {"type":"about:blank","title":"Unauthorized","status":401,"detail":"a token is needed"}
	// 401 Bearer realm="api" {"type":"about:blank","title":"Unauthorized","status":401,"detail":"a token is needed"}
	// 200  notes for ci
	// 200 hello
}

// A shortNote is the input of Example_flash.
type shortNote struct {
	Text string `form:"text"`
}

func (n *shortNote) Validate() error {
	if n.Text = strings.TrimSpace(n.Text); len(n.Text) < 3 {
		return flow.Invalid{"text": "must have three letters"}
	}
	return nil
}

// A form that shows again what was sent, with messages at its fields, and a message that
// the next page shows once.
func Example_flash() {
	type flashKey struct{}
	// say has the page that the client is sent to show a message.
	say := func(answer flow.Response, message string) flow.Response {
		return answer.Cookie(&http.Cookie{
			Name: "flash", Value: url.QueryEscape(message), Path: "/",
			MaxAge: 60, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
	// takeFlash is a guard of pages that show the message: it takes the cookie away.
	takeFlash := func(req *flow.Request) flow.Response {
		cookie, err := req.Cookie("flash")
		if err != nil || req.Method != http.MethodGet {
			return flow.Next()
		}
		message, _ := url.QueryUnescape(cookie.Value)
		req.Request = req.WithContext(context.WithValue(req.Context(), flashKey{}, message))
		return flow.Next().Header("Cache-Control", "no-store").
			Cookie(&http.Cookie{Name: "flash", Path: "/", MaxAge: -1})
	}

	r := flow.New(fstest.MapFS{
		"router/+layout.html": {Data: []byte(`{{with flash request}}<p role="status">{{.}}</p>{{end}}{{template "content" .}}`)},
		"router/notes.html": {Data: []byte(`<ul>{{range .Notes}}<li>{{.}}</li>{{end}}</ul>` +
			`<form method="post"><input name="text" value="{{.Form.Value.Text}}"> {{.Form.Wrong.text}}</form>`)},
	})
	r.Funcs = template.FuncMap{"flash": func(req *flow.Request) string {
		message, _ := req.Context().Value(flashKey{}).(string)
		return message
	}}
	type notesData struct {
		Notes []string
		Form  flow.Form[shortNote]
	}
	var notes []string
	r.At("notes").GET().Use(takeFlash).Name("notes").Do(func(*flow.Request) (notesData, error) {
		return notesData{Notes: notes}, nil
	})
	r.At("notes").POST().Do(func(_ *flow.Request, in flow.Form[shortNote]) (flow.Response, error) {
		if in.Wrong != nil {
			return flow.Page(notesData{notes, in}).Status(422), nil
		}
		notes = append(notes, in.Value.Text)
		return say(flow.RedirectTo("notes"), "“"+in.Value.Text+"” was added"), nil
	})

	w := apptest.Ask(r, "POST", "/notes", "text=a<")
	fmt.Println(w.Code, w.Body)
	w = apptest.Ask(r, "POST", "/notes", "text=milk")
	fmt.Println(w.Code, w.Header().Get("Location"))
	cookie := w.Result().Cookies()[0]
	w = apptest.Ask(r, "GET", "/notes", "", "Cookie: "+cookie.Name+"="+cookie.Value)
	fmt.Println(w.Code, w.Body)
	fmt.Println(w.Header().Get("Set-Cookie"))
	apptest.Show(r, "/notes")
	// Output:
	// 422 <ul></ul><form method="post"><input name="text" value="a&lt;"> must have three letters</form>
	// 303 /notes
	// 200 <p role="status">“milk” was added</p><ul><li>milk</li></ul><form method="post"><input name="text" value=""> </form>
	// flash=; Path=/; Max-Age=0
	// 200 <ul><li>milk</li></ul><form method="post"><input name="text" value=""> </form>
}

// A linkForm is the input of Example_editing.
type linkForm struct {
	Title string `form:"title"`
	Read  bool   `form:"read"`
}

func (f *linkForm) Validate() error {
	if f.Title = strings.TrimSpace(f.Title); f.Title == "" {
		return flow.Invalid{"title": "is required"}
	}
	return nil
}

// Forms that edit and delete: browsers send them by POST, each to a URL of its own.
func Example_editing() {
	type link struct {
		ID int
		linkForm
	}
	type linkRef struct {
		ID int `param:"id"`
	}
	type linkEdit struct {
		linkRef
		linkForm
	}
	links := map[int]link{7: {7, linkForm{"Go", true}}}
	r := flow.New(fstest.MapFS{
		"router/links/index.html": {Data: []byte(`{{range .}}<a href="{{route "links.edit" "id" .ID}}">{{.Title}}</a>{{if .Read}} (read){{end}}` +
			`<form method="post" action="{{route "links.delete" "id" .ID}}"><button>Delete</button></form>{{end}}`)},
		"router/links/[id=int]/edit.html": {Data: []byte(`<form method="post"><input name="title" value="{{.Value.Title}}"> {{.Wrong.title}} ` +
			`<input type="checkbox" name="read"{{if .Value.Read}} checked{{end}}></form>`)},
		"router/links/[id=int]/delete.http": {},
	})
	r.At("links/index").GET().Name("links").Do(func(*flow.Request) (map[int]link, error) { return links, nil })
	r.At("links/[id]/edit").GET().Name("links.edit").Do(func(_ *flow.Request, in linkRef) (flow.Form[linkEdit], error) {
		l, ok := links[in.ID]
		if !ok {
			return flow.Form[linkEdit]{}, flow.Error(404, "there is no such link")
		}
		return flow.Form[linkEdit]{Value: linkEdit{in, l.linkForm}}, nil
	})
	r.At("links/[id]/edit").POST().Do(func(_ *flow.Request, in flow.Form[linkEdit]) (flow.Response, error) {
		if in.Wrong != nil {
			return flow.Page(in).Status(422), nil
		}
		l, ok := links[in.Value.ID]
		if !ok {
			return flow.Response{}, flow.Error(404, "there is no such link")
		}
		l.linkForm = in.Value.linkForm
		links[l.ID] = l
		return flow.RedirectTo("links"), nil
	})
	r.At("links/[id]/delete").POST().Name("links.delete").Do(func(_ *flow.Request, in linkRef) (flow.Response, error) {
		delete(links, in.ID)
		return flow.RedirectTo("links"), nil
	})

	apptest.Show(r, "/links")
	apptest.Show(r, "/links/7/edit")
	w := apptest.Ask(r, "POST", "/links/7/edit", "title=+&read=on")
	fmt.Println(w.Code, w.Body)
	w = apptest.Ask(r, "POST", "/links/7/edit", "title=Gopher&ID=8") // the box is not ticked
	fmt.Println(w.Code, w.Header().Get("Location"), links)
	w = apptest.Ask(r, "POST", "/links/7/delete", "", "Origin: https://other.example")
	fmt.Println(w.Code, len(links))
	w = apptest.Ask(r, "POST", "/links/7/delete", "")
	fmt.Println(w.Code, w.Header().Get("Location"), links)
	// Output:
	// 200 <a href="/links/7/edit">Go</a> (read)<form method="post" action="/links/7/delete"><button>Delete</button></form>
	// 200 <form method="post"><input name="title" value="Go">  <input type="checkbox" name="read" checked></form>
	// 422 <form method="post"><input name="title" value=""> is required <input type="checkbox" name="read" checked></form>
	// 303 /links map[7:{7 {Gopher false}}]
	// 403 1
	// 303 /links map[]
}

// A form to sign in, and a session that a cookie carries.
func Example_signIn() {
	type member struct {
		Name       string
		Salt, Hash []byte
	}
	hashPassword := func(password string, salt []byte) []byte {
		hash, err := pbkdf2.Key(sha256.New, password, salt, 1_000, sha256.Size) // in earnest 600,000
		if err != nil {
			panic(err)
		}
		return hash
	}
	members := map[string]*member{"ada": {"ada", []byte("salt"), hashPassword("analytical", []byte("salt"))}}
	someone := &member{Salt: []byte("none"), Hash: make([]byte, sha256.Size)} // for unknown names
	sessions := map[[sha256.Size]byte]*member{}

	r := flow.New(fstest.MapFS{
		"router/login.html":             {Data: []byte(`<form method="post">{{.}}</form>`)},
		"router/logout.http":            {},
		"router/(members)/account.html": {Data: []byte(`Signed in as {{user.Name}}`)},
	})
	r.Authenticate = func(req *flow.Request) (any, error) {
		cookie, err := req.Cookie("session")
		if err != nil {
			return nil, nil // nobody
		}
		return sessions[sha256.Sum256([]byte(cookie.Value))], nil
	}
	r.In("(members)").Use(func(req *flow.Request) flow.Response {
		if !req.IsAuthenticated() {
			return flow.RedirectTo("login")
		}
		return flow.Next().Header("Cache-Control", "no-store")
	})
	sessionCookie := func(token string, maxAge int) *http.Cookie {
		return &http.Cookie{Name: "session", Value: token, Path: "/", MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	}
	r.At("login").GET().Do(func(*flow.Request) flow.Response { return flow.Page("") })
	r.At("login").POST().Do(func(req *flow.Request) flow.Response {
		m, known := members[req.Input("name")]
		if !known {
			m = someone
		}
		right := subtle.ConstantTimeCompare(hashPassword(req.Input("password"), m.Salt), m.Hash) == 1
		if !known || !right {
			return flow.Page("Name or password is wrong.").Status(422)
		}
		token := rand.Text()
		sessions[sha256.Sum256([]byte(token))] = m
		return flow.RedirectTo("account").Cookie(sessionCookie(token, 12*60*60))
	})
	r.At("logout").POST().Do(func(req *flow.Request) flow.Response {
		if cookie, err := req.Cookie("session"); err == nil {
			delete(sessions, sha256.Sum256([]byte(cookie.Value)))
		}
		return flow.RedirectTo("login").Cookie(sessionCookie("", -1))
	})

	w := apptest.Ask(r, "GET", "/account", "")
	fmt.Println(w.Code, w.Header().Get("Location"))
	w = apptest.Ask(r, "POST", "/login", "name=ada&password=wrong")
	fmt.Println(w.Code, w.Body)
	w = apptest.Ask(r, "POST", "/login", "name=ada&password=analytical")
	cookie := w.Result().Cookies()[0]
	fmt.Println(w.Code, w.Header().Get("Location"), len(cookie.Value))
	carried := "Cookie: session=" + cookie.Value
	w = apptest.Ask(r, "GET", "/account", "", carried)
	fmt.Println(w.Code, w.Body)
	w = apptest.Ask(r, "POST", "/logout", "", carried)
	fmt.Println(w.Code, w.Header().Get("Set-Cookie"))
	w = apptest.Ask(r, "GET", "/account", "", carried)
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output:
	// 302 /login
	// 422 <form method="post">Name or password is wrong.</form>
	// 303 /account 26
	// 200 Signed in as ada
	// 303 session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax
	// 302 /login
}

// One handler answers with the page or, to htmx, with a part of it.
func Example_htmx() {
	const vary = "HX-Request, HX-Boosted, HX-History-Restore-Request"
	// wantsPart reports whether htmx asks for a part of a page. For a boosted link, and for
	// a page of the history that it has lost, it needs the page.
	wantsPart := func(req *flow.Request) bool {
		h := req.Header
		return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") == "" && h.Get("HX-History-Restore-Request") == ""
	}

	r := flow.New(fstest.MapFS{
		"router/+layout.html": {Data: []byte(`<title>Notes</title>{{template "content" .}}`)},
		"router/notes.html": {Data: []byte(`<input name="q" hx-get="/notes" hx-target="next ul">` +
			`{{block "list" .}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}`)},
	})
	r.At("notes").GET().Do(func(req *flow.Request) flow.Response {
		answer := flow.Page([]string{"milk", "tea"})
		if wantsPart(req) {
			answer = answer.Block("list")
		}
		return answer.Header("Vary", vary)
	})

	for _, headers := range [][]string{
		nil,
		{"HX-Request: true"},
		{"HX-Request: true", "HX-Boosted: true"},
		{"HX-Request: true", "HX-History-Restore-Request: true"},
	} {
		w := apptest.Ask(r, "GET", "/notes", "", headers...)
		fmt.Println(w.Header()["Vary"], w.Body)
	}
	// Output:
	// [HX-Request, HX-Boosted, HX-History-Restore-Request] <title>Notes</title><input name="q" hx-get="/notes" hx-target="next ul"><ul><li>milk</li><li>tea</li></ul>
	// [HX-Request, HX-Boosted, HX-History-Restore-Request] <ul><li>milk</li><li>tea</li></ul>
	// [HX-Request, HX-Boosted, HX-History-Restore-Request] <title>Notes</title><input name="q" hx-get="/notes" hx-target="next ul"><ul><li>milk</li><li>tea</li></ul>
	// [HX-Request, HX-Boosted, HX-History-Restore-Request] <title>Notes</title><input name="q" hx-get="/notes" hx-target="next ul"><ul><li>milk</li><li>tea</li></ul>
}

// A page that another tool has built answers its own URLs, and nothing else: a file that
// is gone and a URL that the API does not have are 404.
func Example_singlePage() {
	tree := fstest.MapFS{
		"public/index.html":                     {Data: []byte(`<script src="/assets/app-2.js"></script>`)},
		"public/assets/app-2.js":                {Data: []byte(`start()`)},
		"router/[[view=view]]/[[...path]].http": {},
		"router/api/users.http":                 {},
	}
	r := flow.New(tree)
	r.Matchers = map[string]func(string) bool{"view": func(first string) bool {
		return first != "api" && first != "assets" && !strings.Contains(first, ".")
	}}
	r.At("[[view=view]]/[[...path]]").GET().Do(func(*flow.Request) (flow.Response, error) {
		page, err := tree.ReadFile("public/index.html")
		return flow.Bytes("text/html; charset=utf-8", page).Header("Cache-Control", "no-cache"), err
	})
	r.At("api/users").GET().Do(func(*flow.Request) flow.Response { return flow.JSON([]string{"Ann"}) })

	for _, request := range []string{
		"GET /", "GET /users/7", "GET /assets/app-2.js", "GET /assets/app-1.js", "GET /favicon.ico",
		"GET /api/users", "DELETE /api/users", "GET /api/nobody", "POST /api/nobody",
	} {
		method, target, _ := strings.Cut(request, " ")
		w := apptest.Ask(r, method, target, "")
		fmt.Println(w.Code, request, w.Header().Get("Content-Type"))
	}
	// Output:
	// 200 GET / text/html; charset=utf-8
	// 200 GET /users/7 text/html; charset=utf-8
	// 200 GET /assets/app-2.js text/javascript; charset=utf-8
	// 404 GET /assets/app-1.js application/problem+json
	// 404 GET /favicon.ico application/problem+json
	// 200 GET /api/users application/json
	// 405 DELETE /api/users application/problem+json
	// 404 GET /api/nobody application/problem+json
	// 404 POST /api/nobody application/problem+json
}

// A page has a URL without a prefix, in English, and one for each other language.
func Example_languages() {
	texts := map[string]map[string]string{
		"de": {"Home": "Startseite", "About us": "Über uns", "status.404": "Nicht gefunden"},
		"fr": {"Home": "Accueil", "About us": "À propos"},
	}
	r := flow.New(fstest.MapFS{
		"router/[[lang=lang]]/index.html": {Data: []byte(`{{t request "Home"}} <a href="{{route "about" "lang" (lang request)}}">{{t request "About us"}}</a>`)},
		"router/[[lang=lang]]/about.html": {Data: []byte(`{{t request "About us"}}`)},
	})
	r.Matchers = map[string]func(string) bool{"lang": flow.OneOf("de", "fr")}
	lang := func(req *flow.Request) string { return req.Param("lang") }
	r.Funcs = template.FuncMap{
		"t": func(req *flow.Request, text string) string {
			if translated, ok := texts[lang(req)][text]; ok {
				return translated
			}
			return text
		},
		"lang": lang, // "" is English, which leaves the parameter out of a URL
	}
	r.Translate = func(req *flow.Request, m flow.Message) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
		return texts[first][m.Code]
	}
	r.At("[[lang=lang]]/about").GET().Name("about")

	for _, target := range []string{"/", "/de", "/fr/about", "/it/about", "/de/none"} {
		w := apptest.Ask(r, "GET", target, "", "Accept: text/plain")
		fmt.Println(w.Code, target, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 200 / Home <a href="/about">About us</a>
	// 200 /de Startseite <a href="/de/about">Über uns</a>
	// 200 /fr/about À propos
	// 404 /it/about Not Found
	// 404 /de/none Nicht gefunden
}
