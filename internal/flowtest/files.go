// Package flowtest is what the tests of several packages share: one way to write a tree
// of files down, and one to make requests that have a body.
package flowtest

import (
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
