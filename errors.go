package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/accept"
	"example.com/flow/internal/serve/wire/logging"
	"example.com/flow/internal/serve/wire/reply"
)

// An HTTPError is an error with a status and a message for the client. [Error] returns
// one. OnError finds it with errors.As.
type HTTPError struct {
	Status  int    // from 400 to 599; any other is answered with 500
	Message string // sent to the client
	Cause   error  // logged, never sent to the client; may be nil

	header  []reply.Field // of the Response of Fail that was turned into this error
	english string        // for logs: the message before Translate, if it is flow's own
}

// Error returns an *HTTPError. A handler or a guard returns it to answer the request with
// the status and the message. The causes are joined with errors.Join; they are logged and
// never sent to the client. A status below 400 or above 599 is answered with 500.
func Error(status int, message string, cause ...error) error {
	return &HTTPError{Status: status, Message: message, Cause: errors.Join(cause...)}
}

// Error returns the status, the message and the cause, for logs.
func (e *HTTPError) Error() string {
	if e == nil {
		return "a nil *flow.HTTPError"
	}
	text := fmt.Sprintf("%d %s", e.Status, cmp.Or(e.english, e.Message, http.StatusText(e.Status)))
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

// HTTPStatus returns e.Status. Errors of other types may have this method too: flow
// answers them with the status that it returns, if that is from 400 to 599.
func (e *HTTPError) HTTPStatus() int { return e.Status }

// StatusOf returns the status that an error is answered with by default: the result of
// its method HTTPStatus() int, which HTTPError and Invalid have; 413 for an
// http.MaxBytesError; 500 for any other error. If errors wrap each other, the outermost
// one with a status counts. OnError may answer with another status.
func StatusOf(err error) int { return problemOf(err).Status }

// Invalid holds the messages of a validation, by field, as Bind returns them. A key is
// the name of the field as the client sent it. A message is read after the name of the
// field: "must be a whole number". Returned as an error, Invalid answers 422 with the
// fields.
//
// An empty Invalid counts as nil, also if another error wraps it: a handler may return
// its Response together with an Invalid that has collected no messages.
type Invalid map[string]string

// Error lists the fields and their messages, sorted by field.
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

// withoutEmpty removes empty Invalids from an error that the application has returned. It
// returns nil for an empty Invalid, for an error that wraps one, and for joined errors
// that are all empty. An error with a method HTTPStatus is returned unchanged.
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

// hasNoCause reports whether the client is told all that an error says, so that there is
// nothing to log.
func hasNoCause(err error) bool {
	switch e := err.(type) {
	case *HTTPError:
		return e != nil && e.Cause == nil
	case Invalid, *http.MaxBytesError:
		return true
	}
	return false
}

// problemOf returns the part of an error that the client may see.
func problemOf(err error) (p reply.Problem) {
	unknown := reply.Problem{Status: http.StatusInternalServerError}
	defer func() {
		if recover() != nil {
			p = unknown // a method of the error panicked: it is a nil pointer, for example
		}
	}()
	var panicked *reply.PanicError
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
		return reply.Problem{Status: http.StatusRequestEntityTooLarge, Detail: reply.BodyTooLarge(tooLarge.Limit)}
	default:
		return unknown
	}
	if p.Status = known.HTTPStatus(); p.Status < 400 || p.Status > 599 {
		return unknown
	}
	switch e := known.(type) {
	case *HTTPError:
		p.Detail = reply.Message{English: e.Message}
	case Invalid:
		if len(e) == 0 { // a function of a template returned it, for example: 422 without a field would help nobody
			return unknown
		}
		p.Detail, p.Fields = reply.FieldsInvalid, e
	}
	return p
}

// problemResponse returns the response for a problem in a media type: HTML,
// problem+json or plain text.
func problemResponse(p reply.Problem, mediaType string) Response {
	contentType, body := p.Render(mediaType)
	return problemAnswer(p, Bytes(contentType, []byte(body)))
}

