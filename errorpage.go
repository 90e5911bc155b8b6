package flow

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"
)

// data is what +error.html gets as its dot. It is a map, so that layouts which look
// for what their pages have find nothing there, as in a page without data.
func (p problem) data(path string) map[string]any {
	return map[string]any{"Status": p.status, "Title": p.title(), "Detail": p.detail, "Path": path, "Fields": map[string]string(p.fields)}
}

// findPlaces notes for each directory of literal names, groups aside, which error
// page is the nearest. A plain directory goes before one of the same URL in a
// group, and one that has an error page of its own before both.
func (v *views) findPlaces(t *routetree.Tree) {
	v.places = map[string]*view{}
	dirs := append(slices.Sorted(maps.Keys(t.Dirs)), "")
	slices.SortStableFunc(dirs, func(a, b string) int {
		if own := v.errors[a] != nil; own != (v.errors[b] != nil) {
			if own {
				return -1
			}
			return 1
		}
		return strings.Count(a, "(") - strings.Count(b, "(")
	})
	for _, dir := range dirs {
		u, ok := literalURL(dir)
		if _, taken := v.places[u]; ok && !taken {
			v.places[u] = v.nearest(routetree.Layers(path.Join(dir, "index")))
		}
	}
}

// literalURL returns the URL of a directory that has no parameters and is no
// group itself: "(site)/blog" is "/blog".
func literalURL(dir string) (u string, ok bool) {
	if dir == "" {
		return "", true
	}
	group := false
	for name := range strings.SplitSeq(dir, "/") {
		if group = name[0] == '('; group {
			continue
		}
		if strings.ContainsAny(name, "[]") {
			return "", false
		}
		u += "/" + name
	}
	return u, !group
}

// nearest returns the error page of the innermost directory that has one, or nil.
func (v *views) nearest(dirs []string) *view {
	for _, dir := range slices.Backward(dirs) {
		if page := v.errors[dir]; page != nil {
			return page
		}
	}
	return nil
}

// errorPage returns the error page for what was asked for, or nil: the nearest to
// its file, or else to its URL.
func (v *views) errorPage(x *exchange, req *Request) *view {
	if r := x.endpoint.owner.route; r != nil {
		return v.nearest(routetree.Layers(r.Path))
	}
	page := v.places[""]
	p, _ := pattern.ParsePath(req.Request)
	u := ""
	for _, segment := range p.Segments[min(len(x.router.tree.Prefix), len(p.Segments)):] {
		u += "/" + segment
		place, ok := v.places[u]
		if !ok || strings.Contains(segment, "/") {
			break
		}
		page = place
	}
	return page
}

// present returns the response for a problem as the client accepts it: HTML, if it
// is to be, is that of the nearest error page. If that fails, the answer is plain
// text, and the error says why; in development the answer says it too.
func (x *exchange) present(req *Request, p problem) (Response, error) {
	mediaType := accept.MediaType(acceptOf(req.Request), x.endpoint.isPage())
	if x.router == nil {
		return p.response(mediaType), nil
	}
	all, faults := x.router.views()
	if x.endpoint.miss && p.status == http.StatusNotFound {
		p.detail = cmp.Or(p.detail, all.hint(req.Request))
	}
	page := all.errorPage(x, req)
	switch {
	case mediaType != "text/html", page == nil && !all.lost:
		return p.response(mediaType), nil
	case page == nil: // in development
		return showFault(req.Request, faults), faults
	}
	html, err := page.render(req, "", p.data(req.URL.Path))
	if err == nil {
		return p.answer(Response{kind: kindHTML, text: html}), nil
	}
	err = fmt.Errorf("flow: the error page cannot be shown: %v", err) // which is no answer, whatever it wraps
	if x.router.inDev() {
		return showFault(req.Request, err), err
	}
	return p.response("text/plain"), err
}
