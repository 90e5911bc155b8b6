package manifest

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
)

// required returns the keys that a form for a route has to have, with 0 for the number of each row.
func required(r *site.Route) []string {
	keys := []string{}
	if r.Shape.In == nil {
		return keys
	}
	for key, isRequired := range input.RequiredPaths(r.Shape.In, r.Shape.Messages) {
		if _, _, ok := input.FormTarget(r.Shape.In, r.Method == http.MethodGet, key); ok && isRequired {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func urlOf(r *site.Route) string { return URL(r.Pattern.Segments) }

// Breaks returns what requests of an old version, whose manifest is in a file, the running one does not
// answer as that did: a warning for each, with the file of the old version. now is the manifest of the
// running version, and routes are its own.
func Breaks(file string, now *Manifest, routes *site.Map) (faults []fault.Fault, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("-previous: %w", err)
	}
	old, err := Parse(text, now.Program)
	if err != nil {
		return nil, fmt.Errorf("-previous=%s: %w", file, err)
	}
	sending := map[request][]Field{}
	for _, s := range now.hosts() {
		for _, l := range s.Links {
			sending[l.request()] = append(sending[l.request()], l.Fields...)
		}
	}
	hosts := old.hosts()
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		c := newComparison(routes, host, hosts[host], sending)
		for _, r := range append(hosts[host].Routes, c.linkedFiles()...) {
			segments, err := parseURL(r.URL)
			if err != nil {
				continue // of a link to a file; Parse refuses those of routes
			}
			c.route(r, segments)
			c.newlyRequired(r, segments)
		}
		for _, l := range hosts[host].Links {
			c.form(l)
		}
		faults = append(faults, c.faults...)
	}
	return faults, nil
}

// hosts returns the hosts of a manifest by their names. What is answered for all hosts is with "".
func (m *Manifest) hosts() map[string]Host {
	hosts := map[string]Host{}
	maps.Copy(hosts, m.Hosts)
	others := hosts[""]
	assets := map[string]string{}
	maps.Copy(assets, others.Assets)
	maps.Copy(assets, m.Assets)
	hosts[""] = Host{slices.Concat(m.Routes, others.Routes), slices.Concat(m.Links, others.Links), assets}
	return hosts
}

// A request is a method of the URL of a Route.
type request struct{ method, route string }

func (l Link) request() request { return request{l.Method, l.Route} }

// A comparison compares a host of an old version with the routes of the running one.
type comparison struct {
	now     *site.Map
	host    string
	old     Host
	routes  map[request]Route   // of old
	links   map[request][]Link  // of old
	sending map[request][]Field // of the forms of the new version
	faults  []fault.Fault
}

func newComparison(now *site.Map, host string, old Host, sending map[request][]Field) *comparison {
	c := &comparison{now: now, host: host, old: old, sending: sending, routes: map[request]Route{}, links: map[request][]Link{}}
	for _, r := range old.Routes {
		c.routes[request{r.Method, r.URL}] = r
	}
	for _, l := range old.Links {
		c.links[l.request()] = append(c.links[l.request()], l)
	}
	return c
}

// anyMethod is the method of a Route for those without a handler of their own.
const anyMethod = "ANY"

// methods are those that a page may send to such a Route.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// routeOf returns the old Route that has answered a method of a URL of Route.URL.
func (c *comparison) routeOf(method, url string) (r Route, ok bool) {
	if r, ok = c.routes[request{method, url}]; !ok {
		r, ok = c.routes[request{anyMethod, url}]
	}
	return r, ok
}

// linkedFiles returns the public files that old pages link to, as routes of the first of these pages.
// What else asks for a public file is not known.
func (c *comparison) linkedFiles() (files []Route) {
	for _, l := range c.old.Links {
		r := Route{File: l.File, Method: http.MethodGet, Pattern: l.Route, URL: l.Route}
		if _, isFile := c.old.Assets[l.Route]; isFile && !slices.ContainsFunc(files, func(f Route) bool { return f.URL == r.URL }) {
			files = append(files, r)
		}
	}
	return files
}

func (c *comparison) warn(file, format string, args ...any) {
	c.faults = append(c.faults, fault.Warn(file, 0, format, args...))
}

// route reports a Route whose URLs are not all answered as before.
func (c *comparison) route(r Route, segments []pattern.Segment) {
	asking := []string{r.Method}
	if r.Method == anyMethod {
		asking = slices.DeleteFunc(slices.Clone(methods), func(method string) bool {
			_, own := c.routes[request{method, r.URL}]
			return own
		})
	}
	lost := map[string][]string{} // methods by what is wrong
	for _, method := range asking {
		for _, of := range asked(segments) {
			if why := c.why(r, method, of); why != "" {
				lost[why] = append(lost[why], method)
				break
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(lost)) {
		c.warn(r.File, "%s %s: %s%s: keep it as long as pages or clients of before are there, or redirect", strings.Join(lost[why], ", "), r.Pattern, why, c.linking(r))
	}
}

// why returns why a method of URLs of a Route is not answered as before, or "".
func (c *comparison) why(r Route, method string, segments []pattern.Segment) string {
	answers, methods := c.now.Answers(c.host, method, path(segments))
	answers = slices.DeleteFunc(answers, func(a *site.Route) bool { // what answers values with slashes only
		_, ok := pattern.Overlap(a.Pattern.Segments, segments)
		return !ok
	})
	if len(answers) == 0 && len(methods) > 0 && !slices.Contains(methods, method) {
		return "this version answers " + strings.Join(methods, ", ") + " there, and not " + method
	} else if len(answers) == 0 {
		return "nothing answers it in this version"
	}
	if slices.ContainsFunc(answers, func(a *site.Route) bool { return urlOf(a) == r.URL }) {
		return ""
	}
	i := slices.IndexFunc(answers, func(a *site.Route) bool { return covers(a.Pattern.Segments, segments) })
	if i < 0 {
		i = slices.IndexFunc(answers, func(a *site.Route) bool { return covers(withoutMatchers(a.Pattern.Segments), segments) })
		if i < 0 {
			return "nothing answers it in this version, but for the URLs of " + answers[0].File
		}
		return "this version answers it for some values only, by " + answers[i].File
	}
	if general, ok := c.routeOf(method, urlOf(answers[i])); ok {
		return "this version answers it by " + answers[i].File + ", which has been there for other URLs (" + general.Pattern + ")"
	}
	return ""
}

// linking returns which other files lead to a Route, for messages.
func (c *comparison) linking(r Route) string {
	var files []string
	asking := []string{"", r.Method}
	if r.Method == anyMethod {
		asking = append(asking, methods...)
	}
	for _, method := range asking {
		for _, l := range c.links[request{method, r.URL}] {
			if l.File != r.File && !slices.Contains(files, l.File) {
				files = append(files, l.File)
			}
		}
	}
	slices.Sort(files)
	const shown = 3
	switch n := len(files); {
	case n == 0:
		return ""
	case n == 1:
		return "; " + files[0] + " leads to it"
	case n > shown:
		return fmt.Sprintf("; %s and %d others lead to it", strings.Join(files[:shown], ", "), n-shown)
	}
	last := len(files) - 1
	return "; " + strings.Join(files[:last], ", ") + " and " + files[last] + " lead to it"
}
