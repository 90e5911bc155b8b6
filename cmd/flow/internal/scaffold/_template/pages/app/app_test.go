package app

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
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

// TestMain says which routes no test has asked for, with go test -v.
func TestMain(m *testing.M) { flowtest.Main(m, New(&App{}).Routes) }

// TestExamples sends the requests in the .http files below router/.
func TestExamples(t *testing.T) { flowtest.Examples(t, newRouter) }

// TestRoutes asks for each page. "flow add" adds a row here.
func TestRoutes(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string // what the answer has in it
	}{
		{"GET", "/", "", 200, `aria-current="page"`}, // of the layout
		{"GET", "/app.css", "", 200, "color-scheme"},
		{"GET", "/no/such/page", "", 404, "Not Found"},

		{"GET", "/notes", "", 200, "Buy milk"},
		{"POST", "/notes", "title=Call+Ada", 303, ""},
		{"POST", "/notes", "title=&text=at+noon", 422, "Title is required."},
		{"POST", "/notes", "title=&text=at+noon", 422, "at noon"},
		{"POST", "/notes", "title=++", 422, `required aria-invalid="true" aria-describedby="title-wrong" value="  " autocomplete="off">`},
		{"GET", "/notes/1", "", 200, "Two bottles"},
		{"GET", "/notes/2", "", 404, "there is no such note"},
		{"GET", "/notes/two", "", 404, "Not Found"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			newRouter(t).ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %d, want %d and %q in\n%s", w.Code, tt.status, tt.want, w.Body)
			}
		})
	}
}

// TestAddNote fills in the form and goes where it leads.
func TestAddNote(t *testing.T) {
	router := newRouter(t)
	r := httptest.NewRequest("POST", "/notes", strings.NewReader("title=Call+Ada"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	router.ServeHTTP(w, r)
	if got, want := w.Header().Get("Location"), "/notes/2"; got != want {
		t.Fatalf("it leads to %q, want %q", got, want)
	}
	w = httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest("GET", "/notes/2", nil))
	if !strings.Contains(w.Body.String(), "Call Ada") {
		t.Errorf("the note is not in\n%s", w.Body)
	}
}
