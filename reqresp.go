package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/serve/wire/reply"
)

// A Request is an *http.Request with its route: parameters, data, user.
//
// It is valid until the response has been written. A goroutine that runs longer needs a
// Clone. Like an http.Request, it is not safe for use by several goroutines at once.
type Request struct {
	*http.Request
	x           *exchange
	asking      bool           // a call of User is in progress on this Request
	translating bool           // a call of Translate is in progress on this Request
	promises    *reply.Promise // the headers of guards that have returned Next
}

// NewRequest returns a Request for a test that calls a handler directly. params are keys
// and values of route parameters in turn; NewRequest panics if a value is missing. The
// Request belongs to no Router, so that Route, Asset, View, Page and RedirectTo return an
// error. Use Router.NewRequest to test a handler that needs them.
func NewRequest(r *http.Request, params ...string) *Request {
	if len(params)%2 != 0 {
		panic("flow.NewRequest: params are pairs of key and value")
	}
	p := &pattern.Pattern{}
	var values match.Values
	for i := 0; i < len(params); i += 2 {
		p.Names = append(p.Names, params[i])
		values = append(values, httprouter.Param{Value: params[i+1]})
	}
	return newRequest(r, &exchange{settings: &settings{}, endpoint: &endpoint{path: p, owner: &owner{}}, values: values})
}

// newRequest returns the Request of an exchange that runs no chain.
func newRequest(r *http.Request, x *exchange) *Request {
	if input.HasBody(r) {
		x.body = input.New(nil, r, x.endpoint.maxBody, true, false)
	}
	x.req = Request{Request: r, x: x}
	return &x.req
}

// WithUser sets the user of r, as if Authenticate had returned it, and returns r. It is for
// tests that call a handler directly.
func (r *Request) WithUser(user any) *Request {
	x := r.exchange()
	x.personal.Store(true)
	x.auth.Set(somebody(user))
	return r
}

// exchange returns the exchange of r. Under the race detector it panics if the response has
// been written: without the detector, another request could use the exchange by now.
func (r *Request) exchange() *exchange {
	if race.Enabled && r.x.over.Load() {
		panic("flow: a Request was used after its response was written: take a Clone for a goroutine that lives longer")
	}
	return r.x
}

// Param returns the unescaped value of a route parameter. It returns "" if the route has no
// parameter of that name, and for an optional parameter that is not in the URL. The
// segments of a catch-all are joined with "/": see Segments.
func (r *Request) Param(name string) string {
	x := r.exchange()
	if i := slices.Index(x.endpoint.path.Names, name); i >= 0 {
		return match.Value(x.endpoint.path, x.values, i)
	}
	return ""
}

// PathValue returns the value of a route parameter, as Param does, or else a path value of
// the http.Request.
func (r *Request) PathValue(name string) string {
	if v := r.Param(name); v != "" {
		return v
	}
	return r.Request.PathValue(name)
}

// Segments returns the segments that a catch-all matched, each of them unescaped. It returns
// nil if the route has no parameter of that name. A segment may contain "/", from an escaped
// slash, or be "..": check each one before you use it as the name of a file.
func (r *Request) Segments(name string) []string {
	x := r.exchange()
	p := x.endpoint.path
	switch i := slices.Index(p.Names, name); {
	case i < 0:
		return nil
	case x.endpoint.table == nil: // a Request of NewRequest, which has names and values only
		return strings.Split(x.values[i].Value, "/")
	default:
		return match.Segments(p, x.values, i)
	}
}

// IsAuthenticated reports whether the request has a user: see User.
func (r *Request) IsAuthenticated() bool { return r.User() != nil }

// User returns the user of the request, or nil if there is none. The first call for a
// request calls Router.Authenticate. If that returns an error, User returns nil, and the
// error answers the request, whatever the handler returns.
func (r *Request) User() any {
	x := r.exchange()
	if r.asking {
		return nil
	}
	if x.settings.authenticate == nil {
		return x.auth.User()
	}
	// If Authenticate called User, it would wait for itself. So User returns nil there,
	// for r as well as for the Request that From returns.
	r.asking = true
	defer func() { r.asking = false }()
	if f := From(r.Context()); f != nil && f != r {
		r.bind()
	}
	return x.user(r)
}

