// Package httpfile reads route files with the extension .http: prose, example requests, and
// what the examples expect of the answers. Editors send such requests; flow checks them
// against the routes, and runs them as tests.
//
//	### Sign in
//	# Any password will do in the sample.
//	# @name login
//	POST http://localhost:8080/api/login
//	Content-Type: application/json
//
//	{"name": "ada"}
//
//	# ?? status == 200
//	# ?? body token isString
//
//	### Who is signed in
//	GET http://localhost:8080/api/me
//	Authorization: Bearer {{login.response.body.$.token}}
//
//	# ?? body name == ada
//
// [Parse] returns a [File] with its Requests, and all faults. It takes what each of the known
// clients reads alike, and refuses what one of them reads in another way. [Request.Message]
// is a request with the values of its references, and [Expectation.Judge] compares an answer
// with what a request expects. The package sends nothing, and knows no routes.
//
// The subjects and conditions of expectations are those of httpyac, and mean exactly what they
// mean there, so that a file has the same result in a test and in that client.
package httpfile

import (
	"strconv"
	"strings"
)

// A File is a parsed route file.
type File struct {
	Name      string     // for messages
	Title     string     // of the first part without a request that has one
	Prose     string     // of the parts without a request
	Variables []Variable // of the first part, if that has no request
	Requests  []*Request
}

// A Request is one request of a file.
type Request struct {
	Line       int // of the request line
	Title      string
	Prose      string
	Name       string // of # @name: other requests of the file may refer to its answer
	NoRedirect bool   // # @no-redirect: clients are not to follow the Location of the answer
	Disabled   bool   // # @disabled: clients are not to send it
	Variables  []Variable
	Method     string // "" for a request line that Parse has reported
	Host       string // of a literal host: "localhost:8080"; "" for a variable or none
	Target     Text   // path and query; or a reference to a field of a header, if Absolute
	Absolute   bool   // Target is a reference to Location, a URL or path as a whole
	Header     []Field
	Body       []BodyLine
	Expects    []Expectation
}

// A Variable is a line "@name = value".
type Variable struct {
	Name  string
	Value Text
}

// A Field is a line of the header of a request.
type Field struct {
	Name  string
	Value Text
}

// A BodyLine is a line of a body: text, or the name of a file whose content stands there.
type BodyLine struct {
	Text Text
	File string // relative to the directory of the route file; "" for text
}

// Status returns the status that the answer is expected to have, or 0 if no line says that.
func (r *Request) Status() int {
	for _, e := range r.Expects {
		if code, err := strconv.Atoi(e.text.String()); err == nil && e.subject == "status" && e.condition == "==" {
			return code
		}
	}
	return 0
}

// Path returns the path of the request without its query, escaped, with hole in place of each
// reference. ok is false if the request goes to wherever an earlier answer says.
func (r *Request) Path(hole string) (path string, ok bool) {
	var b strings.Builder
	for _, p := range r.Target.pieces {
		if p.ref != nil {
			b.WriteString(hole)
			continue
		}
		before, _, query := strings.Cut(p.text, "?")
		b.WriteString(before)
		if query {
			break
		}
	}
	return b.String(), !r.Absolute
}

// String returns the request line without a host: "GET /users/{{id}}".
func (r *Request) String() string { return r.Method + " " + r.Target.String() }
