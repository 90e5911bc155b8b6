package app

import "net/http"

// contentPolicy lets pages load what this application serves, and run no
// scripts: a page that has one says so with scriptPolicy.
const contentPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src "

// scriptPolicy returns the policy for a page with a script: the one that knows the
// nonce may run.
func scriptPolicy(nonce string) string { return contentPolicy + "'nonce-" + nonce + "'" }

// secureHeaders is standard middleware, so that errors and public files have the
// headers too.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy+"'none'")
		h.Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
