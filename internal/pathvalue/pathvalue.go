// Package pathvalue makes copies of requests that have room for path values, which
// net/http code asks for with PathValue. A request that no [http.ServeMux] has matched
// has none: SetPathValue gives it a map of more than 300 bytes. So [New] lets a ServeMux
// match a request once, and [Names.Copy] makes its copies from that one.
package pathvalue

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Names are the names of path values.
type Names struct {
	matched *http.Request // by a ServeMux, with these names; nil if there is none of use
}

// New returns names, which are Go identifiers.
func New(names []string) *Names {
	if len(names) == 0 || !known() {
		return &Names{}
	}
	return &Names{match(names)}
}

// match returns a request that a ServeMux has matched, and that has nothing but the
// names. It returns nil if there is no such pattern, as with a name that stands twice.
func match(names []string) (r *http.Request) {
	defer func() {
		if recover() != nil { // Handle panics for a pattern that it does not take
			r = nil
		}
	}()
	path := strings.Repeat("/-", len(names))
	r = &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}, RequestURI: path}
	mux := http.NewServeMux()
	mux.HandleFunc("/{"+strings.Join(names, "}/{")+"}", func(http.ResponseWriter, *http.Request) {})
	mux.ServeHTTP(nil, r)
	if !hasValues(r) { // this is the old ServeMux of a GODEBUG setting
		return nil
	}
	for _, name := range names {
		r.SetPathValue(name, "")
	}
	carry(r, &http.Request{})
	return r
}

// Copy returns a shallow copy of r with another context, as r.WithContext does. It has
// room for path values of the names, none of which is set, if r has none: SetPathValue
// allocates nothing then. Else it has those of r.
func (n *Names) Copy(r *http.Request, ctx context.Context) (c *http.Request, empty bool) {
	if n.matched == nil || hasValues(r) {
		return r.WithContext(ctx), false
	}
	c = n.matched.Clone(ctx) // nothing but the room is there to be cloned
	carry(c, r)
	return c, true
}

// carry gives to all that can be set of r.
func carry(to, r *http.Request) {
	to.Method, to.URL, to.Proto, to.ProtoMajor, to.ProtoMinor = r.Method, r.URL, r.Proto, r.ProtoMajor, r.ProtoMinor
	to.Header, to.Body, to.GetBody, to.ContentLength = r.Header, r.Body, r.GetBody, r.ContentLength
	to.TransferEncoding, to.Close, to.Host = r.TransferEncoding, r.Close, r.Host
	to.Form, to.PostForm, to.MultipartForm, to.Trailer = r.Form, r.PostForm, r.MultipartForm, r.Trailer
	to.RemoteAddr, to.RequestURI, to.TLS, to.Response, to.Pattern = r.RemoteAddr, r.RequestURI, r.TLS, r.Response, r.Pattern
	to.Cancel = r.Cancel //lint:ignore SA1019 a copy has what the request has
}

// hidden are the indexes of those fields of http.Request that only net/http can set: the
// context, and what PathValue reads.
var hidden = indexes("ctx", "pat", "matches", "otherValues")

// visible is how many fields carry sets.
const visible = 22

// known reports whether a request has these fields and no others. If another version of
// Go has changed that, copies are made with WithContext.
func known() bool {
	return len(hidden) == 4 && reflect.TypeFor[http.Request]().NumField() == visible+len(hidden)
}

func indexes(names ...string) (all []int) {
	for _, name := range names {
		if f, ok := reflect.TypeFor[http.Request]().FieldByName(name); ok {
			all = append(all, f.Index[0])
		}
	}
	return all
}

// hasValues reports whether r has path values, or a ServeMux has matched it. Nothing but
// reflection tells, since PathValue has to be given a name.
func hasValues(r *http.Request) bool {
	v := reflect.ValueOf(r).Elem()
	return !v.Field(hidden[1]).IsNil() || !v.Field(hidden[3]).IsNil()
}
