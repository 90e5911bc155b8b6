package scaffold

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/mod/module"
)

// The template is an application that is called newapp, in parts: what all have (common), what
// those with pages have (html), the sample with (pages) and without pages (api) and what the
// two share (sample), a site of documentation (docs), accounts, and what an application with
// nothing but accounts has besides (members); flow add writes accounts without that. The end of
// the README, which says how the application leaves this machine, is in machines/: it depends on
// where flow is from. docs.mod and docs.sum hold the modules of others that such a site needs, as
// its go.mod and its go.sum have them, and so do accounts.mod and accounts.sum. The lines of
// go.sum that flow needs are not in them: they come with it.
//
//go:embed all:_template
var template embed.FS

const (
	templateModule = "example.com/newapp"
	templateName   = "newapp"
)

// eachOf calls a function for each file of a part of the template, with its path below that
// part.
func eachOf(part string, do func(below string, text []byte) error) error {
	root := "_template/" + part
	return fs.WalkDir(template, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := template.ReadFile(name)
		if err != nil {
			return err
		}
		return do(strings.TrimPrefix(name, root+"/"), text)
	})
}

// embedded returns the text of a file of the template, of which the name is known to be there.
func embedded(name string) []byte {
	text, err := template.ReadFile("_template/" + name)
	if err != nil {
		panic(err)
	}
	return text
}

// fieldText returns the partial that shows a field of a form.
func fieldText() []byte { return embedded("html/app/router/" + fieldName + pageExt) }

// named returns a text of the template with the names of an application.
func named(text, module string) string {
	return strings.NewReplacer(templateModule, module, templateName, nameOf(module)).Replace(text)
}

// nameOf returns what the application of a module is called: the last element of its path, as
// the go tool calls the binary.
func nameOf(modulePath string) string {
	prefix, _, ok := module.SplitPathVersion(modulePath)
	if !ok {
		prefix = modulePath
	}
	return path.Base(prefix)
}