// problemAnswer returns a copy of a response with the status of a problem, and with Vary,
// since the client's Accept has decided the media type.
func problemAnswer(p reply.Problem, resp Response) Response {
	return resp.Status(p.Status).with(reply.Field{Key: "Vary", Value: "Accept"}).toError()
}

// An errorPage is the dot of +error.html.
type errorPage struct {
	Status int
	Title  string            // "Not Found"
	Detail string            // what the client may know of the error; may be ""
	Path   string            // of the URL
	Fields map[string]string // of an Invalid: messages, by field
	Codes  map[string]string // of those messages that are flow's own
}

func acceptOf(r *http.Request) []string { return r.Header["Accept"] }

// internalError returns the response for a 500 of which the client learns no more than the
// status. It is for requests that have no exchange, and so neither OnError nor error pages.
func (s *settings) internalError(r *http.Request) Response {
	x := &exchange{settings: s, endpoint: &endpoint{path: &pattern.Pattern{}, owner: &owner{}}}
	x.req = Request{Request: r, x: x}
	p := x.req.translated(reply.Problem{Status: http.StatusInternalServerError})
	return problemResponse(p, accept.MediaType(acceptOf(r), false))
}

// A failure is an error of Authenticate or of reading the body. It answers the request,
// whatever guards and the handler return. An exchange keeps its first failure.
type failure struct {
	err      error
	ofBody   bool        // else it is of Authenticate
	reported atomic.Bool // the error was answered or logged
}

// setFailure keeps an error as the failure of the exchange. It reports false if the exchange
// has one already.
func (x *exchange) setFailure(err error) bool {
	return x.failure.CompareAndSwap(nil, &failure{err: err})
}

// failed reports whether the exchange has a failure.
func (x *exchange) failed() bool { return x.failure.Load() != nil }

// report returns the error to a caller that answers with it or logs it. It panics with
// http.ErrAbortHandler if Authenticate did: a template that called Authenticate, by
// {{user}}, has turned that panic into an error.
func (f *failure) report() error {
	f.reported.Store(true)
	if f.err == http.ErrAbortHandler {
		panic(f.err)
	}
	return f.err
}

// finalError returns the error to answer with: the failure, if there is one, else the
// error that a guard or the handler has returned, which may be nil. If the failure takes
// the place of err, err is logged.
func (x *exchange) finalError(req *Request, err error) error {
	f := x.failure.Load()
	if f == nil {
		return err
	}
	failErr := f.report()
	if err != nil && !errors.Is(err, failErr) {
		x.log(req, err)
	}
	return failErr
}

// settle returns the response to send, given the results of a guard or a handler.
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

// readOnErrors reads the functions of Dir.OnError into the table.
func (c *compiler) readOnErrors() {
	byDir := map[string]onErrorFunc{}
	c.errorDirs = map[string]bool{}
	for dir, f := range c.plan.OnErrors() {
		byDir[dir], c.errorDirs[dir] = f.(onErrorFunc), true
	}
	if len(byDir) > 0 {
		c.table.onErrors = routetree.NewNearest(c.tree, byDir)
	}
}

// onErrors returns the functions that are asked for the response to an error, in order.
func (x *exchange) onErrors(req *Request) (all []onErrorFunc) {
	if e := x.endpoint; e.table != nil && e.table.onErrors != nil {
		all = e.table.onErrors.Around(e.owner.route, e.table.segmentsOf(req))
	}
	if x.settings.onError != nil {
		all = append(slices.Clip(all), x.settings.onError)
	}
	return all
}

// segmentsOf returns the segments of the path of a request below the prefix that the Router
// is mounted at.
func (t *table) segmentsOf(req *Request) []string {
	asked, _ := pattern.ParsePath(req.Request)
	return asked.Segments[min(len(t.mountPrefix.Segments), len(asked.Segments)):]
}

// respondError returns the encoded response to an error, by OnError or the default, and logs
// what the client is not told.
func (x *exchange) respondError(req *Request, err error) Response {
	return x.respond(req, err, x.onErrors(req))
}