// UserOf returns the user of a request as a T: UserOf[*Account](req). It returns the zero
// value if there is no user. It panics if the user has another type than T, which is a
// mistake of the application.
func UserOf[T any](r *Request) T {
	found := r.User()
	user, ok := found.(T)
	if !ok && found != nil {
		panic(fmt.Sprintf("flow.UserOf: the user is a %T, not a %v: ask for the type that Router.Authenticate returns", found, reflect.TypeFor[T]()))
	}
	return user
}

// Clone returns a copy of r for a goroutine that runs longer than the handler. The copy has
// the parameters, data and user of r. Its context has the values of that of r and is never
// canceled. If the body is JSON or a form and was read, the copy can read it again. This is
// the case in any handler of flow's own forms, and in a guard after Input and the like.
// Other bodies and uploaded files are not available in the copy. It has trailers only if the
// body was read to its end.
func (r *Request) Clone() *Request {
	x := r.exchange()
	c := x.clone()
	c.req = Request{x: c, asking: r.asking, translating: r.translating}
	ctx := context.WithValue(context.WithoutCancel(r.Context()), requestKey{}, &c.req)
	original := *r.Request
	if x.body.AwaitsTrailers() {
		original.Trailer = nil // another goroutine that reads the body may write to this map
	}
	c.req.Request = original.Clone(ctx)
	c.req.Body = c.body.Reader()
	c.req.MultipartForm = nil
	return &c.req
}

// Data is the data of a request, as Request.All returns it.
type Data map[string]any

// data returns the body, after it has been read. It returns nil, an empty body, if the body
// is malformed or too large: this is the failure of the exchange, 400 or 413.
func (r *Request) data() *input.Body {
	x := r.exchange()
	if x.readBody(r, false) != nil {
		return nil
	}
	return x.body
}

