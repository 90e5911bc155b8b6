package flow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

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
func StatusOf(err error) int { return problemOf(err).status }

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

// described are the headers that say what an answer is, and how long it may be kept.
// An error does not take them over from the answer that never came.
var described = [...]string{
	"Accept-Ranges", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Location", "Content-Range", "Content-Type",
	"Age", "Cache-Control", "Cdn-Cache-Control", "Etag", "Expires", "Last-Modified", "Surrogate-Control", "X-Accel-Expires",
}

// A description is what those headers were at some time.
type description [len(described)][]string

func descriptionOf(h http.Header) (d description) {
	for key, values := range h { // which are few
		if i := slices.Index(described[:], key); i >= 0 {
			d[i] = values
		}
	}
	return d
}

// restore makes the headers what they were.
func (d *description) restore(h http.Header) {
	for i, key := range described {
		putHeader(h, key, d[i])
	}
}

func putHeader(h http.Header, key string, values []string) {
	if values == nil {
		delete(h, key)
	} else {
		h[key] = values
	}
}

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
		if slices.Contains(described[:], key) {
			r.promises = &promise{key, before, h[key], r.promises}
		}
	}
}

// withdraw takes back what guards have promised, for an error.
func (r *Request) withdraw(h http.Header) {
	for p := r.promises; p != nil; p = p.earlier {
		if slices.Equal(h[p.key], p.set) {
			putHeader(h, p.key, p.before)
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

// A problem is the answer to a request that failed, before it is decided how
// the client wants to read it.
type problem struct {
	status int
	detail string
	fields Invalid
}

// problemOf returns what the client may know of an error.
func problemOf(err error) problem {
	var panicked *panicError
	if errors.As(err, &panicked) {
		return problem{status: http.StatusInternalServerError}
	}
	var status *statusError
	if errors.As(err, &status) {
		if status.status < 400 || status.status > 599 {
			return problem{status: http.StatusInternalServerError}
		}
		return problem{status: status.status, detail: status.message}
	}
	var invalid Invalid
	if errors.As(err, &invalid) {
		return problem{status: http.StatusUnprocessableEntity, detail: "some fields are not valid", fields: invalid}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem{status: http.StatusRequestEntityTooLarge, detail: input.TooLarge}
	}
	return problem{status: http.StatusInternalServerError}
}

func (p problem) title() string {
	return cmp.Or(http.StatusText(p.status), "Error "+strconv.Itoa(p.status))
}

// response renders the problem as one of the three media types: the built-in HTML
// page, problem+json (RFC 9457), or text.
func (p problem) response(mediaType string) Response {
	switch mediaType {
	case "text/html":
		var b strings.Builder
		if err := problemPage.Execute(&b, map[string]any{"Status": p.status, "Title": p.title(), "Detail": p.detail, "Fields": p.fields}); err != nil {
			return Text(p.title()).Status(p.status) // does not happen: the template is fixed
		}
		return p.answer(HTML(template.HTML(b.String())))
	case "text/plain":
		text := p.title()
		if p.detail != "" {
			text += ": " + p.detail
		}
		for _, field := range slices.Sorted(maps.Keys(p.fields)) {
			text += "\n" + field + ": " + p.fields[field]
		}
		return p.answer(Text(text + "\n"))
	default:
		b, err := json.Marshal(problemJSON{"about:blank", p.title(), p.status, p.detail, p.fields})
		if err != nil {
			return Text(p.title()).Status(p.status) // does not happen: strings and numbers only
		}
		return p.answer(Bytes("application/problem+json", b))
	}
}

// answer gives a response the status of the problem, and says what it depends on.
func (p problem) answer(resp Response) Response {
	return resp.Status(p.status).with(headerField{"Vary", "Accept", true}).toError()
}

type problemJSON struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail,omitempty"`
	Errors Invalid `json:"errors,omitempty"`
}

var problemPage = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Status}} {{.Title}}</title>
</head>
<body>
<h1>{{.Status}} {{.Title}}</h1>
{{with .Detail}}<p>{{.}}</p>
{{end}}{{with .Fields}}<dl>
{{range $field, $message := .}}<dt>{{$field}}</dt><dd>{{$message}}</dd>
{{end}}</dl>
{{end}}</body>
</html>
`))
