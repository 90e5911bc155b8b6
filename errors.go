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

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/input"
	"example.com/flow/internal/logging"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/reply"
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

// A promise is a header that a guard has set for the answer that it let through, and
// that an error must not have: one of reply.Described. Standard middleware may have set
// the header before the guard, and may set it after.
type promise struct {
	key         string
	before, set []string
	earlier     *promise
}

// promise sets the headers of a guard's Next, and remembers those that withdraw takes
// back.
func (r *Request) promise(h http.Header, fields []reply.Field) {
	for i, f := range fields {
		key := http.CanonicalHeaderKey(f.Key)
		before := h[key]
		reply.SetFields(h, fields[i:i+1])
		if slices.Contains(reply.Described[:], key) {
			r.promises = &promise{key, before, h[key], r.promises}
		}
	}
}

// withdraw takes the headers back that guards have promised, before an error is sent. A
// header that has changed since the promise stays.
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

// problemAnswer gives a response the status of a problem, and the header Vary, since the
// client's Accept decides the form of an error.
func problemAnswer(p reply.Problem, resp Response) Response {
	return resp.Status(p.Status).with(reply.Field{Key: "Vary", Value: "Accept"}).toError()
}

// showFault answers with an error in all detail, in development.
func showFault(r *http.Request, err error) Response {
	p := reply.Problem{Status: http.StatusInternalServerError, Detail: strings.TrimPrefix(err.Error(), "flow: ")}
	p.Faults = strings.Split(p.Detail, "\n")
	return problemResponse(p, accept.MediaType(acceptOf(r), true))
}

func encodeFail(r Response, req *Request) (Response, error) {
	if r.status < 400 || r.status > 599 {
		return Response{}, fmt.Errorf("flow: Fail was given the status %d, which is no error", r.status)
	}
	resp, err := req.x.present(req, reply.Problem{Status: int(r.status), Detail: r.text})
	if err != nil {
		req.x.log(req, err)
	}
	return resp.with(r.header()...), nil
}

// respondFailure returns the response for err. If Authenticate or reading the body has
// failed, it returns the response for that failure instead, and logs err.
func (x *exchange) respondFailure(req *Request, err error) Response {
	if !x.failed.Load() {
		return x.respondError(req, err)
	}
	failure := x.failure()
	if err != nil && !errors.Is(err, failure) {
		x.log(req, err)
	}
	return x.respondError(req, failure)
}

// fail answers with an error.
func (x *exchange) fail(w http.ResponseWriter, req *Request, err error) {
	x.send(w, req, x.respondError(req, err))
}

// respondError returns the encoded response for an error: that of Router.OnError,
// else the one that the error stands for. A panic is logged in any case, other
// errors only if OnError left them to the default.
func (x *exchange) respondError(req *Request, err error) Response {
	var panicked *panicError
	if errors.As(err, &panicked) {
		x.log(req, err)
	}
	before := x.failed.Load()
	if x.router != nil && x.router.OnError != nil {
		resp, failed := x.try(req, func(r *Request) (Response, error) { return x.router.OnError(r, err), nil })
		if failed != nil {
			x.log(req, fmt.Errorf("OnError: %w", failed))
		}
		switch {
		case !before && x.failed.Load(): // a page of OnError's answer asked for the user, and Authenticate failed
			return x.plainError(req, x.failureAfter(err), false)
		case failed != nil:
		case resp.kind == kindNext:
			x.log(req, errors.New("flow: OnError returned Next(), which is for guards"))
		case resp.kind == kindHandler:
			resp.kind = kindErrorHandler
			return resp.toError()
		case !resp.isZero():
			return resp.toError()
		}
	}
	return x.plainError(req, err, panicked != nil)
}

