package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/flow"
	"example.com/flow/internal/testkit/seeds"
)

// all reports whether a test takes all renderings and all changes of templates, which needs some
// minutes, and not a part of them.
func all() bool { return os.Getenv("FLOW_RENDERINGS") == "all" }

// A finding is what axe-core says of an element of a page.
type finding struct {
	Rule string // its id
	HTML string // the element
	Sure bool   // it is a violation, and not one of the results that a person should look at
}

// A reading is what a tab says of the text of a page.
type reading struct {
	Found []finding
	Links []string
	Forms []sending
}

// A sending is what a form, or a link, sends.
type sending struct {
	Method, Action string
	Parts          bool // as multipart/form-data
	Values         [][2]string
}

// readPage puts the text of a page in place of the document, in which nothing runs then, and asks
// axe-core. What a form sends is told as it is, and filled in with values, by name.
const readPage = `((text, values) => {
	const page = new DOMParser().parseFromString(text, "text/html");
	for (const meta of page.querySelectorAll("meta[http-equiv=refresh][content^='0']")) meta.remove(); // it would lead away
	for (const e of page.querySelectorAll("*")) for (const name of e.getAttributeNames()) if (name.startsWith("on")) e.removeAttribute(name);
	document.replaceChild(document.adoptNode(page.documentElement), document.documentElement);
	const sends = (form, fill) => {
		form.reset();
		for (const field of fill ? form.elements : []) {
			const value = values?.[field.name] ?? { email: "ada@example.com", date: "2026-01-02", "datetime-local": "2026-01-02T10:00", number: "3", hidden: "", file: "" }[field.type] ?? "Ada";
			if (field.type === "checkbox" || field.type === "radio") field.checked = true;
			else if (field.tagName !== "SELECT" && value !== "") field.value = value;
		}
		return [...new FormData(form)].map(([name, value]) => [name, String(value)]);
	};
	const attribute = (name) => (e) => e.getAttribute(name) ?? "";
	return axe.run(document, { iframes: false, resultTypes: ["violations", "incomplete"] }).then((r) => JSON.stringify({
		Found: [[r.violations, true], [r.incomplete, false]].flatMap(([rules, sure]) =>
			rules.flatMap((rule) => rule.nodes.map((n) => ({ Rule: rule.id, HTML: n.html.slice(0, 200), Sure: sure })))),
		Links: [...document.querySelectorAll("a[href]")].map(attribute("href")),
		Forms: [...document.forms].flatMap((f) => [false, true].map((fill) => ({
			Method: f.method, Action: attribute("action")(f), Parts: f.enctype === "multipart/form-data", Values: sends(f, fill) }))),
	}));
})`

// newReader opens a tab with axe-core, which reads the text of pages.
func newReader(t *testing.T) *tab {
	t.Helper()
	text, err := axe()
	if err != nil {
		missing(t, err.Error())
	}
	tb := newTab(t)
	tb.open("data:text/html,<!doctype html><title>x</title>")
	if _, err := ask(tb, chromedp.Evaluate[string](text+"; 'loaded'")); err != nil {
		t.Fatal(err)
	}
	return tb
}

