package livereload

import (
	"net/http"
	"slices"
	"testing"
)

// FuzzAllow amends a policy, and again: the second time it allows all that is needed.
func FuzzAllow(f *testing.F) {
	for _, text := range []string{"default-src 'none'", "script-src 'nonce-a' 'strict-dynamic', connect-src", "script-src 'strict-dynamic'; ;;", "DEFAULT-SRC 'NONE'; script-src-elem"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const key = "Content-Security-Policy"
		h := http.Header{key: {text}}
		nonce := allow(h, "http://localhost:8080")
		once := slices.Clone(h[key])
		if again := allow(h, "http://localhost:8080"); again != nonce || !slices.Equal(h[key], once) {
			t.Errorf("%q became %q with the nonce %q, and then %q with %q", text, once, nonce, h[key], again)
		}
	})
}
