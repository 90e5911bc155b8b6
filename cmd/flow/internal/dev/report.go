package dev

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/livereload"
)

// A report is why no program answers, or why that which answers is an old one.
type report struct {
	Title  string // "The build failed"
	Faults []devpage.Fault
}

// handler returns what answers all requests with the report, each as its client wants it.
// Pages load themselves again when something else answers.
func (r report) handler() http.Handler {
	front := &livereload.Front{Hub: livereload.NewHub()}
	front.Hub.SetPolling(false)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !livereload.IsLocal(req) {
			http.Error(w, "503 Service Unavailable", http.StatusServiceUnavailable)
			return
		}
		front.ServeHTTP(w, req, r.answer)
	})
}

// status is that of all answers: no program is there.
const status = http.StatusServiceUnavailable

func (r report) answer(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", "1")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if !strings.Contains(req.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, r.text())
		return
	}
	w.Header().Set("Content-Type", devpage.ContentType)
	w.Header().Set("Content-Security-Policy", devpage.Policy)
	w.WriteHeader(status)
	page := devpage.Report{
		Title:  r.Title,
		Status: fmt.Sprint(status, " ", http.StatusText(status)),
		Faults: r.Faults,
		NoMap:  true,
		Advice: "Save a file that mends it: this page comes again by itself.",
	}
	w.Write(page.Render())
}

// text is the report for programs.
func (r report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Title)
	for _, f := range r.Faults {
		fmt.Fprintln(&b, f)
		if f.Output != "" {
			fmt.Fprintf(&b, "\n%s\n\n", f.Output)
		}
	}
	return b.String()
}
