package apptest

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flow"
)

// Around returns standard middleware that does something in the place of the next handler.
func Around(f func(next http.Handler, w http.ResponseWriter, r *http.Request)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(next, w, r) })
	}
}

// Before returns standard middleware that does something before it goes on.
func Before(f func(*http.Request)) func(http.Handler) http.Handler {
	return Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		f(r)
		next.ServeHTTP(w, r)
	})
}

// Sets returns standard middleware that sets a header before it goes on.
func Sets(key, value string) func(http.Handler) http.Handler {
	return Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		w.Header().Set(key, value)
		next.ServeHTTP(w, r)
	})
}

// Wrap is standard middleware that marks the answer.
func Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Trace", "wrap")
		next.ServeHTTP(w, r)
	})
}

// Pass is a guard that lets every request pass.
func Pass(*flow.Request) flow.Response { return flow.Next() }

// Mark returns a guard that leaves its name in a cookie.
func Mark(name string) func(*flow.Request) flow.Response {
	return func(*flow.Request) flow.Response { return flow.Next().Cookie(&http.Cookie{Name: name, Value: "1"}) }
}

// MarkStd is Mark as standard middleware.
func MarkStd(name string) func(http.Handler) http.Handler {
	return Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: name, Value: "1"})
		next.ServeHTTP(w, r)
	})
}

// Marks returns the names that Mark left, in order.
func Marks(w *httptest.ResponseRecorder) string {
	var names []string
	for _, c := range w.Result().Cookies() {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}
