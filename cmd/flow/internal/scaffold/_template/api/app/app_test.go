package app

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/newapp/notes"
)

// newRouter returns a Router of an application with one note. Its log is shown with the
// test if that fails.
func newRouter(t *testing.T) *flow.Router {
	t.Helper()
	a := &App{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
	a.Notes.Add(notes.Draft{Title: "Buy milk", Text: "Two bottles"})
	r := New(a)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoutes asks for each route. "flow add" adds a row here.
func TestRoutes(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string // what the answer has in it
	}{
		{"GET", "/healthz", "", 200, "ok"},
		{"GET", "/no/such/thing", "", 404, `"status":404`},

		{"GET", "/notes", "", 200, `[{"id":1,"title":"Buy milk","text":"Two bottles"}]`},
		{"POST", "/notes", `{"title":"Call Ada"}`, 201, `{"id":2,"title":"Call Ada","text":""}`},
		{"POST", "/notes", `{"text":"at noon"}`, 422, `"title":"is required"`},
		{"POST", "/notes", `{"title":`, 400, "not valid JSON"},
		{"DELETE", "/notes", "", 405, ""},
		{"GET", "/notes/1", "", 200, `{"id":1,"title":"Buy milk","text":"Two bottles"}`},
		{"GET", "/notes/2", "", 404, "there is no such note"},
		{"GET", "/notes/two", "", 404, ""},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			newRouter(t).ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %d, want %d and %q in\n%s", w.Code, tt.status, tt.want, w.Body)
			}
			if got := w.Header().Get("Content-Type"); w.Code >= 400 && got != "application/problem+json" {
				t.Errorf("the error is %q, want problem+json", got)
			}
		})
	}
}

// TestLocation adds a note and asks for it where the answer says that it is.
func TestLocation(t *testing.T) {
	router := newRouter(t)
	r := httptest.NewRequest("POST", "/notes", strings.NewReader(`{"title":"Call Ada"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	router.ServeHTTP(w, r)
	location := w.Header().Get("Location")
	if location != "/notes/2" {
		t.Fatalf("Location is %q, want /notes/2", location)
	}
	w = httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest("GET", location, nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Call Ada") {
		t.Errorf("%d, the note is not in\n%s", w.Code, w.Body)
	}
}
