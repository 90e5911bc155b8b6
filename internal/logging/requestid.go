package logging

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// requestIDHeader is the header that holds the id. Proxies use that name, too.
const requestIDHeader = "X-Request-Id"

// maxRequestID is the length, in bytes, of the longest id that is taken over.
const maxRequestID = 128

// RequestID is flow.RequestID.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := IDOf(r)
		if id == "" {
			id = rand.Text()
			r.Header.Set(requestIDHeader, id)
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r)
	})
}

// IDOf returns the id of a request, or "" if it has none that may be logged.
func IDOf(r *http.Request) string {
	ids := r.Header[requestIDHeader]
	if len(ids) != 1 || len(ids[0]) > maxRequestID {
		return ""
	}
	for _, c := range []byte(ids[0]) {
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alphanumeric && strings.IndexByte("-._~:/+=@", c) < 0 {
			return ""
		}
	}
	return ids[0]
}
