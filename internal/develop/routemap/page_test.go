package routemap

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/livereload"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
)

const hostile = `"><script>alert(1)</script>`

// patternOf returns a pattern, in which segments such as {id} are parameters.
func patternOf(text string) *pattern.Pattern {
	var segments []pattern.Segment
	for _, s := range strings.Split(text, "/")[1:] {
		if name, isParam := strings.CutPrefix(s, "{"); isParam {
			segments = append(segments, pattern.Segment{Kind: pattern.Param, Text: strings.TrimSuffix(name, "}")})
		} else if s != "" {
			segments = append(segments, pattern.Segment{Text: s})
		}
	}
	return pattern.New(segments)
}

// route returns the route of a file.
func route(method, url, file string) site.Route {
	return site.Route{Method: method, Pattern: patternOf(url), File: file, Tree: &routetree.Route{}}
}

// named returns a route with a name.
func named(name string, r site.Route) site.Route {
	r.Name = name
	return r
}

func sample() Page {
	guard := Middleware{"app.signedIn", `In("users").Use`, "app/app.go:3", true}
	logger := Middleware{"flow.Logger", "Use", "app/app.go:1", false}
	return Page{
		Map: Map{
			Files: 3,
			Lines: []Line{
				{Route: named("index", route("GET", "/", "app/router/index.html")), OfFile: []Middleware{logger}, Around: "In app/router/+layout.html"},
				{Route: named("users.id", route("LOCK", "/users/{id}", "app/router/users/[id].http")), OfFile: []Middleware{logger, guard}, Prose: "About users. " + hostile},
				{Route: named(hostile, route("ANY", "/users/{id}", "app/router/users/[id].http")), What: hostile, OfFile: []Middleware{logger, guard},
					Prose: "About users. " + hostile, Examples: []Example{{"Change a user", "It must exist. " + hostile, "PUT", "/users/7?a=" + hostile, 200, "/_flow?method=PUT&path=%2Fusers%2F7#ask"}, {hostile, "", "GET", "/users/{{a}}", 0, ""}}},
				{Route: named(hostile, route("GET", "/"+hostile, hostile)), What: hostile, OfFile: []Middleware{logger}, OfMethod: []Middleware{{hostile, hostile, hostile, true}}},
				{Route: site.Route{Method: "ANY", Pattern: patternOf("/" + hostile)}, What: hostile, OfFile: []Middleware{guard}},
			},
			Inside:  []Map{{Prefix: hostile, At: hostile, Name: hostile}},
			Public:  []*routetree.Public{{File: hostile, Pattern: patternOf("/" + hostile)}},
			Unbuilt: []string{hostile},
		},
		Explain: func(q Question) Explanation {
			return Explanation{Method: q.Method, Path: q.Target, Outcome: Answered, Answer: &Endpoint{File: hostile, Pattern: hostile, Name: hostile, Handler: hostile, Inside: hostile, Route: &site.Route{Tree: &routetree.Route{}}},
				Values:     []Value{{hostile, hostile}},
				Candidates: []Candidate{{Endpoint: Endpoint{File: hostile, Pattern: hostile, Methods: []string{hostile}}, Answers: true, Why: hostile}}}
		},
		Total:    7,
		Faults:   []devpage.Fault{{Text: hostile, File: hostile, Line: 1}, {Text: "example"}},
		Warnings: []devpage.Fault{{Text: hostile, File: hostile, Line: 1, Column: 2}},
		Vetted:   []devpage.Fault{{Text: hostile, File: hostile, Line: 1}, {Text: hostile}},
		Log: []devpage.Record{
			{Time: time.Date(2026, 11, 22, 5, 6, 8, 0, time.UTC), Level: slog.LevelInfo, Message: "mail", Values: []devpage.Value{{Name: "to", Text: "ada@example.com"}, {Name: "text", Text: "Follow this link:\n\nhttp://localhost:8080/a?token=b&c=" + hostile + "\n"}}},
			{Level: slog.LevelError + 1, Message: hostile, Values: []devpage.Value{{Name: hostile, Text: hostile}, {Name: "token", Masked: true}, {Name: "link", Text: "javascript:alert(1)"}}},
		},
		Recent: []livereload.Request{
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
			is.True(!strings.Contains(page, `"javascript:`))
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
		`<a href="/">Open <code>/</code></a>`,
		"<code>/users/{id}</code>", // no link
		"nothing sent cut off",
		"2 faults", "<li>example</li>",
		"<p class=\"prose\">About users. &#34;&gt;&lt;script&gt;",
		`<span class="file">2 examples</span>`, "7 routes in 3 files",
		`<dt>Change a user <a href="/_flow?method=PUT&amp;path=%2Fusers%2F7#ask"><code>PUT /users/7?a=&#34;`,
		`<span class="quiet">expects 200</span>`, "<dd class=\"prose\">It must exist. &#34;&gt;",
		"<code>GET /users/{{a}}</code></dt>", // no link, and no status
		`<a href="#log">Log</a>`,
		`<time datetime="2026-11-22T05:06:08Z">05:06:08</time> <b class="level-INFO">INFO</b> mail <span class="value"><span>to=</span>ada@example.com</span> <span class="value lines"><span>text=</span><span>Follow this link:`, `<a href="http://localhost:8080/a?token=b&amp;c=">http://localhost:8080/a?token=b&amp;c=</a>&#34;`,
		`<span>token=</span><span class="masked">not shown</span>`, `<span>link=</span>javascript:alert(1)</span>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %s", want)
		}
	}
	is.Equal(strings.Count(page, "flow.Logger"), 1) // what all routes have is said once

	is.True(strings.Index(page, `class="level-ERROR`) < strings.Index(page, `class="level-INFO`)) // the newest first

	empty, _ := get(t, Page{}, "/_flow")
	is.True(!strings.Contains(empty, `#log`))
	is.True(strings.Contains(empty, "There were none since the application was started."))
}

// TestLines: a route has a line for each of its URLs and methods. A person looks for the index
// first, and for a parameter after all texts.
func TestLines(t *testing.T) {
	is := is.New(t)
	guard, again := Middleware{"app.signedIn", "Use", "app/app.go:1", true}, Middleware{"app.signedIn", `In("x").Use`, "app/app.go:2", true}
	logger, own := Middleware{"flow.Logger", "Use", "app/app.go:1", false}, Middleware{"app.admin", "DELETE().Use", "app/x.go:3", true}
	var m Map
	for _, u := range []string{"/x/{id}", "/feed.xml", "/x/{id}/edit", "/", "/x", "/x/new"} {
		m.Lines = append(m.Lines, Line{Route: route("GET", u, ""), OfFile: []Middleware{logger}})
	}
	for _, u := range []string{"/help", "/{lang}/help"} {
		m.Lines = append(m.Lines, Line{Route: route("DELETE", u, "help.http"), OfFile: []Middleware{logger, guard, again}, OfMethod: []Middleware{own}},
			Line{Route: named("help", route("ANY", u, "help.http")), OfFile: []Middleware{logger, guard, again}})
	}
	m.Lines = append(m.Lines, Line{Route: site.Route{Method: "ANY", Pattern: patternOf("/x-y")}, What: "http.HandlerFunc", OfFile: []Middleware{logger, guard}})
	var lines []string
	for _, l := range (Page{}).parts(m, nil)[0].Lines {
		lines = append(lines, fmt.Sprint(l.Method, " ", l.Pattern, " ", l.Link(), " ", l.Guards, " ", len(l.Own)))
	}
	is.Equal(strings.Join(lines, "\n"), `GET / / [] 0
GET /feed.xml /feed.xml [] 0
DELETE /help  [app.signedIn app.admin] 3
ANY /help /help [app.signedIn] 2
GET /x /x [] 0
GET /x/new /x/new [] 0
GET /x/{id}  [] 0
GET /x/{id}/edit  [] 0
ANY /x-y  [app.signedIn] 1
DELETE /{lang}/help  [app.signedIn app.admin] 3
ANY /{lang}/help  [app.signedIn] 2`)
}

// TestRequestsForPublicFiles are no news: a page asks for many.
func TestRequestsForPublicFiles(t *testing.T) {
	is := is.New(t)
	p := Page{Map: Map{Public: []*routetree.Public{{Pattern: patternOf("/a.css")}}, Inside: []Map{{Public: []*routetree.Public{{Pattern: patternOf("/in/{x}/b.css")}}}}}}
	for i := range 120 {
		p.Recent = append(p.Recent, livereload.Request{Method: "GET", Path: fmt.Sprint("/page/", i), Pattern: "GET /page/{id}"},
			livereload.Request{Method: "GET", Path: "/a.css", Pattern: "GET /a.css"}, livereload.Request{Method: "HEAD", Path: "/in/7/b.css", Pattern: "GET /in/{x}/b.css"})
	}
	page, _ := get(t, p, "/_flow")
	is.True(!strings.Contains(page, ".css</code></a></th>"))
	is.Equal(strings.Count(page, "<time "), 100)
}