// read returns what is found on the page with this text, and where it leads.
func (tb *tab) read(t *testing.T, page string, values map[string]string) reading {
	t.Helper()
	args, err := json.Marshal([]any{page, values})
	if err != nil {
		t.Fatal(err)
	}
	text, err := ask(tb, chromedp.Evaluate[string](readPage+"(..."+string(args)+")", chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	var read reading
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// known are the rules of axe-core for which the command check has one of its own.
func known() map[string]bool {
	rules := map[string]bool{}
	for _, s := range seeds.Inaccessible {
		if s.Silent == "" {
			rules[s.Rule()] = true
		}
	}
	return rules
}

// seedRouter returns the Router of a Seed, which shows the data that are in *d.
func seedRouter(s seeds.Seed, d *seeds.Data) *flow.Router {
	r := flow.New(s.Tree())
	r.Logger = slog.New(slog.DiscardHandler)
	r.ContentSecurityPolicy = s.Policy
	r.Funcs = template.FuncMap{"lang": func() string { return "en" }}
	r.Authenticate = func(*flow.Request) (any, error) { return nil, nil }
	r.At("page").GET().Do(func(*flow.Request) (seeds.Data, error) { return *d, nil })
	r.At("page").POST().Do(func(*flow.Request) flow.Response { return flow.Redirect("/page") })
	return r
}

// renderings returns the different texts of the page of a Seed, for all data or for the first and
// the last: all conditions false and lists empty, all true and lists of two.
func renderings(t *testing.T, s seeds.Seed) (texts []string) {
	t.Helper()
	var d seeds.Data
	r, seen := seedRouter(s, &d), map[string]bool{}
	samples := seeds.Samples()
	if !all() {
		samples = []seeds.Data{samples[0], samples[len(samples)-1]}
	}
	for _, d = range samples {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", "/page", nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if text := withoutChanges(w.Body.String()); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	return texts
}

// TestSeedsInAxe: what is wrong with a Seed is what axe-core finds in one of its renderings at
// least, and nothing else that check has a rule for. So check is asked for what axe-core says.
func TestSeedsInAxe(t *testing.T) {
	rules, n := known(), 0
	for _, list := range [][]seeds.Seed{seeds.Inaccessible, seeds.Accessible, seeds.Refused, seeds.Allowed} {
		tb := newReader(t) // for a list, since a tab is closed after a while
		for _, s := range list {
			t.Run(s.About, func(t *testing.T) {
				want, found := s.Rule(), false
				if s.Policy != "" {
					want = "" // axe-core knows nothing of policies
				}
				for _, text := range renderings(t, s) {
					n++
					for _, f := range tb.read(t, text, nil).Found {
						switch {
						case f.Rule == want:
							found = true
						case rules[f.Rule]:
							t.Errorf("%s: %s", f.Rule, f.HTML)
						}
					}
				}
				if want != "" && !found {
					t.Errorf("axe-core does not report %s", want)
				}
			})
		}
	}
	t.Log(n, "renderings")
}

// A rendering is a page of an application as a visitor gets it.
type rendering struct {
	visit string // "get /users?q=Ada"
	part  bool   // it has no <html>, and may be a part of a page
	reading
}

// isSaid reports whether check says such a thing. It says nothing of what may be a part of a page lacking
// a title or a language.
func (r rendering) isSaid(rules map[string]bool, f finding) bool {
	return rules[f.Rule] && !(r.part && (f.Rule == "document-title" || f.Rule == "html-has-lang"))
}

// mostVisits is how many requests a crawl sends at most.
const mostVisits = 150

// crawl visits the pages of an application: those of its routes, those that they link to, and what
// their forms answer, empty and filled in. It returns those that look different.
func (tb *tab) crawl(t *testing.T, a application) (all []rendering) {
	t.Helper()
	client, stop := a.serve(t)
	defer stop()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client.Jar = jar
	type visit struct {
		from *url.URL
		sending
	}
	home, waiting := &url.URL{Scheme: "http", Host: "localhost", Path: "/"}, []visit{}
	for _, path := range a.pages(t) {
		waiting = append(waiting, visit{home, sending{Method: "get", Action: path}})
	}
	asked, seen := map[string]bool{}, map[string]bool{}
	for len(waiting) > 0 && len(asked) < mostVisits {
		v := waiting[0]
		waiting = waiting[1:]
		target, err := v.from.Parse(v.Action)
		key := fmt.Sprint(v.Method, target, v.Values)
		if err != nil || target.Host != home.Host || a.foreign != "" && strings.HasPrefix(target.Path, a.foreign) || asked[key] {
			continue
		}
		asked[key] = true
		page, ok := v.send(t, client, *target)
		if !ok || seen[withoutChanges(page)] {
			continue
		}
		seen[withoutChanges(page)] = true
		r := rendering{v.Method + " " + target.RequestURI(), !strings.Contains(page, "<html"), tb.read(t, page, a.values)}
		all = append(all, r)
		for _, f := range r.Forms {
			waiting = append(waiting, visit{target, f})
		}
		for _, link := range r.Links {
			waiting = append(waiting, visit{target, sending{Method: "get", Action: link}})
		}
	}
	return all
}

// withoutChanges returns the text of a page without what differs between two answers: nonces, times
// and random keys.
func withoutChanges(page string) string { return changing.ReplaceAllString(page, "") }

var changing = regexp.MustCompile(`nonce="[^"]*"|\b\d\d:\d\d(:\d\d)?\b|\b[0-9a-f]{16,}\b|\b[A-Z2-7]{26}\b`)

// send sends it, and returns the page of HTML that it leads to.
func (s sending) send(t *testing.T, client *http.Client, target url.URL) (page string, ok bool) {
	t.Helper()
	values := url.Values{}
	for _, v := range s.Values {
		values.Add(v[0], v[1])
	}
	var body bytes.Buffer
	method, media := "POST", "application/x-www-form-urlencoded"
	switch {
	case s.Method != "post":
		if method, media = "GET", ""; len(values) > 0 {
			target.RawQuery = values.Encode()
		}
	case s.Parts:
		w := multipart.NewWriter(&body)
		for _, v := range s.Values {
			if err := w.WriteField(v[0], v[1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		media = w.FormDataContentType()
	default:
		body.WriteString(values.Encode())
	}
	req, err := http.NewRequest(method, target.String(), &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,*/*;q=0.1")
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", false // a redirect to another place, or an answer without an end
	}
	defer resp.Body.Close()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return "", false
	}
	text, err := io.ReadAll(resp.Body)
	return string(text), err == nil
}

// TestApplicationsInAxe: axe-core finds nothing on the pages of the sample, of what flow new writes
// and of all recipes that check has a rule for and did not say.
func TestApplicationsInAxe(t *testing.T) {
	if !all() {
		t.Skip("takes minutes: set FLOW_RENDERINGS=all")
	}
	rules, n := known(), 0
	for _, applications := range []func(*testing.T) []application{ownApplications, docsApplications, browserApplications, ecosystemApplications} {
		for _, a := range applications(t) {
			t.Run(a.name, func(t *testing.T) {
				if said := a.check(t); len(said) > 0 {
					t.Errorf("check says %v", said)
				}
				for _, r := range newReader(t).crawl(t, a) {
					n++
					for _, f := range r.Found {
						if r.isSaid(rules, f) {
							t.Errorf("%s: %s: %s", r.visit, f.Rule, f.HTML)
						}
					}
				}
			})
		}
	}
	t.Log(n, "renderings")
}
