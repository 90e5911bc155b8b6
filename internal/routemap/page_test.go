package routemap

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/dev"
	"example.com/flow/internal/devpage"
)

const hostile = `"><script>alert(1)</script>`

func sample() Page {
	guard := Middleware{"app.signedIn", `In("users").Use`, "app/app.go:3", true}
	logger := Middleware{"flow.Logger", "Use", "app/app.go:1", false}
	return Page{
		Map: Map{
			Routes: []Route{
				{File: "app/router/index.html", Path: "index", URLs: []URL{{"/", "/"}}, Methods: []Method{{"GET", "index", "", nil}}, Middleware: []Middleware{logger}, Layouts: []string{"app/router/+layout.html"}},
				{File: "app/router/users/[id].http", Path: "users/[id]", URLs: []URL{{"/users/{id}", ""}}, Methods: []Method{{"LOCK", "users.id", "app/users.id.go:7", nil}, {"ANY", hostile, hostile, nil}}, Middleware: []Middleware{logger, guard},
					Prose: "About users. " + hostile, Examples: []Example{{"Change a user", "It must exist. " + hostile, "PUT", "/users/7?a=" + hostile, 200, "/_flow?method=PUT&path=%2Fusers%2F7#ask"}, {hostile, "", "GET", "/users/{{a}}", 0, ""}}},
				{File: hostile, Path: "users/" + hostile, URLs: []URL{{hostile, hostile}}, Methods: []Method{{"GET", hostile, hostile, []Middleware{{hostile, hostile, hostile, true}}}}, Middleware: []Middleware{logger}},
			},
			Mounts:  []Mount{{hostile, hostile, hostile, []Middleware{guard}}},
			Inside:  []Map{{Prefix: hostile, At: hostile, Name: hostile}},
			Public:  []Public{{hostile, hostile}},
			Unbuilt: []string{hostile},
		},
		Explain: func(q Question) Explanation {
			return Explanation{Method: q.Method, Path: q.Target, Outcome: Answered, Answer: &Endpoint{File: hostile, Pattern: hostile, Name: hostile, Handler: hostile, Inside: hostile},
				Values:     []Value{{hostile, hostile}},
				Candidates: []Candidate{{Endpoint: Endpoint{File: hostile, Pattern: hostile, Methods: []string{hostile}}, Answers: true, Why: hostile}}}
		},
		Faults:   []devpage.Fault{{Text: hostile, File: hostile, Line: 1}, {Text: "example"}},
		Warnings: []devpage.Fault{{Text: hostile, File: hostile, Line: 1}, {Text: hostile}},
		Recent: []dev.Request{
			{Time: time.Date(2026, 11, 22, 5, 6, 7, 0, time.UTC), Took: 1234567, Method: "GET", Path: "/a%20b", Pattern: "GET /{x}", Status: 200},
			{Method: hostile, Path: hostile, Pattern: hostile, Status: 0, Aborted: true},
		},
	}
}

func get(t *testing.T, p Page, target string) (body string, policy string) {
	t.Helper()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != devpage.ContentType || w.Header().Get("Cache-Control") != "no-store" {
		t.Error(w.Code, w.Header())
	}
	return w.Body.String(), w.Header().Get("Content-Security-Policy")
}

