package flow

import (
	"cmp"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/serve/wire/reply"
)

// A Message is a text of flow that a client is to get: see Router.Translate.
type Message struct {
	Code    string // what the message says, such as "invalid.range" or "status.404"
	English string
	Args    []any // of some codes, such as the int64s from and to of "invalid.range"
}

// translate returns the text of a message in the language of the request.
func (r *Request) translate(m reply.Message) (text string) {
	s := r.x.settings
	if s.translate == nil || m.Code == "" || r.translating {
		return m.English
	}
	m.Args = slices.Clone(m.Args) // those of a field are the same for all requests, and Translate may format them in place
	// What Translate asks of the request may go wrong itself, and has a message then.
	r.translating = true
	defer func() {
		r.translating = false
		if v := recover(); v != nil {
			text = m.English
			s.untranslated.Do(func() {
				s.log().Error("flow: Translate has panicked, and the message stays in English; this is said once", "code", m.Code, "error", fmt.Sprint(v), "stack", string(debug.Stack()))
			})
		}
	}()
	return cmp.Or(s.translate(r, Message(m)), m.English)
}

// translated returns a problem that is translated when it is rendered, with the codes of its
// fields.
func (r *Request) translated(p reply.Problem) reply.Problem {
	if r.x.settings.translate != nil {
		p.Translate = r.translate
	}
	if own := r.x.ownMessages.Load(); own != nil {
		p.Codes = own.CodesOf(p.Fields)
	}
	return p
}

// errorOf returns the error for a status and a message of flow.
func (x *exchange) errorOf(req *Request, status int, m reply.Message, cause error) error {
	return &HTTPError{Status: status, Message: req.translate(m), Cause: cause, english: m.English}
}

// bodyError returns an error of internal/serve/wire/input as an HTTPError.
func (x *exchange) bodyError(req *Request, err error) error {
	if e, ok := err.(*input.Error); ok {
		return x.errorOf(req, e.Status, e.Message, e.Cause)
	}
	return err
}

// translateAll returns the messages of Bind as an Invalid, and remembers their codes. It returns
// nil if there are none.
func (x *exchange) translateAll(req *Request, messages map[string]reply.Message) Invalid {
	if len(messages) == 0 {
		return nil
	}
	wrong, own := make(Invalid, len(messages)), reply.OwnMessages{}
	if before := x.ownMessages.Load(); before != nil {
		maps.Copy(own, *before)
	}
	for field, m := range messages {
		wrong[field] = req.translate(m)
		if m.Code != "" {
			own[field] = reply.OwnMessage{Code: m.Code, Text: wrong[field]}
		}
	}
	if len(own) > 0 {
		x.ownMessages.Store(&own)
		x.kept = true // so that no other request finds them; to look for them in recycle would make each request dearer
	}
	return wrong
}
