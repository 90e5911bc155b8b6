package apptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// PagesOf returns a tree of templates that are written "file: text", one per line.
func PagesOf(lines string) map[string]string {
	texts := map[string]string{}
	for line := range strings.SplitSeq(lines, "\n") {
		file, text, _ := strings.Cut(strings.TrimLeft(line, "\t"), ": ")
		texts[file] = text
	}
	return texts
}

// OnDisk writes files into a directory of its own.
func OnDisk(t testing.TB, files fstest.MapFS) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Write puts text into a file of the directory.
func Write(t testing.TB, dir, file, text string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
