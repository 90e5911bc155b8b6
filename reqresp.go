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

	"example.com/flow/internal/forms"
	"example.com/flow/internal/input"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/race"
	"example.com/flow/internal/reply"
)

// A Request is a request that a route answers. It embeds the *http.Request.
//
// It is valid until the response has been written; a goroutine that lives longer
// takes a Clone. Like an http.Request, it is not for use by several goroutines
// at once.
type Request struct {
	*http.Request
	x        *exchange
	asking   bool           // Authenticate runs: see User
	promises *reply.Promise // of guards
}

// NewRequest returns a Request for tests of a handler by itself, with route parameters as
// key and value pairs, and panics if they are not pairs. It belongs to no Router: Route,
// View, Page and RedirectTo fail and say so, other than with that of Router.NewRequest.
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

// newRequest returns the Request of an exchange that no chain runs through.
func newRequest(r *http.Request, x *exchange) *Request {
	if hasBody(r) {
		x.body = input.New(nil, r, x.endpoint.maxBody, true)
	}
	x.req = Request{Request: r, x: x}
	return &x.req
}

// WithUser gives r a user, as if Authenticate had found it, and returns r: for tests of a
// handler by itself.
func (r *Request) WithUser(user any) *Request {
	r.exchange().auth.Set(user)
	return r
}

// exchange returns the exchange that r belongs to. Under the race detector it panics for
// a Request that is used after its response, when another request would have it by now.
func (r *Request) exchange() *exchange {
	if race.Enabled && r.x.over.Load() {
		panic("flow: a Request was used after its response was written: take a Clone for a goroutine that lives longer")
	}
	return r.x
}

// Param returns the value of a route parameter, decoded. It is "" if the route
// has none of that name or an optional one is not in the URL. The segments of a
// catch-all are joined with "/": see Segments.
func (r *Request) Param(name string) string {
	x := r.exchange()
	if i := slices.Index(x.endpoint.path.Names, name); i >= 0 {
		return match.Value(x.endpoint.path, x.values, i)
	}
	return ""
}

// PathValue is Param, under the name that it has in net/http.
func (r *Request) PathValue(name string) string {
	if v := r.Param(name); v != "" {
		return v
	}
	return r.Request.PathValue(name)
}

// Segments returns the segments that a catch-all matched, each decoded, so that
// an escaped slash stays inside its segment. It is nil if the route has no
// parameter of that name. Files are better opened by segment than by the joined
// form: a decoded segment may hold "/", or be "..", which Route refuses.
func (r *Request) Segments(name string) []string {
	x := r.exchange()
	p := x.endpoint.path
	switch i := slices.Index(p.Names, name); {
	case i < 0:
		return nil
	case x.endpoint.table == nil: // NewRequest knows no patterns
		return strings.Split(x.values[i].Value, "/")
	default:
		return match.Segments(p, x.values, i)
	}
}

// IsAuthenticated reports whether Router.Authenticate found a user. It is false
// without an Authenticate.
func (r *Request) IsAuthenticated() bool { return r.User() != nil }

// User returns what Router.Authenticate found, or nil. Authenticate is asked at
// most once for a request, when the first one wants to know; if it fails, User is
// nil and the request is answered with its error.
func (r *Request) User() any {
	x := r.exchange()
	if r.asking {
		return nil
	}
	if x.settings.authenticate == nil {
		return x.auth.User()
	}
	// An Authenticate that asks for the user would wait for itself, also if it
	// finds the Request with From.
	r.asking = true
	defer func() { r.asking = false }()
	if f := From(r.Context()); f != nil && f != r {
		r.bind()
	}
	return x.user(r)
}

// UserOf returns the user of a request as a T, UserOf[*Account](req), or the zero value if
// there is none. It panics if the user is no T: that is a mistake, and not nobody.
func UserOf[T any](r *Request) T {
	found := r.User()
	user, ok := found.(T)
	if !ok && found != nil {
		panic(fmt.Sprintf("flow.UserOf: the user is a %T, not a %v: ask for the type that Router.Authenticate returns", found, reflect.TypeFor[T]()))
	}
	return user
}

