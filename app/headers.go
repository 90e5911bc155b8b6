package app

import "net/http"

// contentPolicy is the Content-Security-Policy of all pages. They may load what this
// application serves, and run the scripts that their templates name with {{nonce}}.
const contentPolicy = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// secureHeaders is middleware of net/http. It sets the headers before anything answers,
// so that errors and public files have them, too.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
