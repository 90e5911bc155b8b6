// Package rows holds what is measured: each file has rows of one subject, and each row a
// group of contestants that do the same work. A contestant is written as its own
// documentation says, and contains panics as that says, too, other than raw httprouter,
// which is what flow is built on and compared to.
package rows

import (
	"slices"
	"strings"

	"example.com/flow/bench/measure"
)

// A Row is one piece of work.
type Row struct {
	Name  string // "github/all"
	Title string // what is done, for readers of the report
	Build func() measure.Group
}

// A Subject is what some rows have in common.
type Subject struct {
	Title string
	Note  string // what readers of its figures have to know, in whole sentences
	Rows  []Row
}

// Subjects are all that is measured, in the order of the report.
var Subjects = []Subject{
	{"Routing: GitHub's API", "203 routes, and a handler that answers with a short text. flow contains panics by itself; gin has Recovery, chi Recoverer and echo Recover, and ServeMux stands behind a deferred recover. Raw httprouter does not contain panics and allocates nothing for its header: it is as cheap as can be. The requests have no header fields, which no router looks at; flow looks for two of them before it answers, and handler/browser has them.", githubRows},
	{"Patterns that overlap", "httprouter refuses them. gin refuses two of them, and answers the last with 404, since it does not go back. flow with the one file that answers, alone, is what the others are compared to.", overlapRows},
	{"Parameters with matchers", "What a matcher costs beside the same route without.", matcherRows},
	{"What nothing answers", "GitHub's routes again. flow chooses between HTML, problem+json and text by what the client accepts; the others send a constant text or nothing.", missRows},
	{"Large applications", "Routes with one parameter each. Start-up of flow is New over a tree of files in memory, registration and Check; its files are not counted in the heap, and neither are the patterns of the others.", largeRows},
	{"Handlers", "One route.", handlerRows},
	{"Middleware", "Each passes the request on. The number is how many there are.", chainRows},
	{"Logger and RequestID", "Written by hand, they are closures around ServeMux with log/slog and crypto/rand, and tell the same.", loggingRows},
	{"JSON", "flow.Request.Bind with a method Validate, gin.Context.ShouldBindJSON and echo's Bind and Validate with tags of their validator, encoding/json with two conditions.", jsonRows},
	{"Pages", "html/template by hand renders into a buffer that is kept, as flow does, so that a page that fails is a whole error. The code that templ and quicktemplate generate, in `generated/`, has no such buffer, and quicktemplate escapes all places as text of HTML. flow without plans is flow with FLOW_PLANS=off, which has html/template render.", pageRows},
	{"Sites of contents", "Pages in a format, such as Markdown, which flow renders once. flow without plans makes each page with its layouts from the ground up, as it makes pages with actions.", contentRows},
	{"Public files", "20 KB in memory. flow packs a file once, chi's Compress each answer. The 304 of flow is by ETag; the others compare a date, which files of go:embed do not have.", fileRows},
	{"Serve", "The same handler in two processes that share one processor, asked over eight connections. flow.Serve has limits for progress that http.Server does not know.", serveRows},
}

// counted are rows whose instructions are counted, and whose time is not reported.
var counted = []Row{
	{"serve/kept", "a request over a connection that is kept, with its client in the same process", kept},
	{"form/bound", "POST of a form: four fields of three types, by a struct and by a flow.Form", formBound},
}

// All returns the rows of all subjects, and those that are only counted.
func All() []Row {
	all := slices.Clone(counted)
	for _, subject := range Subjects {
		all = append(all, subject.Rows...)
	}
	return all
}

// Named returns the row of that name. It panics if there is none, which is a mistake in
// the program.
func Named(name string) Row {
	for _, row := range All() {
		if row.Name == name {
			return row
		}
	}
	panic("rows: no row is called " + name)
}

// The names of contestants, and of modules in a list of versions.
const (
	flowName       = "flow"
	httprouterName = "httprouter"
	muxName        = "ServeMux"
	chiName        = "chi"
	ginName        = "gin"
	echoName       = "echo"
)

// get returns calls with GET of some paths, which are answered with a text.
func get(text string, paths ...string) []measure.Call {
	var calls []measure.Call
	for _, path := range paths {
		calls = append(calls, measure.Call{Method: "GET", Path: path, Want: answers(text)})
	}
	return calls
}

// answers returns the answer of a handler that sends plain text.
func answers(text string) measure.Answer {
	return measure.Answer{Status: 200, Body: text, Header: map[string]string{"Content-Type": ""}}
}

// segments changes each segment of one of httprouter's patterns.
func segments(pattern string, change func(kind byte, name string) string) string {
	names := strings.Split(pattern[1:], "/")
	for i, name := range names {
		if strings.HasPrefix(name, ":") || strings.HasPrefix(name, "*") {
			names[i] = change(name[0], name[1:])
		}
	}
	return "/" + strings.Join(names, "/")
}
