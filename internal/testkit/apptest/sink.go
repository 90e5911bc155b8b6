package apptest

import "net/http"

// A Sink is a ResponseWriter that costs next to nothing.
type Sink struct {
	Headers http.Header
	Wrote   int
}

func (s *Sink) Header() http.Header { return s.Headers }

func (s *Sink) Write(b []byte) (int, error) { s.Wrote += len(b); return len(b), nil }

func (s *Sink) WriteString(text string) (int, error) { s.Wrote += len(text); return len(text), nil }

func (s *Sink) WriteHeader(int) {}