// plainError returns the encoded response that an error stands for, and logs the
// error, unless logged says that this was done before.
func (x *exchange) plainError(req *Request, err error, logged bool) Response {
	p := problemOf(err)
	if x.router.inDev() && p.Status == http.StatusInternalServerError {
		if !logged {
			x.log(req, err)
		}
		return showFault(req.Request, err)
	}
	failed := x.failed.Load()
	resp, presented := x.present(req, p)
	switch {
	case !failed && x.failed.Load(): // the error page asked for the user, and Authenticate failed
		return x.plainError(req, x.failureAfter(err), false)
	case presented != nil && logged:
		x.log(req, presented)
	case presented != nil:
		x.log(req, fmt.Errorf("%v; %w", err, presented))
	case !logged:
		x.log(req, err)
	}
	return resp
}

// failureAfter returns the failure of Authenticate or of the body that came up while err
// was answered. It mentions err.
func (x *exchange) failureAfter(err error) error {
	return fmt.Errorf("%w; while this was answered: %v", x.failure(), err)
}

// log writes what the client must not see: everything that ends in a 500, and
// what other errors say beyond their answer.
func (x *exchange) log(req *Request, err error) {
	level := slog.LevelError
	if p := problemOf(err); p.Status < 500 {
		if allSaid(err) {
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
	var panicked *panicError
	if errors.As(err, &panicked) {
		args = append(args, "stack", string(panicked.stack))
	}
	x.router.logger().Log(req.Context(), level, "flow: request failed", args...)
}

// firstRefusal reports whether it is the first time that a redirect of the endpoint is
// refused for this reason. Only the first is logged: clients that choose the target of a
// redirect could fill the log otherwise.
func (x *exchange) firstRefusal(why uint32) bool {
	e := x.endpoint
	if e.miss { // the endpoint may exist for this request only
		e = x.router.table.Load().notFound
	}
	return atomic.OrUint32(&e.refused, why)&why == 0
}

// recovered turns a panic into an error, other than the one that means to end
// the connection.
func recovered(v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	return &panicError{v, debug.Stack()}
}

// problemData is what +error.html gets as its dot. It is a map, so that a layout which
// looks up a field that its pages have finds nothing and does not fail, as in a page
// without data.
func problemData(p reply.Problem, path string) map[string]any {
	return map[string]any{"Status": p.Status, "Title": p.Title(), "Detail": p.Detail, "Path": path, "Fields": p.Fields}
}

// present returns the response for a problem in the media type that the client accepts.
// HTML comes from the nearest error page, if there is one. If that page fails, the
// answer is plain text, and the error says why; in development the answer says it too.
func (x *exchange) present(req *Request, p reply.Problem) (Response, error) {
	mediaType := accept.MediaType(acceptOf(req.Request), x.endpoint.isPage())
	if x.router == nil {
		return problemResponse(p, mediaType), nil
	}
	all, faults := x.router.views()
	if x.endpoint.miss && p.Status == http.StatusNotFound {
		p.Detail = cmp.Or(p.Detail, x.router.hint(req.Request))
	}
	asked, _ := pattern.ParsePath(req.Request)
	page := all.ErrorPage(x.endpoint.owner.route, asked.Segments[min(len(x.router.tree.Prefix), len(asked.Segments)):])
	switch {
	case mediaType != "text/html", page == nil && !all.Lost():
		return problemResponse(p, mediaType), nil
	case page == nil: // in development
		return showFault(req.Request, faults), faults
	}
	html, err := page.Render(req, "", problemData(p, req.URL.Path))
	if err == nil {
		return problemAnswer(p, Response{kind: kindHTML, text: html}), nil
	}
	err = fmt.Errorf("flow: the error page cannot be shown: %v", err) // not wrapped: the error of the page must not choose the answer
	if x.router.inDev() {
		return showFault(req.Request, err), err
	}
	return problemResponse(p, "text/plain"), err
}

// miss is what the matcher calls for a request that nothing answers as it is. The answer
// comes from the Router that owns the path: this one, or one that is mounted.
func (t *table) miss(w http.ResponseWriter, r *http.Request, m match.Miss[endpoint]) {
	if m.By != nil {
		t = m.By.inner.table.Load()
		r.Pattern = m.By.pattern
	}
	e := t.notFound
	switch {
	case !m.Known:
	case m.Respelled != "":
		e = t.redirect(pattern.Location(r, m.Respelled))
	default:
		e = t.otherMethod(r, m.Leaves)
	}
	e.begin(w, r, t.inherited(m.Path.Segments))
}

// inherited returns the values that the parameters of the Router's prefix have in a
// path, for what no route answers.
func (t *table) inherited(path []string) match.Values {
	var values match.Values
	for i, seg := range t.above.Segments {
		if seg.Kind == pattern.Param {
			values = append(values, httprouter.Param{Value: path[i]})
		}
	}
	return values
}

// redirect returns the endpoint for another spelling of a URL.
func (t *table) redirect(target string) *endpoint {
	return t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) { return movedTo(target), nil }})
}

