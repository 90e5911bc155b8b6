package devpage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
)

// written writes a file with a text, and returns its directory.
func written(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shown returns the marked lines of excerpts, with brackets around what is wrong.
func shown(all []devpage.Excerpt) string {
	var lines []string
	for _, e := range all {
		for _, r := range e.Rows {
			if !r.Marked {
				continue
			}
			line := ""
			for _, p := range r.Pieces {
				if p.Wrong {
					line += "[" + p.Text + "]"
				} else {
					line += p.Text
				}
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " | ")
}

// TestWord: the excerpt of a fault shows which word of the line is wrong.
func TestWord(t *testing.T) {
	long := strings.Repeat("ä ", 600)
	for _, tt := range []struct{ name, file, line, faults, want string }{
		{"the name of a field", "a.html", `<p>{{.User.Nme}}`, `1:12: {{.User.Nme}}: app.user has no field or method Nme`, `<p>{{.User.[Nme]}}`},
		{"a URL", "a.html", `<a href="/users/{{ .ID }}/edti">`, `1:10: href of <a>: nothing answers /users/{{…}}/edti`, `<a href="[/users/{{ .ID }}/edti]">`},
		{"a URL without a slash at its beginning", "a.html", `<a href='edit/me?x=1'>`, `1:10: href of <a>: no`, `<a href='[edit/me?x=1]'>`},
		{"a URL that begins with an action", "a.html", `<a href={{route "a"}}/x>`, `1:9: href of <a>: no`, `<a href=[{{route "a"}}/x]>`},
		{"a string", "a.go", `	f("a b", 1)`, `1:4: cannot use "a b"`, `	f(["a b"], 1)`},
		{"a name of Go", "a.go", `	x := fünf(1)`, `1:7: undefined: fünf`, `	x := [fünf](1)`},
		{"a character", "a.go", `	x = = 1`, `1:6: unexpected =`, `	x = [=] 1`},
		{"a blank", "a.go", `	x = 1`, `1:3: no`, `	x = 1`},
		{"behind the end", "a.go", `x`, `1:2: no`, `x`},
		{"an expression of a template, at its middle", "a.html", `<p>{{.User.Name}} {{.User.Name}}`, `1:10: executing "a.html" at <.User.Name>: nil`, `<p>{{[.User.Name]}} {{.User.Name}}`},
		{"an expression of a template, the second one", "a.html", `{{.A}}{{.A}}`, `1:8: executing "a.html" at <.A>: nil`, `{{.A}}{{[.A]}}`},
		{"an expression that text/template cuts", "a.html", `<p>{{.User.Address.Street.Nme}}`, `1:10: executing "a.html" at <.User.Address.Street...>: nil`, `<p>{{[.User.Address.Street.Nme]}}`},
		{"a call that text/template cuts", "a.html", `{{index .Users 12 .Name.First}}!`, `1:2: executing "a.html" at <index .Users 12 .Nam...>: no`, `{{[index .Users 12 .Name.First]}}!`},
		{"behind a byte order mark", "a.html", "\ufeff<p>{{.A}}", `1:5: executing "a.html" at <.A>: nil`, `<p>{{[.A]}}`},
		{"an expression that the line has not", "a.html", `{{index . 1}}`, `1:2: executing "a.html" at <.B>: nil`, `{{[index] . 1}}`},
		{"an expression, without a column", "a.html", `<p>{{index . 1}}`, `1: executing "a.html" at <index . 1>: no`, `<p>{{[index . 1]}}`},
		{"what the text quotes", "a.html", `<a href="{{route "user.show"}}">`, `1: no route is called "user.show": did you mean "users.show"?`, `<a href="{{route ["user.show"]}}">`},
		{"the same in backquotes", "a.html", "{{route `x`}}", `1: no route is called "x"`, "{{route [`x`]}}"},
		{"a function", "a.html", `{{nothing}}`, `1: function "nothing" not defined`, `{{[nothing]}}`},
		{"an action", "a.html", `<b>{{end}}</b>`, `1: unexpected {{end}}`, `<b>[{{end}}]</b>`},
		{"twice on the line", "a.html", `{{end}} {{end}}`, `1: unexpected {{end}}`, `{{end}} {{end}}`},
		{"a call", "a.go", `	flow.POST()`, `1: POST() of router/a.html is never finished`, `	flow.[POST]()`},
		{"nothing of it", "a.html", `{{if}}`, `1: missing value for if`, `{{if}}`},
		{"two of one line", "a.html", `{{.A}} {{.B}}`, "1:11: no B\n1:4: no A", `{{.[A]}} {{.[B]}}`},
		{"a word in a word", "a.html", `{{.A.B}}`, "1:2: executing \"a.html\" at <.A.B>: no\n1:6: no B", `{{[.A.B]}}`},
		{"far behind", "a.html", long + `{{.Nme}}` + long, fmt.Sprintf("1:%d: no Nme", len(long)+4), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := written(t, tt.file, tt.line+"\n")
			text := tt.file + ":" + strings.ReplaceAll(tt.faults, "\n", "\n"+tt.file+":")
			excerpts := devpage.Excerpts(devpage.Parse(text, dir))
			if line := shown(excerpts); tt.want == "" { // it is cut off at both ends, and the word stays
				is.True(strings.HasPrefix(line, "… "))
				is.True(strings.Contains(line, "ä {{.[Nme]}}ä ä"))
				is.True(strings.HasSuffix(line, " …"))
				is.True(len(line) < 450)
				return
			}
			is.Equal(shown(excerpts), tt.want)
			is.Equal(len(excerpts), 1) // faults of one line share it
		})
	}
}

func TestExcerpts(t *testing.T) {
	is := is.New(t)
	dir := files(t, "a.html", "b.html")
	faults := devpage.Parse("a.html:3: one\na.html:4: two\nb.html:3: three\nno place\na.html:3:1: four\nno place", dir)
	var got []string
	for _, e := range devpage.Excerpts(faults) {
		text := fmt.Sprint(len(e.Rows))
		for _, f := range e.Faults {
			is.Equal(len(f.Source), 0) // it is that of the excerpt
			text += " " + f.Text
		}
		got = append(got, text)
	}
	is.Equal(strings.Join(got, ", "), "7 one four\nno place, 8 two, 7 three\nno place")
	is.True(len(faults[0].Source) > 0) // these stay
	is.Equal(len(devpage.Excerpts(nil)), 0)
}

func TestHeadline(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a.html:1: no route is called \"x\"", `no route is called "x"`},
		{"a.go:1:2: cannot use x\n\thave int", "cannot use x"},
		{`a.html:1:2: executing "a.html" at <index . 1>: error calling index: out of range`, "error calling index: out of range"},
		{"a.html:1: x\na.html:2: y", "2 faults in a.html"},
		{"a.html:1: x\nb.html:2: y\nb.html:3: z", "3 faults in 2 files"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is.New(t).Equal(devpage.Headline(devpage.Parse(tt.text)), tt.want)
		})
	}
	is := is.New(t)
	is.Equal(devpage.Headline(nil), "")
	is.Equal(devpage.Headline([]devpage.Fault{{Text: "x"}, {Text: "y"}}), "2 faults")
}