var (
	headings = regexp.MustCompile(`<h([1-6])`)
	ids      = regexp.MustCompile(` id="([^"]*)"`)
	targets  = regexp.MustCompile(`href="#([^"]*)"|aria-labelledby="([^"]*)"|aria-describedby="([^"]*)"|for="([^"]*)"`)
	headers  = regexp.MustCompile(`<th [^>]*>`)
	styles   = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

// TestPage reads the markup: what a person cannot see, and who cannot see relies on.
func TestPage(t *testing.T) {
	for _, query := range []string{"", "?method=POST&path=" + url.QueryEscape("/"+hostile), "?method=" + url.QueryEscape(hostile) + "&path=/", "?path=" + url.QueryEscape(hostile), "?path="} {
		t.Run(query, func(t *testing.T) {
			is := is.New(t)
			page, policy := get(t, sample(), "/_flow"+query)
			is.True(!strings.Contains(page, "<script>")) // nothing comes through
			is.True(!strings.Contains(page, ` style="`)) // which the policy forbids
			is.True(!strings.Contains(page, "javascript:"))
			level := 0
			for _, h := range headings.FindAllStringSubmatch(page, -1) {
				now := int(h[1][0] - '0')
				is.True(now <= level+1) // no level is left out
				level = now
			}
			is.Equal(strings.Count(page, "<h1"), 1)
			var known []string
			for _, id := range ids.FindAllStringSubmatch(page, -1) {
				is.True(!slices.Contains(known, id[1])) // it is there once
				known = append(known, id[1])
			}
			for _, target := range targets.FindAllStringSubmatch(page, -1) {
				is.True(slices.Contains(known, strings.Join(target[1:], ""))) // it leads somewhere
			}
			for _, th := range headers.FindAllString(page, -1) {
				is.True(strings.Contains(th, "scope="))
			}
			for _, style := range styles.FindAllStringSubmatch(page, -1) {
				sum := sha256.Sum256([]byte(style[1]))
				is.True(strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'"))
			}
			is.Equal(len(styles.FindAllString(page, -1)), 2)
		})
	}
}

func TestPageSays(t *testing.T) {
	is := is.New(t)
	page, _ := get(t, sample(), "/_flow?method=brew&path=/x%3Fy")
	for _, want := range []string{
		"<option>LOCK</option>",
		"<option selected>brew</option>", // what was asked for is offered again
		`value="/x?y"`,
		`href="/_flow?method=GET&amp;path=%2Fa%2520b#ask"`,
		">1.23ms<", `<time datetime="2026-11-22T05:06:07Z">05:06:07</time>`,
		`<a href="/"><code>/</code></a>`,
		"<code>/users/{id}</code>", // no link
		"nothing sent cut off",
		"2 faults", "<li>example</li>",
		"<p>About users. &#34;&gt;&lt;script&gt;",
		"<summary>2 examples</summary>",
		`<dt>Change a user <a href="/_flow?method=PUT&amp;path=%2Fusers%2F7#ask"><code>PUT /users/7?a=&#34;`,
		`<span class="quiet">expects 200</span>`, "<dd>It must exist. &#34;&gt;",
		"<code>GET /users/{{a}}</code></dt>", // no link, and no status
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %s", want)
		}
	}
	is.Equal(strings.Count(page, "flow.Logger"), 1) // what all routes have is said once

	empty, _ := get(t, Page{}, "/_flow")
	is.True(strings.Contains(empty, "There were none since the application was started."))
}

func TestDirs(t *testing.T) {
	is := is.New(t)
	var m Map
	for _, p := range []string{"a-b/x", "a/b/y", "a/x", "a", "(g)/z", "index", "a/b/c/d"} {
		m.Routes = append(m.Routes, Route{Path: p})
	}
	var dirs []string
	for _, d := range m.Dirs() {
		dirs = append(dirs, d.Path+"/")
		for _, r := range d.Routes {
			dirs = append(dirs, r.Path)
		}
	}
	is.Equal(strings.Join(dirs, " "), "/ a index (g)/ (g)/z a/ a/x a/b/ a/b/y a/b/c/ a/b/c/d a-b/ a-b/x")
}

// TestDirsByURL: a person looks for the index first, and for a parameter after all texts.
func TestDirsByURL(t *testing.T) {
	is := is.New(t)
	var m Map
	for _, u := range []string{"/x/{id}", "/feed.xml", "/x/{id}/edit", "/", "/x-y", "/x", "/x/new"} {
		m.Routes = append(m.Routes, Route{Path: "file", URLs: []URL{{Pattern: u}}})
	}
	var urls []string
	for _, r := range m.Dirs()[0].Routes {
		urls = append(urls, r.URLs[0].Pattern)
	}
	is.Equal(strings.Join(urls, " "), "/ /feed.xml /x /x/new /x/{id} /x/{id}/edit /x-y")
}

// TestNamesAreSaidOnce: all methods of a file have the same name, unless somebody gave another.
func TestNamesAreSaidOnce(t *testing.T) {
	is := is.New(t)
	page := func(names ...string) string {
		r := Route{File: "a.http", Path: "a"}
		for _, name := range names {
			r.Methods = append(r.Methods, Method{Method: "GET", Name: name})
		}
		body, _ := get(t, Page{Map: Map{Routes: []Route{r}}}, "/_flow")
		return body
	}
	is.Equal(strings.Count(page("one", "one", "one"), "named one"), 1)
	mixed := page("one", "two", "")
	is.Equal(strings.Count(mixed, "named one"), 1)
	is.Equal(strings.Count(mixed, "named two"), 1)
	is.Equal(strings.Count(mixed, "named"), 2)
	is.True(!strings.Contains(page(), "named"))
}
