package hostile_test

import (
	"strings"
	"testing/fstest"
)

// treeOf returns a tree of files, "name" or "name: text".
func treeOf(files ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, file := range files {
		name, text, _ := strings.Cut(file, ": ")
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}
