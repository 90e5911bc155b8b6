package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// formatsOf returns the formats of the application app of a module shop, whose Go files are
// given by name and text.
func formatsOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"app/router", "other/router"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	extensions, sure := App{Module{root, "example.org/shop"}, filepath.Join(root, "app")}.Formats()
	if !sure {
		extensions = append(extensions, "and others")
	}
	return strings.Join(extensions, " ")
}

func TestFormats(t *testing.T) {
	for _, tt := range []struct{ code, declarations, want string }{
		{`Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)}`, "", ".md"},
		{`Router.Formats = map[string]flow.Format{".txt": text, ".md": flow.FormatOf[front](markdown)}`, "", ".md .txt"},
		{`Router.Formats[".md"] = markdown`, "", ".md"},
		{`Router.Formats = map[string]flow.Format{ext: markdown, "." + "adoc": asciidoc}`, `const ext = dot + "md"; const dot = "."`, ".adoc .md"},
		{`Router.Formats = all`, `var all = map[string]flow.Format{".md": markdown}`, ".md"},
		{`Router.Formats = all()`, `func all() map[string]flow.Format { return map[string]flow.Format{".md": markdown} }`, ".md"},
		{`all := map[string]flow.Format{".md": markdown}; Router.Formats = all`, "", ".md"},
		{`all := make(map[string]flow.Format); all[".md"] = flow.FormatOf(markdown); Router.Formats = all`, "", ".md"},
		{`Router.Formats = formats{".md": markdown}`, `type formats map[string]flow.Format`, ".md"},
		{"", `func New() *flow.Router { r := flow.New(files); r.Formats = map[string]flow.Format{".md": markdown}; return r }`, ".md"},
		{"", `var Router = &flow.Router{Formats: map[string]flow.Format{".md": markdown}}`, ".md"},
		{`maps.Copy(Router.Formats, map[string]flow.Format{".md": markdown})`, "", ".md"},

		{"", "", ""},
		{`c.Formats = []string{".png"}`, "", ""},
		{`c.Formats = map[string]decoder{".png": decode}`, "", ""},
		{`print(c.Formats)`, "", ""},
		{`Router.Formats = map[string]flow.Format{"md": markdown, ".tar.gz": archive, ".html": html, ".md": markdown}`, "", ".md"}, // Check says what is wrong

		{`Router.Formats = all`, "", ".md and others"},
		{`Router.Formats = markdown.All`, "", ".md and others"},
		{`Router.Formats = markdown.All()`, "", ".md and others"},
		{`Router.Formats = map[string]flow.Format{}; maps.Copy(Router.Formats, markdown.All)`, "", ".md and others"},
		{`Router.Formats = map[string]flow.Format{".txt": text}; maps.Copy(Router.Formats, markdown.All)`, "", ".md .txt and others"},
		{`Router.Formats, err = all()`, "", ".md and others"},
		{`Router.Formats = map[string]flow.Format{name(): text}`, "", ".md and others"},
		{`Router.Formats = map[string]flow.Format{ext: text}`, `var ext = ext2; var ext2 = ext`, ".md and others"},
	} {
		t.Run(tt.code+" "+tt.declarations, func(t *testing.T) {
			is := is.New(t)
			const imports = "package app\n\nimport (\n\"maps\"\n\"example.com/flow\"\n\"example.org/markdown\"\n)\n\n"
			is.Equal(formatsOf(t, map[string]string{
				"app/app.go":   imports + "func init() {\n" + tt.code + "\n}\n",
				"app/other.go": imports + tt.declarations + "\n", // the order of the files does not matter
			}), tt.want)
			named := strings.ReplaceAll(imports, `"example.com/flow"`, `. "example.com/flow"`) + tt.declarations + "\n\nfunc init() {\n" + tt.code + "\n}\n"
			is.Equal(formatsOf(t, map[string]string{"app/app.go": strings.ReplaceAll(named, "flow.", "")}), tt.want)
		})
	}
}

// What other packages say counts if the application itself does not say it.
func TestFormatsElsewhere(t *testing.T) {
	const (
		set     = "package app\n\nimport \"example.com/flow\"\nimport \"example.org/shop/content\"\n\nfunc init() { Router.Formats = content.Formats }\n"
		unset   = "package app\n\nimport \"example.com/flow\"\n\nvar Router = flow.New(files)\n"
		content = "package content\n\nimport web \"example.com/flow\"\n\nvar Formats = map[string]web.Format{\".md\": web.FormatOf(markdown)}\n"
		main    = "package main\n\nimport \"example.com/flow\"\n\nfunc main() { app.Router.Formats = map[string]flow.Format{\".txt\": text} }\n"
		other   = "package other\n\nimport \"example.com/flow\"\n\nvar Router = flow.New(files)\n\nfunc init() { Router.Formats = map[string]flow.Format{\".rst\": rst} }\n"
	)
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"made in another package", map[string]string{"app/app.go": set, "content/content.go": content}, ".md"},
		{"set in main", map[string]string{"app/app.go": unset, "main.go": main}, ".txt"},
		{"made, and set nowhere", map[string]string{"app/app.go": unset, "content/content.go": content}, ""},
		{"of another application", map[string]string{"app/app.go": unset, "other/other.go": other}, ""},
		{"its own, and those of another application", map[string]string{"app/app.go": set, "content/content.go": content, "other/other.go": other}, ".md"},
		{"in a test", map[string]string{"app/app.go": unset, "app/app_test.go": strings.Replace(set, "package app", "package app_test", 1), "main_test.go": main}, ""},
		{"in a file that does not parse", map[string]string{"app/app.go": set + "\nfunc {", "content/content.go": content}, ".md"},
		{"in a file that the go tool ignores", map[string]string{"app/app.go": unset, "app/_old.go": set, "app/.#app.go": set}, ""},
		{"in another module", map[string]string{"app/app.go": unset, "tools/go.mod": "module example.org/tools\n", "tools/main.go": main}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(formatsOf(t, tt.files), tt.want)
		})
	}
}
