// Package rows holds what is measured: each file has rows of one subject, and each row a
// group of contestants that do the same work. A contestant is written as its own
// documentation says, and contains panics as that says, too, other than raw httprouter,
// which is what flow is built on and compared to.
package rows

import (
	"strings"

	"example.com/flow/bench/measure"
)

// A Row is one piece of work.
type Row struct {
	Name  string // "github/all"
	Title string // what is done, for readers of the report
	Build func() measure.Group
}

// All returns all rows, in the order of the report.
func All() []Row {
	var all []Row
	for _, subject := range [][]Row{githubRows, overlapRows, missRows, largeRows, handlerRows, chainRows, loggingRows, jsonRows, pageRows, fileRows, serveRows} {
		all = append(all, subject...)
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
