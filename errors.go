package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/input"
	"example.com/flow/internal/logging"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/reply"
)

// An HTTPError is an error that answers a request with a status and a message. Error
// makes one, and errors.As finds it in what OnError is given.
type HTTPError struct {
	Status  int    // from 400 to 599; another one is answered with 500
	Message string // for the client, who sees it
	Cause   error  // for the log alone; may be nil

	header []reply.Field // of the Fail that it stands for
}

// Error returns an *HTTPError that, returned from a handler or a guard, answers the
// request with the status and the message. The causes, joined, are for the log only.
// A status that is no error, below 400 or above 599, answers 500.
func Error(status int, message string, cause ...error) error {
	return &HTTPError{Status: status, Message: message, Cause: errors.Join(cause...)}
}

// Error returns the status, the message and the cause: it is for the log.
func (e *HTTPError) Error() string {
	if e == nil {
		return "a nil *flow.HTTPError"
	}
	text := fmt.Sprintf("%d %s", e.Status, cmp.Or(e.Message, http.StatusText(e.Status)))
	if e.Cause == nil {
		return text
	}
	return text + fmt.Sprintf(": %v", e.Cause)
}

// Unwrap returns the cause.
func (e *HTTPError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Cause
}

// HTTPStatus returns the status. Any error that has this method is answered and logged
// with the status that it returns, if that is from 400 to 599.
func (e *HTTPError) HTTPStatus() int { return e.Status }

// StatusOf returns the status with which an error is answered, if OnError does not say
// otherwise: that of its method HTTPStatus() int, which HTTPError and Invalid have, 413 for
// an http.MaxBytesError, 500 for others. Of errors that wrap each other the outermost counts.
func StatusOf(err error) int { return problemOf(err).Status }

// Invalid is what Bind finds wrong, field by field: its keys are the names that
// the client used, its values messages for people, to be read after the name of
// the field: "must be a whole number". As a handler's error it answers 422 with
// the fields. An empty one is no error, wherever it is returned, also if it is wrapped:
// the Response that a handler or a guard returns with it is the answer.
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

// HTTPStatus returns 422.
func (e Invalid) HTTPStatus() int { return http.StatusUnprocessableEntity }

// withoutEmpty returns what is left of an error that the application has returned without
// the empty Invalids in it: nil if it is one, wraps one or joins nothing else. An error
// that says its status itself stays, whatever it wraps.
func withoutEmpty(err error) error {
	switch e := err.(type) {
	case Invalid:
		if len(e) == 0 {
			return nil
		}
	case interface{ HTTPStatus() int }:
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil && withoutEmpty(inner) == nil {
			return nil
		}
	case interface{ Unwrap() []error }:
		parts := e.Unwrap()
		left := slices.DeleteFunc(slices.Clone(parts), func(part error) bool { return part != nil && withoutEmpty(part) == nil })
		if len(left) < len(parts) {
			return errors.Join(left...)
		}
	}
	return err
}

