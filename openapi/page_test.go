package openapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/openapi"
)

type (
	thingIn struct {
		ID    int      `param:"id" doc:"Of the thing."`
		Name  string   `json:"name" doc:"What people see.\n\nDeprecated: call it title"`
		Tags  []string `json:"tags"`
		Place struct {
			Street string `json:"street"`
		} `json:"place"`
		Other *thingOut `json:"other"`
	}
	thingOut struct {
		Name  string              `json:"name"`
		Parts []thingOut          `json:"parts"`
		By    map[string]thingOut `json:"by"`
		Any   any                 `json:"any"`
	}
)

func mustSignIn(req *flow.Request) flow.Response {
	if req.Header.Get("Authorization") == "" {
		return flow.Fail(401, "nobody")
	}
	return flow.Next()
}

// thingsRouter has an API with a page.
func thingsRouter(prefix string) *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/v1/openapi.json.http": &fstest.MapFile{Data: []byte("### Things <of> all sorts\n# All & everything.\n#\n# Second paragraph.")},
		"router/v1/deep/docs.http":    &fstest.MapFile{},
		"router/v1/raw.http":          &fstest.MapFile{},
		"router/v1/things/[id].http": &fstest.MapFile{Data: []byte(`### Change it
# @name changed
PUT ` + prefix + `/v1/things/1?note=it's%20%22here%22
Content-Type: application/json
Authorization: Bearer {{token}}

{
  "name": "it's a \"$HOME\" & <b>",
  "tags": ["a"]
}

# ?? status == 200
# ?? body name == x

### Nobody is signed in
PUT ` + prefix + `/v1/things/1

# ?? status == 401

### What another answer says
PUT ` + prefix + `/v1/things/{{changed.response.body.$.id}}
`)},
	})
	api := openapi.API{Version: "1.0", SignIn: []openapi.SignIn{{Name: "token", Bearer: true, Doc: "Ask us.", Guards: []any{mustSignIn}}}}
	r.At("v1/openapi.json").GET().Do(api.JSON())
	r.At("v1/deep/docs").GET().Do(api.Page())
	r.At("v1/raw").GET().Do(http.NotFoundHandler())
	f := r.At("v1/things/[id]")
	f.Use(mustSignIn)
	f.PUT().Do(func(_ *flow.Request, in thingIn) (thingOut, error) { return thingOut{Name: in.Name}, nil })
	return r
}

// getPage returns the answer to a GET.
func getPage(h http.Handler, url string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return w
}

func TestPage(t *testing.T) {
	is := is.New(t)
	r := thingsRouter("")
	is.NoErr(r.Check())
	w := getPage(r, "/v1/deep/docs")
	is.Equal(w.Code, 200)
	page := w.Body.String()

	style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
	hash := sha256.Sum256([]byte(style))
	is.Equal(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	is.True(!strings.Contains(page, "<script") && !strings.Contains(page, " style="))

	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		is.True(!ids[m[1]]) // each id once
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !ids[html.UnescapeString(m[1])] {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
	is.Equal(strings.Count(page, `href="../openapi.json"`), 2)
	for _, want := range []string{
		"<h1>Things &lt;of&gt; all sorts</h1>", "<p>All &amp; everything.</p><p>Second paragraph.</p>",
		`<article id="v1.things.id">`, "Change it", "<code>/v1/things/{id}</code>",
		"<code>id</code>", "Of the thing.", "What people see.", "<code>street</code>", "list of", `<a href="#types/thingOut">thingOut</a>`,
		"Who asks has to sign in: token.", "Ask us.", "the header Authorization: Bearer …",
		"<li><code>GET /v1/raw</code></li>",
		`<code>PUT /v1/things/{{changed.response.body.$.id}}</code>`,
		"<li><code>status == 401</code></li>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not on the page", want)
		}
	}
	is.Equal(curls(page), []string{
		`curl -i -X PUT "$URL"'/v1/things/1?note=it'\''s%20%22here%22' -H 'Content-Type: application/json' -H 'Authorization: Bearer '"$token" --data-raw '{"name":"it'\''s a \"$HOME\" & <b>","tags":["a"]}'`,
		`curl -i -X PUT "$URL/v1/things/1"`,
	})
	again := httptest.NewRequest("GET", "/v1/deep/docs", nil)
	again.Header.Set("If-None-Match", w.Header().Get("Etag"))
	second := httptest.NewRecorder()
	r.ServeHTTP(second, again)
	is.Equal(second.Code, 304)
	is.Equal(getPage(thingsRouter(""), "/v1/deep/docs").Body.String(), page) // the same bytes each time
}

// curls returns the commands of a page.
func curls(page string) (all []string) {
	for _, m := range regexp.MustCompile(`<input readonly value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

// The URLs of a mounted Router begin with its prefix, whether the examples have it or not.
func TestPageOfAMountedRouter(t *testing.T) {
	for _, prefix := range []string{"", "/in"} {
		is := is.New(t)
		outer := flow.New(fstest.MapFS{"router/index.html": &fstest.MapFile{}})
		outer.Mount("/in", thingsRouter(prefix))
		is.NoErr(outer.Check())
		page := getPage(outer, "/in/v1/deep/docs").Body.String()
		is.Equal(strings.Count(page, `href="../openapi.json"`), 2)
		is.Equal(curls(page)[1], `curl -i -X PUT "$URL/in/v1/things/1"`)
	}
}

// In development the prose is read anew.
func TestPageInDevelopment(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "router/openapi.json.http")
	save := func(text string) {
		is.NoErr(os.MkdirAll(filepath.Dir(file), 0o755))
		is.NoErr(os.WriteFile(file, []byte(text), 0o644))
	}
	save("### First")
	r := flow.New(fstest.MapFS{"router/openapi.json.http": &fstest.MapFile{}, "router/docs.http": &fstest.MapFile{}})
	r.Dev(dir)
	var api openapi.API
	r.At("openapi.json").GET().Do(api.JSON())
	r.At("docs").GET().Do(api.Page())
	is.NoErr(r.Check())
	is.True(strings.Contains(getPage(r, "/docs").Body.String(), "<h1>First</h1>"))
	save("### Second one")
	is.True(strings.Contains(getPage(r, "/docs").Body.String(), "<h1>Second one</h1>"))
}

// What the page shows may stand in the same directory, in one above, or at the URL of that.
func TestPageLinksToItsDocument(t *testing.T) {
	for _, tt := range []struct{ page, document, want string }{
		{"docs", "openapi.json", "openapi.json"},
		{"api/docs", "api/openapi.json", "openapi.json"},
		{"api/deep/er/docs", "api/openapi.json", "../../openapi.json"},
		{"api/docs", "api/index", "../api"},
		{"api/index", "api/openapi.json", "api/openapi.json"},
		{"index", "openapi.json", "openapi.json"},
		{"[org]/docs", "[org]/openapi.json", "openapi.json"},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(fstest.MapFS{"router/" + tt.page + ".http": &fstest.MapFile{}, "router/" + tt.document + ".http": &fstest.MapFile{}})
			var api openapi.API
			r.At(tt.page).GET().Do(api.Page())
			r.At(tt.document).GET().Do(api.JSON())
			is.NoErr(r.Check())
			url := "/" + strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(tt.page, "[org]", "x"), "index"), "/")
			is.True(strings.Contains(getPage(r, url).Body.String(), `<a href="`+tt.want+`">OpenAPI 3.1</a>`))
		})
	}
}
