package app

import "net/http"

// contentPolicy is a Content-Security-Policy but for the sources of scripts, which stand
// last. Pages may load what this application serves. secureHeaders allows no scripts, and
// a page that has one sets scriptPolicy in its place.
const contentPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src "

// scriptPolicy returns the policy of a page that has a script: only a script element with
// that nonce may run.
func scriptPolicy(nonce string) string { return contentPolicy + "'nonce-" + nonce + "'" }

// secureHeaders is middleware of net/http. It sets the headers before anything answers,
// so that errors and public files have them, too.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy+"'none'")
		h.Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
