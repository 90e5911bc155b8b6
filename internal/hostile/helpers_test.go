package hostile_test

import (
	"fmt"
	"strings"
	"testing/fstest"
)

const (
	formType   = "application/x-www-form-urlencoded"
	jsonMedia  = "application/json"
	multiMedia = "multipart/form-data; boundary=b"
)

// parts returns a multipart body of fields, "key=value", and files, "key@text".
func parts(items ...string) string {
	var b strings.Builder
	for _, item := range items {
		i := strings.IndexAny(item, "=@")
		name := ""
		if item[i] == '@' {
			name = `; filename="f.txt"`
		}
		fmt.Fprintf(&b, "--b\r\nContent-Disposition: form-data; name=%q%s\r\n\r\n%s\r\n", item[:i], name, item[i+1:])
	}
	return b.String() + "--b--\r\n"
}

// stylesheet returns a text of n lines that compresses well, but not too well.
func stylesheet(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ".c%d { margin: %dpx }\n", i, i*7919%1000)
	}
	return b.String()
}

// treeOf returns a tree of files, "name" or "name: text".
func treeOf(files ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, file := range files {
		name, text, _ := strings.Cut(file, ": ")
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}
