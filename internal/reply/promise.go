package reply

import (
	"net/http"
	"slices"
)

// A Promise is a header that a guard has set for the answer that it let through, and
// that an error must not have: one of Described. Standard middleware may have set the
// header before the guard, and may set it after. A nil Promise is none.
type Promise struct {
	key         string
	before, set []string
	earlier     *Promise
}

// Promised sets headers, and returns p with those among them that Withdraw takes back.
func (p *Promise) Promised(h http.Header, fields []Field) *Promise {
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

// Withdraw takes the headers back that were promised, before an error is sent. A header
// that has changed since the promise stays.
func (p *Promise) Withdraw(h http.Header) {
	for ; p != nil; p = p.earlier {
		if slices.Equal(h[p.key], p.set) {
			Put(h, p.key, p.before)
		}
	}
}
