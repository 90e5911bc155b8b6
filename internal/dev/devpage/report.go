package devpage

import (
	_ "embed"
	"html/template"
	"strings"
	"sync"
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

var reportPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("report").Parse(reportText)) })

// Render returns the report as a whole page. Send it with ContentType and Policy.
func (r *Report) Render() []byte {
	var b strings.Builder
	if err := reportPage().Execute(&b, r); err != nil {
		panic(err) // cannot happen: the template is fixed
	}
	return page(r.Headline()+" – "+r.Title, template.HTML(b.String()), !r.NoMap)
}

// Headline says what is wrong.
func (r *Report) Headline() string { return Headline(r.Faults) }

// Excerpts returns the faults by the lines that they are about.
func (r *Report) Excerpts() []Excerpt { return Excerpts(r.Faults) }

// Own returns the frames of the application.
func (r *Report) Own() []Frame { return r.frames(true) }

// Others returns the frames that are not the application's.
func (r *Report) Others() []Frame { return r.frames(false) }

func (r *Report) frames(own bool) (frames []Frame) {
	for _, f := range r.Stack {
		if f.Own == own {
			frames = append(frames, f)
		}
	}
	return frames
}