// movedTo returns the redirect to another spelling of a URL.
func movedTo(target string) Response {
	return Response{status: http.StatusPermanentRedirect}.Header("Location", target)
}

// otherMethod returns the endpoint for a path that is known, but not with the method of
// the request: it answers OPTIONS, and other methods with 405. The answer runs through
// the standard middleware of the most specific file, and that to a CORS preflight
// through that of the file which answers the method that the preflight names.
func (t *table) otherMethod(r *http.Request, leaves []*match.Leaf[endpoint]) *endpoint {
	allowed := map[string]bool{http.MethodOptions: true}
	for _, l := range leaves {
		l.Methods(allowed)
	}
	allow := strings.Join(slices.Sorted(maps.Keys(allowed)), ", ")
	file := mainOwner(leaves[0])
	if r.Method != http.MethodOptions {
		return t.unmatched(file.standard, file.route, handler{flow: func(*Request) (Response, error) {
			return Fail(http.StatusMethodNotAllowed, "").Header("Allow", allow), nil
		}})
	}
	if wanted := r.Header.Get("Access-Control-Request-Method"); wanted != "" {
		for _, l := range leaves {
			if e := l.Answer(wanted); e != nil {
				file = e.owner
				break
			}
		}
	}
	return t.unmatched(file.standard, file.route, handler{flow: func(*Request) (Response, error) {
		return Response{status: http.StatusNoContent}.Header("Allow", allow), nil
	}})
}

// mainOwner returns the file at a leaf, the one that is no store if there are two.
func mainOwner(l *match.Leaf[endpoint]) *owner {
	answers := l.Answers()
	for _, e := range answers {
		if e.owner.route == nil || !e.owner.route.Store {
			return e.owner
		}
	}
	return answers[0].owner
}

// bodyError returns what is wrong with a body as an error of flow.
func bodyError(err error) error {
	if e, ok := err.(*input.Error); ok {
		return Error(e.Status, e.Message, e.Cause)
	}
	return err
}

// invalidOf returns the messages of an error of Validate, if it is an Invalid.
func invalidOf(err error) (messages map[string]string, ok bool) {
	messages, ok = err.(Invalid)
	return messages, ok
}

// recoverChain contains a panic of middleware, and any other that nothing inside the
// chain has contained. Middleware that wrapped the writer, to compress the answer for
// example, has not finished its work. So its headers do not fit the error, and before
// restores what they were in front of the chain.
func (x *exchange) recoverChain(w http.ResponseWriter, t *reply.Writer, before *reply.Description) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	err := &panicError{v, debug.Stack()}
	if t.Sent {
		x.log(&x.req, err)
		panic(http.ErrAbortHandler) // so that a truncated answer never looks whole
	}
	before.Restore(w.Header())
	x.fail(w, &x.req, err)
}

// failure returns the error that answers the request no matter what was returned: that
// of Authenticate, or that of a body which a guard or a net/http handler asked for. It
// notes that the failure was told, since each caller answers with the error or logs it.
func (x *exchange) failure() error {
	x.told.Store(true)
	x.auth.mu.Lock()
	err := x.auth.err
	x.auth.mu.Unlock()
	if err == http.ErrAbortHandler { // a template has asked, and has turned the panic into an error
		panic(err)
	}
	if err != nil {
		return fmt.Errorf("flow: Authenticate failed: %w", err)
	}
	return x.body.Err()
}
