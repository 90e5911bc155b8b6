package devpage_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
)

// files writes files of twenty lines, "line 1" and so on, and returns their directory.
func files(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for n := range 20 {
		fmt.Fprintln(&text, "line", n+1)
	}
	for _, name := range names {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shape is a fault as one line: its place, its text, and the lines that are shown.
func shape(f devpage.Fault) string {
	text := f.Place() + "|" + f.Text + "|"
	if n := len(f.Source); n > 0 {
		text += fmt.Sprint(f.Source[0].Number, "-", f.Source[n-1].Number)
	}
	for _, l := range f.Source {
		if l.Marked {
			text += fmt.Sprint(" ", l.Number)
		}
	}
	return text
}

func TestParse(t *testing.T) {
	dir := files(t, "app/router/a.html", "app/router/[id].html", "app/x.go", "app/secret.txt", "app/my dir/b.html", "app/router/docs/c.md", "app/notes.md")
	elsewhere := filepath.ToSlash(filepath.Join(files(t, "x.go"), "x.go"))
	for _, tt := range []struct{ name, text, want string }{
		{"a line", "app/router/a.html:10: unexpected {{end}}", "app/router/a.html:10|unexpected {{end}}|5-14 10"},
		{"a column", "app/router/a.html:1:7: no", "app/router/a.html:1:7|no|1-5 1"},
		{"a column of text/template, which counts from 0", `template: app/router/a.html:1:0: executing "x" at <.A>: no`, `app/router/a.html:1:1|executing "x" at <.A>: no|1-5 1`},
		{"a whole file, and another place in the text", "app/router/a.html: no, see app/x.go:3", "app/router/a.html|no, see app/x.go:3|"},
		{"the last line", "app/x.go:20: end", "app/x.go:20|end|15-20 20"},
		{"behind the end", "app/x.go:21: end", "app/x.go:21|end|"},
		{"a whole file", "app/router/a.html: no handler", "app/router/a.html|no handler|"},
		{"brackets", "app/router/[id].html:3: x", "app/router/[id].html:3|x|1-7 3"},
		{"a blank in the name", "app/my dir/b.html:3: x", "app/my dir/b.html:3|x|1-7 3"},
		{"the prefix of errors", "flow: app/x.go:2: x", "app/x.go:2|x|1-6 2"},
		{"the prefix of templates", "flow: template: app/router/a.html:2:7: x", "app/router/a.html:2:7|x|1-6 2"},
		{"several", "app/x.go:2: x\napp/router/a.html:3: y\n", "app/x.go:2|x|1-6 2; app/router/a.html:3|y|1-7 3"},
		{"what go build prints", "# example.com/x/app\n./app/x.go:3:5: cannot use f (variable of type\n\tint) as string\napp/x.go:9: b\n",
			"app/x.go:3:5|cannot use f (variable of type\n\tint) as string|1-7 3; app/x.go:9|b|4-13 9"},
		{"no place", "dial tcp 127.0.0.1:80: refused", "|dial tcp 127.0.0.1:80: refused|"},
		{"a place within", "flow: a.html cannot be rendered: app/x.go:4: x", "app/x.go:4|a.html cannot be rendered: app/x.go:4: x|1-8 4"},
		{"from the directory itself", "other/app/x.go:4: x", "other/app/x.go:4|x|1-8 4"},
		{"a page in a format", "app/router/docs/c.md:3:2: x", "app/router/docs/c.md:3:2|x|1-7 3"},
		{"a page in a format, within", "see app/router/docs/c.md:3", "app/router/docs/c.md:3|see app/router/docs/c.md:3|1-7 3"},
		{"another file in a format", "app/notes.md:3: x", "|app/notes.md:3: x|"},
		{"out of router/", "app/router/../secret.txt:3: x", "app/router/../secret.txt:3|x|"},
		{"no source file", "app/secret.txt:4: x", "|app/secret.txt:4: x|"},
		{"out of the directory", "../app/x.go:4: x", "../app/x.go:4|x|"},
		{"not there", "app/none.go:4: x", "app/none.go:4|x|"},
		{"an endless number", "app/x.go:99999999999999999999: x", "app/x.go:" + strconv.Itoa(math.MaxInt) + "|x|"},
		{"an absolute path", dir + "/app/x.go:4: x", dir + "/app/x.go:4|x|1-8 4"},
		{"an absolute path elsewhere", elsewhere + ":4: x", elsewhere + ":4|x|"},
		{"out of it on the way", dir + "/app/../../" + filepath.Base(filepath.Dir(elsewhere)) + "/x.go:4: x", dir + "/app/../../" + filepath.Base(filepath.Dir(elsewhere)) + "/x.go:4|x|"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var got []string
			for _, f := range devpage.Parse(tt.text, dir) {
				got = append(got, shape(f))

				// As JSON it is the same again.
				b, err := json.Marshal(f)
				is.NoErr(err)
				var back devpage.Fault
				is.NoErr(json.Unmarshal(b, &back))
				is.Equal(back, f)
			}
			is.Equal(strings.Join(got, "; "), tt.want)
		})
	}
}

func TestStringIsWhatParseReads(t *testing.T) {
	for _, text := range []string{"a.html:1: x", "a.html:1:2: x", "a.html: x", "x"} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			is.Equal(devpage.Parse(text)[0].String(), text)
		})
	}
}

func TestSourceLinesAreCut(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(dir, "a.html"), []byte(strings.Repeat("ä", 1000)+"\r\n\xff\n"), 0o666))
	source := devpage.Parse("a.html:1: x", dir)[0].Source
	is.Equal(source[0].Text, strings.Repeat("ä", 200)+" …")
	is.Equal(source[1].Text, "\uFFFD")
	is.NoErr(os.Mkdir(filepath.Join(dir, "b.html"), 0o777))
	is.Equal(devpage.Parse("b.html:1: x", dir)[0].Source, nil)
}

// TestTextsAreCut: what a client has sent may be in them, of any length.
func TestTextsAreCut(t *testing.T) {
	is := is.New(t)
	faults := devpage.Parse(strings.Repeat("a.go:1: x\n", 100_000))
	is.Equal(len(faults), 51)
	is.Equal(faults[49].String(), "a.go:1: x")
	is.Equal(faults[50].String(), "… and more")
	for _, text := range []string{strings.Repeat("x\n", 1_000_000), strings.Repeat("x", 1_000_000)} {
		faults = devpage.Parse(text)
		is.Equal(len(faults), 1)
		is.True(len(faults[0].Text) < 10_000)
		is.True(len(devpage.FaultOf(text, nil).Text) < 10_000)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("app/a.html:4: x\n\ty\nflow: b.go:1:2: z")
	f.Add("# x\nC:\\a\\b.go:4: x")
	f.Fuzz(func(t *testing.T, text string) {
		faults := devpage.Parse(text)
		if strings.Trim(text, "\n") != "" && !strings.Contains(text, "# ") && len(faults) == 0 {
			t.Errorf("%q: nothing is left of it", text)
		}
	})
}
