// Package flowtest is what the tests of several packages share: one way to write a tree
// of files down, one to make requests that have a body, a text to put into files, and
// what a function panics with.
package flowtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing/fstest"
)

// Files returns empty files of these names.
func Files(names ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, name := range names {
		m[name] = &fstest.MapFile{}
	}
	return m
}

// Row returns the empty files that a row of a table names, with " & " between them.
// Those that do not say public/ are below router/.
func Row(row string) fstest.MapFS {
	names := strings.Split(row, " & ")
	for i, name := range names {
		if !strings.HasPrefix(name, "public/") {
			names[i] = "router/" + name
		}
	}
	return Files(names...)
}

// Pages returns templates and other files below router/, by name.
func Pages(texts map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range texts {
		m["router/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// Stylesheet returns n rules, about 20 bytes each, that gzip makes much smaller.
func Stylesheet(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, ".c%d { margin: %dpx }\n", i, i*7919%1000)
	}
	return b.Bytes()
}
