package reply

import (
	"net/http"
	"slices"
)

// A Promise is a header of Described that a guard has set with Next: it is meant for the
// response of the handler, and must not be sent with an error. Middleware may have set the
// same header before the guard, and may set it afterwards. A Promise is a linked list, the
// latest first; nil is the empty list.
type Promise struct {
	key         string
	before, set []string
	earlier     *Promise
}

// Set sets headers, and returns p with those of Described among them added, for Withdraw.
func (p *Promise) Set(h http.Header, fields []Field) *Promise {
	for i, f := range fields {
		key := http.CanonicalHeaderKey(f.Key)
		before := h[key]
		SetFields(h, fields[i:i+1])
		if IsDescribed(key) {
			p = &Promise{key, before, h[key], p}
		}
	}
	return p
}

// Withdraw is called before an error is sent. It gives the headers of p the values that they
// had before the guards ran. A header that was changed since then stays as it is.
func (p *Promise) Withdraw(h http.Header) {
	for ; p != nil; p = p.earlier {
		if slices.Equal(h[p.key], p.set) {
			Put(h, p.key, p.before)
		}
	}
}
