package devpage

import (
	_ "embed"
	"html/template"
	"strings"
	"sync"
)

// A Report is what the fault page shows.
type Report struct {
	Title   string // "This request failed"
	Status  string // "500 Internal Server Error"
	Faults  []Fault
	Stack   []Frame      // of a panic, else nil
	Request *RequestData // nil if it does not matter
	Advice  string       // what to do now, a sentence
	NoMap   bool         // no application answers, and so there is no route map to lead to
}

//go:embed report.html
var reportText string

var reportPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("report").Parse(reportText)) })

// Render returns the report as a whole page, to be sent with ContentType and Policy.
func (r *Report) Render() []byte {
	var b strings.Builder
	if err := reportPage().Execute(&b, r); err != nil {
		panic(err) // does not happen: the template is fixed
	}
	return page(r.Status+": "+r.Title, template.HTML(b.String()), !r.NoMap)
}

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
