package flow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/reply"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/input"
)

// Error returns an error that, returned from a handler or a guard, answers the
// request with the status and the message. The causes are for the log only.
// A status that is no error, below 400 or above 599, answers 500.
func Error(status int, message string, cause ...error) error {
	return &statusError{status, message, errors.Join(cause...)}
}

// StatusOf returns the status with which an error is answered: that of an Error,
// 422 for an Invalid, 413 for an http.MaxBytesError, 500 for anything else. It is
// for OnError, and for tests of a handler by itself.
func StatusOf(err error) int { return problemOf(err).Status }

type statusError struct {
	status  int
	message string
	cause   error
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("%d %s", e.status, cmp.Or(e.message, http.StatusText(e.status)))
	if e.cause != nil {
		text += fmt.Sprintf(": %v", e.cause)
	}
	return text
}

func (e *statusError) Unwrap() error { return e.cause }

// A promise is one of the described headers as a guard has set it for the answer that
// it let through. Standard middleware may have set it before, and after.
type promise struct {
	key         string
	before, set []string
	earlier     *promise
}

// promise sets the headers of a guard's Next.
func (r *Request) promise(h http.Header, fields []headerField) {
	for i, f := range fields {
		key := http.CanonicalHeaderKey(f.key)
		before := h[key]
		setHeader(h, fields[i:i+1])
		if slices.Contains(reply.Described[:], key) {
			r.promises = &promise{key, before, h[key], r.promises}
		}
	}
}

// withdraw takes back what guards have promised, for an error.
func (r *Request) withdraw(h http.Header) {
	for p := r.promises; p != nil; p = p.earlier {
		if slices.Equal(h[p.key], p.set) {
			reply.Put(h, p.key, p.before)
		}
	}
}

// allSaid reports whether the client was told all that an error says.
func allSaid(err error) bool {
	switch e := err.(type) {
	case *statusError:
		return e.cause == nil
	case Invalid, *http.MaxBytesError:
		return true
	}
	return false
}

// Invalid is what Bind finds wrong, field by field: its keys are the names that
// the client used, its values messages for people, to be read after the name of
// the field: "must be a whole number". As a handler's error it answers 422 with
// the fields.
type Invalid map[string]string

// Error lists the fields in order.
func (e Invalid) Error() string {
	var b strings.Builder
	b.WriteString("invalid input")
	for i, field := range slices.Sorted(maps.Keys(e)) {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		b.WriteString(field + ": " + e[field])
	}
	return b.String()
}

// A panicError is what a handler, a guard or middleware panicked with.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// Unwrap gives OnError the error that was panicked with, if it was one.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// problemOf returns what the client may know of an error.
func problemOf(err error) reply.Problem {
	var panicked *panicError
	if errors.As(err, &panicked) {
		return reply.Problem{Status: http.StatusInternalServerError}
	}
	var status *statusError
	if errors.As(err, &status) {
		if status.status < 400 || status.status > 599 {
			return reply.Problem{Status: http.StatusInternalServerError}
		}
		return reply.Problem{Status: status.status, Detail: status.message}
	}
	var invalid Invalid
	if errors.As(err, &invalid) {
		return reply.Problem{Status: http.StatusUnprocessableEntity, Detail: "some fields are not valid", Fields: invalid}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return reply.Problem{Status: http.StatusRequestEntityTooLarge, Detail: input.TooLarge}
	}
	return reply.Problem{Status: http.StatusInternalServerError}
}

// problemResponse is a problem in one of its media types.
func problemResponse(p reply.Problem, mediaType string) Response {
	contentType, body := p.Render(mediaType)
	return problemAnswer(p, Bytes(contentType, []byte(body)))
}

// problemAnswer gives a response the status of a problem, and says what it depends on.
func problemAnswer(p reply.Problem, resp Response) Response {
	return resp.Status(p.Status).with(headerField{"Vary", "Accept", true}).toError()
}

// showFault answers with an error in all detail, in development.
func showFault(r *http.Request, err error) Response {
	p := reply.Problem{Status: http.StatusInternalServerError, Detail: strings.TrimPrefix(err.Error(), "flow: ")}
	p.Faults = strings.Split(p.Detail, "\n")
	return problemResponse(p, accept.MediaType(acceptOf(r), true))
}