// Input returns the value of a key in the body, which is a form or a JSON object, or else in
// the query. It returns "" if neither has the key. It does not look at route parameters: see
// Param. If a key is repeated, or its value is a JSON array, Input returns the first value.
// It returns JSON's null as "", and any other JSON value that is not a string as it is
// written in JSON. Only the values that are asked for are decoded.
//
// If the body is malformed or too large, Input returns "", and the request is answered with
// 400 or 413, whatever the handler returns.
func (r *Request) Input(key string) string {
	if values := r.Inputs(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Inputs returns all values of a key that Input returns the first of.
func (r *Request) Inputs(key string) []string {
	return r.data().Inputs(r.Request, key)
}

// All returns the data of the request: the query and the body. A key of the body replaces
// the same key of the query. The value of a key in a form or the query is a string, or a
// []string if the key is repeated. A JSON value is decoded as by encoding/json into an any,
// with numbers as json.Number.
func (r *Request) All() Data {
	return r.data().All(r.Request)
}

// Only returns the data of these keys, as All does, without the keys that the request does
// not have.
func (r *Request) Only(keys ...string) Data {
	return r.data().Only(r.Request, keys...)
}

// Bind fills the struct that dst points to from the body, JSON or a form, or from the
// query of a request without one. The tags form and json name a key; the tags param and
// query name a route parameter and a key of the query. A *multipart.FileHeader is the first file
// of its key, and a list of these has all. A field that the request has no value for stays as
// it was. Then Bind calls the methods Validate() error of the struct and of the
// structs in its fields.
//
// Values that do not convert, and what is invalid, come back as Invalid, under paths such as
// "items.0.name". What is wrong with the body itself is an Error of status 400, 413 or 415.
// docs/handlers.md has all the rules: which key and which source goes first, what becomes of
// null, of lists, of embedded structs and of memory that dst shares with other structs.
func (r *Request) Bind(dst any) error {
	if v := reflect.ValueOf(dst); v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("flow: Bind needs a pointer to a struct, not a %T", dst)
	}
	return r.fill(dst, false)
}

// fill reads the body, and fills what dst, a pointer, points to. strict says that dst is the
// input of a typed handler.
func (r *Request) fill(dst any, strict bool) error {
	x := r.exchange()
	if err := x.readBody(r, false); err != nil {
		return err
	}
	invalid, isFirst, err := x.body.Bind(r.Request, r, dst, strict, invalidOf)
	if isFirst {
		x.logMistakes(dst)
	}
	if err != nil {
		return x.bodyError(r, err)
	}
	if len(invalid) > 0 {
		return x.translateAll(r, invalid)
	}
	return nil
}

// A Response is the answer of a handler or a guard. It is a value: its methods return
// changed copies, and the original stays as it is. From a handler, the zero value is 204.
// From a guard, it is an error.
type Response struct {
	// A Response has four words of 64 bits, which the compiler passes in registers. A larger one
	// would be copied through memory at each call on the way of a request.
	kind   respKind
	status int32  // 0 for the default of the kind
	text   string // a body, a URL, a message, or the name of a view or a route
	more   *more  // nil for most responses of plain text
}

// more holds the rarer parts of a Response. It does not change once a Response has it.
type more struct {
	data        any // of JSON, View, Page, RedirectTo; the []byte, *templates.Page or http.Handler
	contentType string
	block       string        // of View and Page
	view        *declaredView // of PageOf and ViewOf
	header      []reply.Field
	toError     bool // it answers an error, so some headers of guards are not sent: see Next
}

type respKind uint8

const (
	// These need no encoding.
	kindZero respKind = iota
	kindText
	kindHTML
	kindJSONText
	kindBytes
	kindRendered
	kindHandler
	kindErrorHandler // a Handler that OnError has returned
	kindNext

	kindJSON
	kindView
	kindPage
	kindRedirect
	kindRedirectTo
	kindFail
	kindError // a wrong use of a constructor or a method; text says which
)

// JSON answers with data, encoded by encoding/json. Data that cannot be encoded is a 500.
func JSON(data any) Response { return Response{kind: kindJSON, more: &more{data: data}} }

// Text answers with plain text in UTF-8.
func Text(text string) Response { return Response{kind: kindText, text: text} }

// HTML answers with HTML in UTF-8. It escapes nothing.
func HTML(html template.HTML) Response { return Response{kind: kindHTML, text: string(html)} }

// Bytes answers with b, under the given media type. "" means application/octet-stream. The
// bytes must not change after the call.
func Bytes(contentType string, b []byte) Response {
	return Response{kind: kindBytes, more: &more{data: b, contentType: cmp.Or(contentType, "application/octet-stream")}}
}

// View renders a template of the tree, with data as its dot. name is the path of the
// template below router/, without extension: "users/[id]" is a page, which is rendered in
// its layouts, and "users/+row" a partial, which is rendered without layouts. The path may
// leave out groups. An unknown name, or a template that fails, is a 500, and no part of the
// page is sent.
func View(name string, data any) Response {
	return Response{kind: kindView, text: name, more: &more{data: data}}
}

// Page renders the page of the route, which is its route file, in its layouts. All of them
// have data as their dot. If the route has no page, Page is a 500.
func Page(data any) Response { return Response{kind: kindPage, more: &more{data: data}} }

// Block returns a copy of a Page or a View that renders only one {{define}} or {{block}} of
// the page, without layouts. It is for clients that replace a part of the page they show. A
// name that the page does not define is a 500, and so is Block of any other response.
func (r Response) Block(name string) Response {
	if r.kind != kindPage && r.kind != kindView || name == "" {
		return Response{kind: kindError, text: fmt.Sprintf("Block(%q) takes the name of a block of a Page or a View", name)}
	}
	m := *r.more
	m.block = name
	r.more = &m
	return r
}

// Redirect redirects to a path that begins with "/", or to an http or https URL. Anything
// else, "//host" and "/\host" included, is a 500; the first one is logged for each route.
// The status is the one that is given, or else 302 for GET and HEAD, and 303 for other
// methods.
func Redirect(url string, status ...int) Response {
	return Response{kind: kindRedirect, text: url, status: optional(status)}
}

// RedirectTo redirects to a named route, with the status of Redirect. The name and the
// params are those of Router.Route.
func RedirectTo(name string, params ...any) Response {
	return Response{kind: kindRedirectTo, text: name, more: &more{data: params}}
}

// Success answers with JSON: {"success":true,"message":message,"data":data}. The status is
// 200 unless one is given.
func Success(data any, message string, status ...int) Response {
	resp := JSON(success{true, message, data})
	resp.status = optional(status)
	return resp
}

type success struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// optional returns the status of an optional argument, or 0.
func optional(status []int) int32 {
	if len(status) == 0 {
		return 0
	}
	return statusCode(status[0])
}

// statusCode returns code as an int32. A number too large for that becomes another one that
// is not a status code either.
func statusCode(code int) int32 { return int32(min(max(code, -1), 1000)) }

// Fail answers with an error, as a handler does that returns [Error]. The client gets the
// message, in problem+json (RFC 9457), an HTML page or plain text, by its header Accept. A
// status below 400 or above 599 is answered with 500.
func Fail(status int, message string) Response {
	return Response{kind: kindFail, status: statusCode(status), text: message}
}

// failError returns the error that a Response of Fail is turned into.
func (r Response) failError() error {
	if r.status < 400 || r.status > 599 {
		return fmt.Errorf("flow: Fail was given the status %d, which is no error", r.status)
	}
	return &HTTPError{Status: int(r.status), Message: r.text, header: r.header()}
}

// Handler answers by calling h, which may send a stream, server-sent events or a file. h
// gets the *http.Request with its path values; From returns the Request. For a HEAD request
// h is called too, and nothing of what it writes is sent: a stream should end then.
func Handler(h http.Handler) Response {
	if forms.IsNil(h) {
		return Response{kind: kindError, text: "Handler was given nil"}
	}
	return Response{kind: kindHandler, more: &more{data: h}}
}

// Next lets a request through: a guard returns it. Headers and cookies of Next are set
// before the handler runs, which may replace the headers. Headers about the content and
// about caching, such as Cache-Control, are not sent if the answer is an error. From a
// handler, Next is a 500.
func Next() Response { return Response{kind: kindNext} }

// Status returns a copy of r with a status code. 0 means the default of r. Any other code
// below 200 or above 999 is a 500.
func (r Response) Status(code int) Response {
	r.status = statusCode(code)
	return r
}

// Header returns a copy of r that sets a header. It replaces all values of that header,
// those of guards and middleware included. Only for Vary it adds the value, since the answer
// still depends on the headers that the others have named.
func (r Response) Header(key, value string) Response {
	return r.with(reply.Field{Key: key, Value: value})
}

// AddHeader returns a copy of r that adds a value to a header, such as Link. It adds no name
// to Vary that is there already, and none beside "*".
func (r Response) AddHeader(key, value string) Response {
	return r.with(reply.Field{Key: key, Value: value, Add: true})
}

// Cookie returns a copy of r that adds a cookie. A cookie without a valid name, which
// http.SetCookie would drop, is a 500.
func (r Response) Cookie(cookie *http.Cookie) Response {
	if cookie == nil || cookie.String() == "" {
		return Response{kind: kindError, text: "Cookie was given a cookie without a valid name"}
	}
	return r.with(reply.Field{Key: "Set-Cookie", Value: cookie.String(), Add: true})
}

// with returns a copy of r with more header fields.
func (r Response) with(fields ...reply.Field) Response {
	var m more
	if r.more != nil {
		m = *r.more
	}
	m.header = append(m.header[:len(m.header):len(m.header)], fields...)
	r.more = &m
	return r
}

// after returns a copy of r that sets some other header fields before its own.
func (r Response) after(fields []reply.Field) Response {
	own := r.header()
	r = r.with()
	r.more.header = slices.Concat(fields, own)
	return r
}

// toError returns a copy of r that is marked as the answer to an error.
func (r Response) toError() Response {
	r = r.with()
	r.more.toError = true
	return r
}

// header returns the header fields of r.
func (r Response) header() []reply.Field {
	if r.more == nil {
		return nil
	}
	return r.more.header
}

// body returns a Response with an encoded body, and with the status and the header fields
// of r.
func (r Response) body(kind respKind, text string) Response {
	encoded := Response{kind: kind, status: r.status, text: text}
	if h := r.header(); h != nil {
		encoded.more = &more{header: h}
	}
	return encoded
}

// rendered returns a Response with the page that r was rendered to. send frees the page.
func (r Response) rendered(page *templates.Page) Response {
	return Response{kind: kindRendered, status: r.status, more: &more{header: r.header(), data: page}}
}

func (r Response) isZero() bool { return r.kind == kindZero && r.status == 0 && r.more == nil }

// encoded reports whether encode would return r unchanged.
func (r Response) encoded() bool { return r.kind <= kindNext && r.status == 0 }

// isPlain reports whether r is a short text with status 200 and no header but Content-Type.
// Such a response is written directly, without send.
func (r Response) isPlain() bool {
	return r.kind == kindText && r.status == 0 && r.more == nil && r.text != "" && len(r.text) <= reply.AutoLength
}

// Write writes r to w, as the answer to req. It is for tests that call a handler directly,
// with an httptest.ResponseRecorder and a Request of NewRequest.
func (r Response) Write(w http.ResponseWriter, req *Request) {
	x := req.exchange()
	if r.kind == kindNext {
		r = Response{kind: kindError, text: "Next is for guards"}
	}
	resp, err := x.try(req, func(*Request) (Response, error) { return r, nil })
	if err != nil {
		resp = x.respondError(req, err)
	}
	x.send(w, req, resp)
}

// encode returns r with an encoded body. A Handler, Next and the zero value stay as they
// are. All that can fail about a response fails here, before the first byte is sent.
func encode(r Response, req *Request) (Response, error) {
	if r.status != 0 && (r.status < 200 || r.status > 999) {
		return Response{}, fmt.Errorf("flow: a response has the status %d, which is none (RFC 9110, section 15)", r.status)
	}
	if r.kind == kindNext && r.status != 0 {
		return Response{}, fmt.Errorf("flow: Next() has the status %d: a guard that denies returns another response", r.status)
	}
	if r.kind <= kindNext {
		return r, nil
	}
	switch r.kind {
	case kindJSON:
		text, err := reply.JSON(r.more.data)
		if err != nil {
			return Response{}, fmt.Errorf("flow: the response cannot be encoded as JSON: %w", err)
		}
		return r.body(kindJSONText, text), nil
	case kindView, kindPage:
		return encodePage(r, req)
	case kindRedirectTo:
		u, err := req.Route(r.text, r.more.data.([]any)...)
		if err != nil {
			return Response{}, fmt.Errorf("flow: RedirectTo: %w", err)
		}
		return encode(r.body(kindRedirect, u), req)
	case kindRedirect:
		return encodeRedirect(r, req)
	case kindFail:
		return Response{}, r.failError()
	default:
		return Response{}, errors.New("flow: " + r.text)
	}
}

// encodeRedirect encodes a redirect as an empty body with a header Location.
func encodeRedirect(r Response, req *Request) (Response, error) {
	status, location, err := reply.Redirect(req.Method, int(r.status), r.text)
	if err != nil {
		return Response{}, err
	}
	return r.Status(status).body(kindZero, "").with(location), nil
}

// send writes an encoded response, other than a Handler. If head is set, it writes no body.
func send(r Response, w http.ResponseWriter, head bool) {
	h := w.Header()
	var b []byte
	var page *templates.Page
	status := int(r.status)
	if status == 0 {
		status = http.StatusOK
	}
	switch r.kind {
	case kindZero:
		if r.status == 0 {
			status = http.StatusNoContent
		}
	case kindText:
		h["Content-Type"] = textType
	case kindHTML:
		h["Content-Type"] = htmlType
	case kindJSONText:
		h["Content-Type"] = jsonType
	case kindBytes:
		h.Set("Content-Type", r.more.contentType)
		b = r.more.data.([]byte)
	case kindRendered:
		h["Content-Type"] = htmlType
		page = r.more.data.(*templates.Page)
		b = page.HTML()
	}
	reply.SetFields(h, r.header())
	reply.Send(w, head, status, r.text, b)
	if page != nil {
		page.Free()
	}
}

// The values of Content-Type that are set most often. All responses share them, since a slice
// for each would be an allocation. To append to one copies it, as its capacity is 1.
var (
	textType = []string{"text/plain; charset=utf-8"}
	htmlType = []string{"text/html; charset=utf-8"}
	jsonType = []string{"application/json"}
)
