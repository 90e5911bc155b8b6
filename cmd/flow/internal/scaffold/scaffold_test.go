package scaffold

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/flow/cmd/flow/internal/cli"
)

// lay writes files into a directory of its own, and makes it the working directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	return root
}

// contents reads all files below a directory, and notes directories with a slash.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		below, _ := filepath.Rel(root, name)
		below = filepath.ToSlash(below)
		if d.IsDir() {
			all[below+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(name)
		all[below] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// changes returns the names of the files that differ.
func changes(before, after map[string]string) (names []string) {
	for name, text := range after {
		if old, ok := before[name]; (!ok || old != text) && !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, "without "+name)
		}
	}
	slices.Sort(names)
	return names
}

// run runs a command as the tool does.
func run(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	p := cli.Process{Dir: dir, Getenv: func(string) string { return "" }, Stdout: &out, Stderr: &errs}
	code = cli.Run(context.Background(), p, []cli.Command{New, Add}, args)
	return code, out.String(), errs.String()
}