// Clone returns a copy of r for a goroutine that lives longer than the request:
// with its parameters, data and user, and a context that is not cancelled with
// it. A body that was read as JSON or as a form, as it is before a handler of
// flow's forms and after Input in a guard, can be read again; other bodies and
// uploaded files are not available any more. Trailers are those of a body that was
// read to its end.
func (r *Request) Clone() *Request {
	x := r.exchange()
	c := x.clone()
	c.req = Request{x: c, asking: r.asking}
	ctx := context.WithValue(context.WithoutCancel(r.Context()), requestKey{}, &c.req)
	original := *r.Request
	if x.body.AwaitsTrailers() {
		original.Trailer = nil // whoever reads the body may write to this map at any time
	}
	c.req.Request = original.Clone(ctx)
	c.req.Body = c.body.Reader()
	c.req.MultipartForm = nil
	return &c.req
}

// Data is the data of a request, as Request.All returns it.
type Data map[string]any

// data reads the body, if nobody has, and returns it. A body that is malformed
// or beyond the limits has no data, and is answered with 400 or 413.
func (r *Request) data() *input.Body {
	x := r.exchange()
	if x.readBody(r.Request, false) != nil {
		return nil
	}
	return x.body
}

// Input returns a value of the request's data, or "": of the body (a form or a
// JSON object) if the key is there, else of the query. Route parameters are not
// among them: see Param. Of a repeated key or a JSON array it is the first value;
// other JSON values that are no strings read as in JSON, and null is "". Of a large
// JSON body nothing is decoded but the values that are asked for.
func (r *Request) Input(key string) string {
	if values := r.Inputs(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Inputs returns all values of a repeated key, or of a JSON array, from where
// Input finds it.
func (r *Request) Inputs(key string) []string {
	return r.data().Inputs(r.Request, key)
}

// All returns the data of the request: the query, and over it the body. A key
// that is repeated in a form or in the query has a []string, other keys have a
// string; JSON has what encoding/json decodes, with numbers as json.Number.
func (r *Request) All() Data {
	return r.data().All(r.Request)
}

// Only returns the data of the keys that are present.
func (r *Request) Only(keys ...string) Data {
	return r.data().Only(r.Request, keys...)
}

// Bind fills the struct that dst points to from the body, JSON or a form, or from the
// query of a request without one. The tags form and json name a key; the tags param and
// query name a route parameter and a key of the query. A field that the request has no value
// for stays as it was. Then Bind calls the methods Validate() error of the struct and of the
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
	return r.fill(dst, r.exchange().body.Bind)
}

// A bindFunc is one of the methods Bind and BindInput of a body.
type bindFunc = func(*http.Request, input.Params, any, input.Messages) (map[string]string, error)

// fill reads the body, and fills what dst, a pointer, points to.
func (r *Request) fill(dst any, bind bindFunc) error {
	x := r.exchange()
	if err := x.readBody(r.Request, false); err != nil {
		return err
	}
	invalid, err := bind(r.Request, r, dst, invalidOf)
	if err != nil {
		return bodyError(err)
	}
	if len(invalid) > 0 {
		return Invalid(invalid)
	}
	return nil
}

// A Response is what a handler or a guard answers. It is a value: its methods
// return changed copies that share nothing. The zero value is 204 from a handler,
// and an error from a guard.
type Response struct {
	// These are four words, which the compiler keeps in registers: more would be
	// copied through memory at each call on the way of every request.
	kind   respKind
	status int32
	text   string // a body, a URL, the name of a view or a route, a message
	more   *more  // what plain text has no need of
}

// more is never changed once a Response holds it.
type more struct {
	data        any // of JSON, View, Page, RedirectTo; the []byte or http.Handler
	contentType string
	block       string        // of View and Page
	view        *declaredView // of PageOf and ViewOf
	header      []reply.Field
	toError     bool // it answers an error, for which guards have promised nothing
}

type respKind uint8

const (
	// These need no encoding.
	kindZero respKind = iota
	kindText
	kindHTML
	kindJSONText
	kindBytes
	kindHandler
	kindErrorHandler // a Handler that OnError answers with
	kindNext

	kindJSON
	kindView
	kindPage
	kindRedirect
	kindRedirectTo
	kindFail
	kindError // an answer that cannot be given; text says why
)

// JSON answers with data as JSON (encoding/json). It is encoded before the first
// byte is sent: what cannot be encoded is a 500.
func JSON(data any) Response { return Response{kind: kindJSON, more: &more{data: data}} }

// Text answers with plain text in UTF-8.
func Text(text string) Response { return Response{kind: kindText, text: text} }

// HTML answers with HTML in UTF-8, as it is.
func HTML(html template.HTML) Response { return Response{kind: kindHTML, text: string(html)} }

// Bytes answers with b as it is, under the given media type; "" is
// application/octet-stream, since nobody should guess what somebody uploaded. b must
// not be changed any more.
func Bytes(contentType string, b []byte) Response {
	return Response{kind: kindBytes, more: &more{data: b, contentType: cmp.Or(contentType, "application/octet-stream")}}
}

// View renders a template of the tree by its path without extension, with data as
// its dot: a page, "users/[id]", in its layouts, or a partial, "users/+row", by
// itself. Groups may be left out of the path. An unknown name or a template that fails is a 500, of which the client
// gets nothing of the page.
func View(name string, data any) Response {
	return Response{kind: kindView, text: name, more: &more{data: data}}
}

// Page renders the page of the route, which is its own route file, in its layouts
// and with data as the dot of all of them. From a route without a page it is a 500.
func Page(data any) Response { return Response{kind: kindPage, more: &more{data: data}} }

// Block returns a copy of a Page or a View that renders one {{define}} or {{block}}
// of the page alone, without its layouts: for a client that asks for a fragment of
// the page it shows. A name that the page does not define is a 500, and so is Block
// of any other response.
func (r Response) Block(name string) Response {
	if r.kind != kindPage && r.kind != kindView || name == "" {
		return Response{kind: kindError, text: fmt.Sprintf("Block(%q) takes the name of a block of a Page or a View", name)}
	}
	m := *r.more
	m.block = name
	r.more = &m
	return r
}

// Redirect sends the client to a path that begins with "/" or to an http or
// https URL; anything else, "//host" and "/\host" included, is a 500, of which the log
// speaks once for each route. The status is 302 after GET and HEAD and 303 otherwise,
// unless one is given.
func Redirect(url string, status ...int) Response {
	return Response{kind: kindRedirect, text: url, status: optional(status)}
}

// RedirectTo sends the client to a named route: see Router.Route.
func RedirectTo(name string, params ...any) Response {
	return Response{kind: kindRedirectTo, text: name, more: &more{data: params}}
}

// Success answers {"success":true,"message":message,"data":data} as JSON, with
// status 200 unless one is given.
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

func optional(status []int) int32 {
	if len(status) == 0 {
		return 0
	}
	return statusCode(status[0])
}

// statusCode returns code as an int32. A number that does not fit stays one that is no
// status code.
func statusCode(code int) int32 { return int32(min(max(code, -1), 1000)) }

// Fail answers with an error: problem+json (RFC 9457), an HTML page or text, as
// the client accepts. The message is shown to the client.
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

// Handler answers with whatever h writes: streams, server-sent events, files. h
// gets the *http.Request with its path values set; From finds the Request. It is
// called for HEAD too, where nothing that it writes is sent: a stream should end.
func Handler(h http.Handler) Response {
	if forms.IsNil(h) {
		return Response{kind: kindError, text: "Handler was given nil"}
	}
	return Response{kind: kindHandler, more: &more{data: h}}
}

// Next is for guards: the request goes on. Its headers and cookies are set before the
// handler runs, which may replace the headers. Those that say what the answer is and
// how long it may be kept, such as Cache-Control, are not set on an error. From a
// handler Next is a 500.
func Next() Response { return Response{kind: kindNext} }

// Status returns a copy of r with another status code.
func (r Response) Status(code int) Response {
	r.status = statusCode(code)
	return r
}

// Header returns a copy of r with a header set, in place of those of that name, also of
// one that a guard or middleware has set before. Vary alone is added to: the answer
// still depends on what the others have named.
func (r Response) Header(key, value string) Response {
	return r.with(reply.Field{Key: key, Value: value})
}

// AddHeader returns a copy of r with a header added to those of that name, such as Link.
// No name is added to Vary twice, and none beside "*".
func (r Response) AddHeader(key, value string) Response {
	return r.with(reply.Field{Key: key, Value: value, Add: true})
}

// Cookie returns a copy of r with a cookie added. A cookie that http.SetCookie
// would drop, for its name, is a 500.
func (r Response) Cookie(cookie *http.Cookie) Response {
	if cookie == nil || cookie.String() == "" {
		return Response{kind: kindError, text: "Cookie was given a cookie without a valid name"}
	}
	return r.with(reply.Field{Key: "Set-Cookie", Value: cookie.String(), Add: true})
}

func (r Response) with(fields ...reply.Field) Response {
	var m more
	if r.more != nil {
		m = *r.more
	}
	m.header = append(m.header[:len(m.header):len(m.header)], fields...)
	r.more = &m
	return r
}

// after returns a copy of r with headers that are set before those of r.
func (r Response) after(fields []reply.Field) Response {
	own := r.header()
	r = r.with()
	r.more.header = slices.Concat(fields, own)
	return r
}

// toError returns a copy of r that answers an error.
func (r Response) toError() Response {
	r = r.with()
	r.more.toError = true
	return r
}

// header returns the fields that were added to r.
func (r Response) header() []reply.Field {
	if r.more == nil {
		return nil
	}
	return r.more.header
}

// body returns r with its body encoded, and with the headers that it had.
func (r Response) body(kind respKind, text string) Response {
	encoded := Response{kind: kind, status: r.status, text: text}
	if h := r.header(); h != nil {
		encoded.more = &more{header: h}
	}
	return encoded
}

func (r Response) isZero() bool { return r.kind == kindZero && r.status == 0 && r.more == nil }

// encoded reports whether encode has nothing to do.
func (r Response) encoded() bool { return r.kind <= kindNext && r.status == 0 }

// isPlain reports whether r is plain text that needs no more than its media type,
// which is the short way for the smallest answers.
func (r Response) isPlain() bool {
	return r.kind == kindText && r.status == 0 && r.more == nil && r.text != "" && len(r.text) <= reply.AutoLength
}

// Write writes r to w as the answer to req: for tests of a handler by itself,
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

// encode makes the body of r, if it has none yet, and returns r with it. A Handler, Next
// and the zero value stay as they are. Everything that can fail happens here, before the
// first byte is sent.
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

// encodeRedirect turns a redirect into an empty body with a Location.
func encodeRedirect(r Response, req *Request) (Response, error) {
	status, location, err := reply.Redirect(req.Method, int(r.status), r.text)
	if err != nil {
		return Response{}, err
	}
	return r.Status(status).body(kindZero, "").with(location), nil
}

// send writes an encoded response that has a body, or none.
func send(r Response, w http.ResponseWriter, head bool) {
	h := w.Header()
	var b []byte
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
	}
	reply.SetFields(h, r.header())
	reply.Send(w, head, status, r.text, b)
}

// Content types that are set often share their value: a slice for each response
// would be an allocation. Nothing appends to them in place, their capacity is 1.
var (
	textType = []string{"text/plain; charset=utf-8"}
	htmlType = []string{"text/html; charset=utf-8"}
	jsonType = []string{"application/json"}
)