// TestEditor: places are links that open an editor, the usual one or that of FLOW_EDITOR.
func TestEditor(t *testing.T) {
	dir := written(t, "a [b].html", "<p>ä {{.Nme}}\n")
	name := filepath.ToSlash(filepath.Join(dir, "a [b].html"))
	if filepath.VolumeName(dir) != "" {
		name = "/" + name
	}
	path := strings.NewReplacer(" ", "%20", "[", "%5B", "]", "%5D").Replace(name)
	for _, tt := range []struct{ variable, fault, want string }{
		{"", "a [b].html:1:10: no Nme", "vscode://file" + path + ":1:9"}, // an editor counts characters, and not bytes
		{"", "a [b].html:1: no", "vscode://file" + path + ":1:1"},
		{"", "a [b].html: no", "vscode://file" + path + ":1:1"},
		{"", "a [b].html:9: gone", "vscode://file" + path + ":9:1"},
		{"zed://file{file}:{line}", "a [b].html:1:10: no", "zed://file" + strings.TrimPrefix(path, name[:len(name)-len(filepath.ToSlash(filepath.Join(dir, "a [b].html")))]) + ":1"},
		{"idea://open?file={file}&line={line}", "a [b].html:1:10: no", "idea://open?file=" + path[len(name)-len(filepath.ToSlash(filepath.Join(dir, "a [b].html"))):] + "&line=1"},
		{"off", "a [b].html:1:10: no", ""},
		{"", "none.html:1:10: no", ""},
		{"", "no place", ""},
	} {
		t.Run(tt.variable+" "+tt.fault, func(t *testing.T) {
			is := is.New(t)
			t.Setenv("FLOW_EDITOR", tt.variable)
			is.NoErr(devpage.CheckEditor())
			is.Equal(string(devpage.Parse(tt.fault, dir)[0].Editor), tt.want)
		})
	}
	is := is.New(t)
	t.Setenv("FLOW_EDITOR", "code")
	is.True(strings.HasPrefix(devpage.CheckEditor().Error(), `FLOW_EDITOR is "code": write a URL with {file}`))
	t.Setenv("FLOW_EDITOR", "")
	is.Equal(devpage.SpotOf("a [b].html:7", dir).Place, "a [b].html:7")
	is.Equal(devpage.SpotOf("x.go:7", files(t, "x.go")).Editor[:14], devpage.SpotOf("x.go:8", files(t, "x.go")).Editor[:14])
	is.Equal(devpage.SpotOf("", dir), devpage.Spot{})
	is.Equal(devpage.SpotOf("none.go:7", dir), devpage.Spot{Place: "none.go:7"})
}
