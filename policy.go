package flow

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/wire/public"
)

// readPolicy parses Router.ContentSecurityPolicy into the table.
func (c *compiler) readPolicy() {
	if c.router.ContentSecurityPolicy == "" {
		return
	}
	policy, problems := csp.NewTemplate(c.router.ContentSecurityPolicy)
	for _, problem := range problems {
		c.faults = append(c.faults, fault.Fault{Text: "Router.ContentSecurityPolicy: " + problem})
	}
	c.table.settings.policy = policy
}

// Nonce returns the nonce of the answer, for scripts and styles in HTML that a handler writes
// by itself: see Router.ContentSecurityPolicy. It returns "" if the policy has no 'nonce'. In
// templates it is the function nonce.
func (r *Request) Nonce() string { return r.exchange().currentNonce() }

// currentNonce returns the nonce of the answer. The first call makes it. Several goroutines
// may call it, as http.TimeoutHandler has the handler and the timeout answer in two.
func (x *exchange) currentNonce() string {
	if x.settings.policy == nil || !x.settings.policy.HasNonce() {
		return ""
	}
	if x.nonce.Load() == nil {
		x.personal.Store(true)
		made := rand.Text()
		x.nonce.CompareAndSwap(nil, &made)
	}
	return *x.nonce.Load()
}

// addPolicy sets the Content-Security-Policy of an answer, unless the handler or middleware
// has set one.
func (x *exchange) addPolicy(h http.Header) {
	if len(h[csp.Header]) == 0 {
		h[csp.Header] = []string{x.settings.policy.WithNonce(x.currentNonce())}
	}
}

// needsPolicy reports whether an encoded response is HTML without a policy of its own.
func (r Response) needsPolicy() bool {
	if r.kind != kindHTML && r.kind != kindRendered && (r.kind != kindBytes || !isHTML(r.more.contentType)) || showsNothing(int(r.status)) {
		return false
	}
	return !r.sets(csp.Header)
}

// showsNothing reports whether an answer with a status has no page that a policy could be for.
// After a 304 the browser shows a page that it has, with another nonce: the policy of the 304
// would replace that of the page.
func showsNothing(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}

// isHTML reports whether a Content-Type is that of HTML.
func isHTML(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "text/html")
}

// beforeHeader sets the policy of an answer that net/http code has begun. It is called before
// the header is sent. An answer whose media type net/http will detect may be HTML, but for a
// redirect.
func (x *exchange) beforeHeader(h http.Header, status int) {
	types, typed := h["Content-Type"]
	if !showsNothing(status) && (len(types) > 0 && isHTML(types[0]) || !typed && status/100 != 3) {
		x.addPolicy(h)
	}
	if x.nonce.Load() != nil && len(h[cacheControl]) == 0 {
		h[cacheControl] = revalidatePrivate // a cache would send the nonce to others
	}
}

// watchesHeader reports whether beforeHeader is to be called: net/http code of this Router may
// write HTML. A public file has no policy, and a mounted Router has its own.
func (x *exchange) watchesHeader() bool {
	return x.settings.policy != nil && !x.endpoint.public && (x.target == nil || x.target == x.endpoint)
}

// fixedPage returns a handler that sends a page which is the same for everybody; the caller says how
// caches may hold it. It reports false if the page needs a nonce for each answer.
func (t *table) fixedPage(all *templates.Views, v *templates.View) (h handler, ok bool, err error) {
	page, err := all.Render(v, nil, "", v.Front())
	if err != nil {
		return handler{}, false, err
	}
	defer page.Free()
	var html []byte
	var policy string
	if p := t.settings.policy; p == nil {
		html = slices.Clone(page.HTML())
	} else if html, policy, ok = p.Page(page.HTML()); !ok {
		return handler{}, false, nil
	}
	return handler{content: public.NewPage(htmlType[0], html, policy)}, true, nil
}
