package project

import (
	"os"
	"path/filepath"
	"strings"
)

// A GoFile is a Go file with its text.
type GoFile struct {
	Name string // absolute if that of the directory is
	Text []byte
}

// IsTest reports whether the file is one of tests.
func (f GoFile) IsTest() bool { return strings.HasSuffix(f.Name, "_test.go") }

// GoFiles reads the Go files of a directory, in the order of their names. It leaves out those that the
// go tool ignores for their names: .#app.go is a link of an editor, which leads nowhere.
func GoFiles(dir string) (files []GoFile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() || !strings.HasSuffix(name, ".go") || name[0] == '.' || name[0] == '_' {
			continue
		}
		f := GoFile{Name: filepath.Join(dir, e.Name())}
		if f.Text, err = os.ReadFile(f.Name); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
