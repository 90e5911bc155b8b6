package flow

import (
	"net/http"
	"slices"
	"strings"
)

// cacheControl is the header that this file is about.
const cacheControl = "Cache-Control"

// keepPrivate sets the Cache-Control of an answer of flow's own forms that may be about a
// person, so that no cache which people share keeps it. What a handler, a guard or middleware
// has set stays. asked is the header of the request.
//
// The answer to an error is another one than that for which guards and middleware have set
// theirs. So theirs stays only if it keeps shared caches out, too.
func (x *exchange) keepPrivate(h, asked http.Header, resp Response) {
	switch set := h[cacheControl]; {
	case resp.sets(cacheControl):
	case len(set) > 0 && (resp.more == nil || !resp.more.toError || keepsOut(set)):
	case resp.kind == kindRendered, x.isPersonal(asked), len(h["Set-Cookie"]) > 0, resp.sets("Set-Cookie"):
		h[cacheControl] = revalidatePrivate
	}
}

// keepsOut reports whether a Cache-Control keeps caches out that people share.
func keepsOut(cacheControl []string) bool {
	return slices.ContainsFunc(cacheControl, func(v string) bool {
		v = strings.ToLower(v) // since caches do not look at the case
		return strings.Contains(v, "no-store") || strings.Contains(v, "private")
	})
}

// isPersonal reports whether the answer to a request with this header may be about a person:
// the client says who it is, or somebody has asked for the user or the nonce.
func (x *exchange) isPersonal(asked http.Header) bool {
	return x.personal.Load() || len(asked) > 0 && (len(asked["Cookie"]) > 0 || len(asked["Authorization"]) > 0)
}

// sets reports whether the header fields of r have a key, which is in its canonical form.
func (r Response) sets(key string) bool {
	for _, f := range r.header() {
		if http.CanonicalHeaderKey(f.Key) == key {
			return true
		}
	}
	return false
}
