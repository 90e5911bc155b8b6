package flow

import (
	"cmp"
	"fmt"
	"net/http"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/pattern"

	"example.com/flow/internal/reply"
)

// problemData is what +error.html gets as its dot. It is a map, so that layouts which
// look for what their pages have find nothing there, as in a page without data.
func problemData(p reply.Problem, path string) map[string]any {
	return map[string]any{"Status": p.Status, "Title": p.Title(), "Detail": p.Detail, "Path": path, "Fields": p.Fields}
}

// present returns the response for a problem as the client accepts it: HTML, if it
// is to be, is that of the nearest error page. If that fails, the answer is plain
// text, and the error says why; in development the answer says it too.
func (x *exchange) present(req *Request, p reply.Problem) (Response, error) {
	mediaType := accept.MediaType(acceptOf(req.Request), x.endpoint.isPage())
	if x.router == nil {
		return problemResponse(p, mediaType), nil
	}
	all, faults := x.router.views()
	if x.endpoint.miss && p.Status == http.StatusNotFound {
		p.Detail = cmp.Or(p.Detail, x.router.hint(req.Request))
	}
	asked, _ := pattern.ParsePath(req.Request)
	page := all.ErrorPage(x.endpoint.owner.route, asked.Segments[min(len(x.router.tree.Prefix), len(asked.Segments)):])
	switch {
	case mediaType != "text/html", page == nil && !all.Lost():
		return problemResponse(p, mediaType), nil
	case page == nil: // in development
		return showFault(req.Request, faults), faults
	}
	html, err := page.Render(req, "", problemData(p, req.URL.Path))
	if err == nil {
		return problemAnswer(p, Response{kind: kindHTML, text: html}), nil
	}
	err = fmt.Errorf("flow: the error page cannot be shown: %v", err) // which is no answer, whatever it wraps
	if x.router.inDev() {
		return showFault(req.Request, err), err
	}
	return problemResponse(p, "text/plain"), err
}