// respond is respondError with the functions of OnError. If there are none, or all of them
// return the zero Response, the response is the default.
func (x *exchange) respond(req *Request, err error, onErrors []onErrorFunc) Response {
	err = reply.SafeError(err)
	failedBefore := x.failed()
	resp, status, pageErr := x.present(req, err, onErrors)
	if !failedBefore && x.failed() { // OnError or the error page asked for the user, and Authenticate failed
		err = fmt.Errorf("%w; while this was answered: %v", x.failure.Load().report(), err)
		resp, status, pageErr = x.present(req, err, onErrors)
	}
	logged := err
	if pageErr != nil {
		logged, status = fmt.Errorf("%w; %v", err, pageErr), http.StatusInternalServerError
	}
	x.logAnswered(req, logged, status)
	if e := (*HTTPError)(nil); errors.As(err, &e) && e != nil && len(e.header) > 0 {
		resp = resp.after(e.header)
	}
	return resp
}

// present returns the encoded response to an error, and its status. If the error page
// cannot be rendered, the response is plain text, and pageErr says why.
func (x *exchange) present(req *Request, err error, onErrors []onErrorFunc) (resp Response, status int, pageErr error) {
	for i := 0; i < len(onErrors) && resp.isZero(); i++ {
		resp = x.askOnError(req, err, onErrors[i])
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
	if resp, pageErr = x.presentProblem(req, p); pageErr != nil {
		if shown, ok := x.showError(req, pageErr); ok {
			return shown, status, pageErr
		}
	}
	return resp, status, pageErr
}

// showError returns development's page about an error. It reports false in production, and
// for a client that must not see the page.
func (x *exchange) showError(req *Request, err error) (resp Response, shown bool) {
	if x.settings.dev == nil {
		return Response{}, false
	}
	return x.settings.dev.showError(req.Request, err, x)
}

// askOnError returns the encoded response of OnError to an error. It returns the zero
// Response if OnError leaves the error to the next one, or fails itself.
func (x *exchange) askOnError(req *Request, err error, onError onErrorFunc) Response {
	resp, tryErr := x.try(req, func(r *Request) (Response, error) {
		resp := onError(r, err)
		if resp.kind == kindFail { // encode would turn it into an error, and that would be given to OnError again
			return x.presentFail(r, resp), nil
		}
		return resp, nil
	})
	switch {
	case tryErr != nil:
		x.log(req, fmt.Errorf("OnError: %w", tryErr))
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

// presentFail returns the encoded response for a Fail that OnError has returned.
func (x *exchange) presentFail(req *Request, fail Response) Response {
	resp, pageErr := x.presentProblem(req, problemOf(fail.failError()))
	if pageErr != nil {
		x.log(req, pageErr)
		if shown, ok := x.showError(req, pageErr); ok {
			return shown
		}
	}
	return resp.after(fail.header())
}

// presentProblem returns the response for a problem in the media type that the client
// accepts. HTML is rendered by the nearest error page, if there is one. If that page
// cannot be rendered, presentProblem returns a response of plain text, and the reason as an
// error.
func (x *exchange) presentProblem(req *Request, p reply.Problem) (Response, error) {
	mediaType := accept.MediaType(acceptOf(req.Request), x.endpoint.isPage())
	p = req.translated(p)
	t := x.endpoint.table
	if t == nil { // a Request of NewRequest
		return problemResponse(p, mediaType), nil
	}
	all, faults := t.currentViews(req.Context())
	if dev := x.settings.dev; dev != nil && x.endpoint.miss && p.Status == http.StatusNotFound {
		p.Detail.English = cmp.Or(p.Detail.English, dev.hint(req.Request))
	}
	if mediaType != "text/html" {
		return problemResponse(p, mediaType), nil
	}
	page := all.ErrorPage(x.endpoint.owner.route, t.segmentsOf(req))
	switch {
	case page == nil && all.Lost(): // in development
		return problemResponse(p, mediaType), faults
	case page == nil:
		return problemResponse(p, mediaType), nil
	}
	title, detail := p.Texts()
	html, err := all.Render(page, req, "", errorPage{p.Status, title, detail, req.URL.Path, p.Fields, p.Codes})
	if err != nil {
		// The error is not wrapped, since the status of the page's error must not become that of the answer.
		return problemResponse(p, "text/plain"), fmt.Errorf("flow: the error page cannot be shown: %v", err)
	}
	return problemAnswer(p, Response{}.rendered(html)), nil
}

// log logs an error as if it were answered with the status of StatusOf.
func (x *exchange) log(req *Request, err error) { x.logAnswered(req, err, problemOf(err).Status) }

// logAnswered logs an error that was answered with a status: any panic, any error answered
// with 500 or above, and any other error that says more than the client was told. Only the
// first two are failures of the application, and have the level Error.
func (x *exchange) logAnswered(req *Request, err error, status int) {
	err = reply.SafeError(err)
	var panicked *reply.PanicError
	level, message := slog.LevelError, "flow: request failed"
	if !errors.As(err, &panicked) && status < 500 {
		if hasNoCause(err) {
			return
		}
		level, message = slog.LevelInfo, "flow: error answered" // by the status, the client is at fault
	}
	if errors.Is(err, context.Canceled) && req.Context().Err() != nil || x.body.Broke(err) {
		level, message = slog.LevelInfo, "flow: request canceled" // the client has gone away: nothing is wrong with the application
	}
	text := fmt.Sprint(err)
	if refused := (*reply.RedirectError)(nil); errors.As(err, &refused) {
		if !x.firstRefusal(refused.Why) {
			return
		}
		text += "; this is said once for the route: check targets that come from requests, each is to be a path that begins with one slash, or an http or https URL"
	}
	args := []any{"method", req.Method, "path", req.URL.EscapedPath(), "pattern", x.endpoint.pattern, "status", status, "error", text}
	if id := logging.IDOf(req.Request); id != "" {
		args = append(args, "id", id)
	}
	if panicked != nil {
		args = append(args, x.stackArgs(req.Request, panicked)...)
	}
	x.settings.log().Log(req.Context(), level, message, args...)
}

// logMistakes logs the mistakes in a struct that Bind has filled, which are faults in the input
// of a typed handler. Warnings are left out, and what is wrong with Default, which Bind does
// not call.
func (x *exchange) logMistakes(dst any) {
	var texts []string
	for _, m := range inputs.Mistakes(reflect.TypeOf(dst).Elem()) {
		switch {
		case m.Warning || m.Default:
		case m.Pos.Line > 0:
			texts = append(texts, m.Pos.String()+": "+m.Text)
		default:
			texts = append(texts, m.Text)
		}
	}
	if len(texts) > 0 {
		x.settings.log().Warn("flow: Bind has filled a struct in which something is wrong; this is said once", "type", fmt.Sprintf("%T", dst), "pattern", x.endpoint.pattern, "mistakes", strings.Join(texts, "\n"))
	}
}

// stackArgs returns the arguments for the log that hold the stack of a panic.
func (x *exchange) stackArgs(req *http.Request, p *reply.PanicError) []any {
	if x.settings.dev != nil {
		if frames := x.settings.dev.frames(req, p, x); frames != nil {
			return []any{"at", strings.Join(frames, ", ")}
		}
	}
	return []any{"stack", string(p.Stack)}
}

// firstRefusal reports whether a redirect of the endpoint is refused for this reason for
// the first time. Only that is logged: clients may choose the target of a redirect, and
// could fill the log otherwise.
func (x *exchange) firstRefusal(why uint32) bool {
	e := x.endpoint
	if e.miss { // the endpoint may have been made for this request alone
		e = e.table.notFound
	}
	return atomic.OrUint32(&e.refused, why)&why == 0
}

// invalidOf returns the messages of an error that a method Validate has returned. It
// reports false if the error is not an Invalid; an empty error has no messages.
func invalidOf(err error) (messages map[string]string, ok bool) {
	if withoutEmpty(err) == nil {
		return nil, true
	}
	messages, ok = err.(Invalid)
	return messages, ok
}