// hasNoCause reports whether the log would add nothing to what the client was told of an error.
func hasNoCause(err error) bool {
	switch e := err.(type) {
	case *HTTPError:
		return e != nil && e.Cause == nil
	case Invalid, *http.MaxBytesError:
		return true
	}
	return false
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

// recovered turns a panic into an error, other than the one that means to end
// the connection.
func recovered(v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	return &panicError{v, debug.Stack()}
}

// problemOf returns what the client may know of an error.
func problemOf(err error) (p reply.Problem) {
	unknown := reply.Problem{Status: http.StatusInternalServerError}
	defer func() {
		if recover() != nil {
			p = unknown // the error is a nil pointer, or has a method of its own that panics
		}
	}()
	var panicked *panicError
	if errors.As(err, &panicked) {
		return unknown
	}
	var known interface {
		error
		HTTPStatus() int
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
	case errors.As(err, &tooLarge):
		return reply.Problem{Status: http.StatusRequestEntityTooLarge, Detail: input.TooLarge}
	default:
		return unknown
	}
	if p.Status = known.HTTPStatus(); p.Status < 400 || p.Status > 599 {
		return unknown
	}
	switch e := known.(type) {
	case *HTTPError:
		p.Detail = e.Message
	case Invalid:
		if len(e) == 0 { // it is no error, and something has failed: a function of a template, say
			return unknown
		}
		p.Detail, p.Fields = "some fields are not valid", e
	}
	return p
}

// problemResponse is a problem in one of its media types.
func problemResponse(p reply.Problem, mediaType string) Response {
	contentType, body := p.Render(mediaType)
	return problemAnswer(p, Bytes(contentType, []byte(body)))
}

// problemAnswer gives a response the status of a problem, and the header Vary, since the
// client's Accept decides the form of an error.
func problemAnswer(p reply.Problem, resp Response) Response {
	return resp.Status(p.Status).with(reply.Field{Key: "Vary", Value: "Accept"}).toError()
}

// problemData is what +error.html gets as its dot. It is a map, so that a layout which
// looks up a field that its pages have finds nothing and does not fail, as in a page
// without data.
func problemData(p reply.Problem, path string) map[string]any {
	return map[string]any{"Status": p.Status, "Title": p.Title(), "Detail": p.Detail, "Path": path, "Fields": p.Fields}
}

// failure returns the error that a Fail stands for.
func (r Response) failure() error {
	if r.status < 400 || r.status > 599 {
		return fmt.Errorf("flow: Fail was given the status %d, which is no error", r.status)
	}
	return &HTTPError{Status: int(r.status), Message: r.text, header: r.header()}
}

// A failure is an error that answers the request whatever its handler returns: that of
// Authenticate, or that of a body which a guard or a handler has asked for. An exchange keeps
// the first.
type failure struct {
	err      error
	reported atomic.Bool // it was answered or logged
}

// setFailure makes an error the failure, and reports false if there is one already.
func (x *exchange) setFailure(err error) bool {
	return x.failure.CompareAndSwap(nil, &failure{err: err})
}

func (x *exchange) failed() bool { return x.failure.Load() != nil }

// report returns the error to a caller that answers with it or logs it.
func (f *failure) report() error {
	f.reported.Store(true)
	if f.err == http.ErrAbortHandler { // a template has asked for the user, and has turned the panic into an error
		panic(f.err)
	}
	return f.err
}

// finalError returns the error that answers the request: the one that a guard or a handler
// has returned, which may be nil, or in its place the failure. Then err is logged.
func (x *exchange) finalError(req *Request, err error) error {
	f := x.failure.Load()
	if f == nil {
		return err
	}
	failed := f.report()
	if err != nil && !errors.Is(err, failed) {
		x.log(req, err)
	}
	return failed
}

// settle returns the response that is sent for what a guard or a handler has returned.
func (x *exchange) settle(req *Request, resp Response, err error) Response {
	if err = x.finalError(req, err); err != nil {
		return x.respondError(req, err)
	}
	return resp
}

// fail answers with an error.
func (x *exchange) fail(w http.ResponseWriter, req *Request, err error) {
	x.send(w, req, x.respondError(req, err))
}

// respondError returns the encoded response for an error, that of Router.OnError or else
// the one that the error stands for, and logs what the client is not told.
func (x *exchange) respondError(req *Request, err error) Response {
	return x.respond(req, err, x.settings.onError)
}

// respondDefault is respondError without Router.OnError, whose own answer has failed.
func (x *exchange) respondDefault(req *Request, err error) Response { return x.respond(req, err, nil) }

func (x *exchange) respond(req *Request, err error, onError onErrorFunc) Response {
	err = reply.SafeError(err)
	before := x.failed()
	resp, status, failed := x.present(req, err, onError)
	if !before && x.failed() { // OnError or an error page has asked for the user, and Authenticate failed
		err = fmt.Errorf("%w; while this was answered: %v", x.failure.Load().report(), err)
		resp, status, failed = x.present(req, err, onError)
	}
	if failed != nil {
		x.logAnswered(req, fmt.Errorf("%w; %v", err, failed), http.StatusInternalServerError)
	} else {
		x.logAnswered(req, err, status)
	}
	if e := (*HTTPError)(nil); errors.As(err, &e) && e != nil && len(e.header) > 0 {
		resp = resp.after(e.header)
	}
	return resp
}

type onErrorFunc = func(*Request, error) Response

// present returns the encoded response for an error and its status. If the response
// should have been another one, the error failed says why it is not.
func (x *exchange) present(req *Request, err error, onError onErrorFunc) (resp Response, status int, failed error) {
	if onError != nil {
		resp = x.askOnError(req, err, onError)
	}
	p := problemOf(err)
	if status = cmp.Or(int(resp.status), p.Status); status == http.StatusInternalServerError {
		if shown, ok := x.showError(req, err); ok {
			return shown, status, nil
		}
	}
	if !resp.isZero() {
		return resp, status, nil
	}
	if resp, failed = x.presentProblem(req, p); failed != nil {
		if shown, ok := x.showError(req, failed); ok {
			return shown, status, failed
		}
	}
	return resp, status, failed
}

// showError returns the response that shows an error in development, if the client may see it.
func (x *exchange) showError(req *Request, err error) (resp Response, shown bool) {
	if x.settings.dev == nil {
		return Response{}, false
	}
	return x.settings.dev.showError(req.Request, err, x)
}

// askOnError returns the encoded response of Router.OnError for an error. It is zero if
// the error is left to the default.
func (x *exchange) askOnError(req *Request, err error, onError onErrorFunc) Response {
	resp, failed := x.try(req, func(r *Request) (Response, error) {
		resp := onError(r, err)
		if resp.kind == kindFail { // encoded as the error that it stands for, it would come back
			return x.presentFail(r, resp), nil
		}
		return resp, nil
	})
	switch {
	case failed != nil:
		x.log(req, fmt.Errorf("OnError: %w", failed))
		return Response{}
	case resp.kind == kindNext:
		x.log(req, errors.New("flow: OnError returned Next(), which is for guards"))
		return Response{}
	case resp.isZero():
		return Response{}
	case resp.kind == kindHandler:
		resp.kind = kindErrorHandler
	}
	resp.status = cmp.Or(resp.status, statusCode(StatusOf(err)))
	return resp.toError()
}

// presentFail returns the response for a Fail that OnError has answered with.
func (x *exchange) presentFail(req *Request, fail Response) Response {
	err := fail.failure()
	resp, failed := x.presentProblem(req, problemOf(err))
	if failed != nil {
		x.log(req, failed)
		if shown, ok := x.showError(req, failed); ok {
			return shown
		}
	}
	return resp.after(fail.header())
}

// presentProblem returns the response for a problem in the media type that the client
// accepts. HTML comes from the nearest error page, if there is one. If that page fails, the
// response is plain text, and the error says why.
func (x *exchange) presentProblem(req *Request, p reply.Problem) (Response, error) {
	mediaType := accept.MediaType(acceptOf(req.Request), x.endpoint.isPage())
	t := x.endpoint.table
	if t == nil { // a Request of NewRequest
		return problemResponse(p, mediaType), nil
	}
	all, faults := t.currentViews(req.Context())
	if dev := x.settings.dev; dev != nil && x.endpoint.miss && p.Status == http.StatusNotFound {
		p.Detail = cmp.Or(p.Detail, dev.hint(req.Request))
	}
	if mediaType != "text/html" {
		return problemResponse(p, mediaType), nil
	}
	asked, _ := pattern.ParsePath(req.Request)
	page := all.ErrorPage(x.endpoint.owner.route, asked.Segments[min(len(t.mountPrefix.Segments), len(asked.Segments)):])
	switch {
	case page == nil && all.Lost(): // in development
		return problemResponse(p, mediaType), faults
	case page == nil:
		return problemResponse(p, mediaType), nil
	}
	html, err := page.Render(req, "", problemData(p, req.URL.Path))
	if err != nil {
		return problemResponse(p, "text/plain"), fmt.Errorf("flow: the error page cannot be shown: %v", err) // not wrapped: the error of the page must not choose the answer
	}
	return problemAnswer(p, Response{kind: kindHTML, text: html}), nil
}

// log logs an error that is answered with its own status.
func (x *exchange) log(req *Request, err error) { x.logAnswered(req, err, problemOf(err).Status) }

// logAnswered logs what the client must not see of an error that is answered with a
// status: everything that ends in a 500 or above, every panic, and what other errors say
// beyond their answer.
func (x *exchange) logAnswered(req *Request, err error, status int) {
	err = reply.SafeError(err)
	var panicked *panicError
	level := slog.LevelError
	if !errors.As(err, &panicked) && status < 500 {
		if hasNoCause(err) {
			return
		}
		level = slog.LevelInfo
	}
	if errors.Is(err, context.Canceled) && req.Context().Err() != nil || x.body.Broke(err) {
		level = slog.LevelInfo // the client is gone, which is no fault
	}
	text := fmt.Sprint(err)
	if refused := (*reply.RedirectError)(nil); errors.As(err, &refused) {
		if !x.firstRefusal(refused.Why) {
			return
		}
		text += "; this is said once for the route: check targets that come from requests, each is to be a path that begins with one slash, or an http or https URL"
	}
	args := []any{"method", req.Method, "path", req.URL.EscapedPath(), "pattern", x.endpoint.pattern, "error", text}
	if id := logging.IDOf(req.Request); id != "" {
		args = append(args, "id", id)
	}
	if panicked != nil {
		args = append(args, x.stackArgs(req.Request, panicked)...)
	}
	x.settings.log().Log(req.Context(), level, "flow: request failed", args...)
}

// stackArgs returns what the log says of the stack of a panic.
func (x *exchange) stackArgs(req *http.Request, p *panicError) []any {
	if x.settings.dev != nil {
		if frames := x.settings.dev.frames(req, p); frames != nil {
			return []any{"at", strings.Join(frames, ", ")}
		}
	}
	return []any{"stack", string(p.stack)}
}

// firstRefusal reports whether it is the first time that a redirect of the endpoint is
// refused for this reason. Only the first is logged: clients that choose the target of a
// redirect could fill the log otherwise.
func (x *exchange) firstRefusal(why uint32) bool {
	e := x.endpoint
	if e.miss { // the endpoint may exist for this request only
		e = e.table.notFound
	}
	return atomic.OrUint32(&e.refused, why)&why == 0
}

// matcherPanicked logs that a matcher panicked: no handler has got the request yet.
func (r *Router) matcherPanicked(name string, v any) {
	r.logger().Error("flow: a matcher has panicked, and its value does not match; this is said once", "matcher", name, "error", fmt.Sprint(v), "stack", string(debug.Stack()))
}

// bodyError returns what is wrong with a body as an error of flow.
func bodyError(err error) error {
	if e, ok := err.(*input.Error); ok {
		return Error(e.Status, e.Message, e.Cause)
	}
	return err
}

// invalidOf returns the messages of an error of Validate, if it is an Invalid, or if it is
// no error.
func invalidOf(err error) (messages map[string]string, ok bool) {
	if withoutEmpty(err) == nil {
		return nil, true
	}
	messages, ok = err.(Invalid)
	return messages, ok
}
