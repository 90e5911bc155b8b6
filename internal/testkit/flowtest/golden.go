package flowtest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Golden is a file of texts that a test wants, one for each of its cases, so that a
// changed word changes this file alone. "go test -update" writes it.
type Golden struct {
	file string
	want Archive
	seen []ArchiveFile
}

// OpenGolden reads testdata/file, an Archive. When the test ends, it fails if the file
// has a text that no case asked for.
func OpenGolden(t *testing.T, file string) *Golden {
	t.Helper()
	g := &Golden{file: filepath.Join("testdata", filepath.FromSlash(file))}
	text, err := os.ReadFile(g.file)
	if err != nil && !(Update() && errors.Is(err, fs.ErrNotExist)) {
		t.Fatal(err)
	}
	g.want = ParseArchive(string(text))
	t.Cleanup(func() { g.close(t) })
	return g
}

// Equal fails t if text is not that of the case, but for a newline at the end.
func (g *Golden) Equal(t *testing.T, name, text string) {
	t.Helper()
	if text != "" {
		text += "\n"
	}
	if slices.ContainsFunc(g.seen, func(f ArchiveFile) bool { return f.Name == name }) {
		t.Fatalf("%s: two cases are called %q", g.file, name)
	}
	g.seen = append(g.seen, ArchiveFile{name, text})
	if Update() {
		return
	}
	i := slices.IndexFunc(g.want.Files, func(f ArchiveFile) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("%s: no text for %q: run go test -update. It is now\n%s", g.file, name, text)
	}
	if want := g.want.Files[i].Text; text != want {
		t.Errorf("%s, %q: got\n%swant\n%s", g.file, name, text, want)
	}
}

// close looks for texts that nobody asked for, and writes the file with -update. It does
// nothing if the flag -run leaves cases out.
func (g *Golden) close(t *testing.T) {
	if t.Failed() || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return
	}
	if !Update() {
		for _, f := range g.want.Files {
			if !slices.ContainsFunc(g.seen, func(s ArchiveFile) bool { return s.Name == f.Name }) {
				t.Errorf("%s: no case is called %q: run go test -update", g.file, f.Name)
			}
		}
		return
	}
	g.want.Files = g.seen
	err := os.MkdirAll(filepath.Dir(g.file), 0o755)
	if err == nil {
		err = os.WriteFile(g.file, []byte(g.want.String()), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
