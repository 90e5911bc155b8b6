package devpage

import (
	_ "embed"
	"net/http"
	"slices"

	"example.com/flow/internal/serve/wire/accept"
)

// A Report is the content of the page about an error.
type Report struct {
	Title   string // "GET /users/{id} failed"
	Status  string // "500 Internal Server Error"
	Faults  []Fault
	Stack   []Frame      // of a panic, else nil
	Request *RequestData // nil if the error is not that of a request
	Advice  string       // a sentence that says what to do; may be ""
	NoMap   bool         // the page has no link to the route map, since no application serves it
}

//go:embed report.html
var reportText string

var reportMain = Template(reportText)

// Render returns the report as a whole page. Send it with ContentType and Policy.
func (r *Report) Render() []byte {
	return Page{Title: r.Headline() + " – " + r.Title, Main: reportMain(r), NoMap: r.NoMap}.Render()
}

// Headline says what is wrong.
func (r *Report) Headline() string { return Headline(r.Faults) }

// Excerpts returns the faults by the lines that they are about.
func (r *Report) Excerpts() []Excerpt { return Excerpts(r.Faults) }

// Frames returns the frames that are the application's own, or the others.
func (r *Report) Frames(own bool) []Frame {
	return slices.DeleteFunc(slices.Clone(r.Stack), func(f Frame) bool { return f.Own != own })
}

// MediaType returns the media type in which a client gets the report: "text/html" for the page. curl and
// the like accept anything and print it in a terminal, so they get text.
func MediaType(r *http.Request) string {
	accepts := r.Header["Accept"]
	preferred := accept.MediaType(accepts, true)
	if preferred == "text/html" && len(accepts) > 0 && accept.MediaType(accepts, false) != "text/html" && r.Header.Get("Sec-Fetch-Dest") == "" {
		return "text/plain"
	}
	return preferred
}
