package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/shell"
)

// The names of +files that flow knows. Any other is a partial.
const (
	layoutName = "+layout"
	errorName  = "+error"
)

// isPlus reports whether a path is that of a +file: a template of its directory, which has
// no URL.
func isPlus(p string) bool { return path.Base(p)[0] == '+' }

// planPlus plans a layout, an error page or a partial.
func (a *addition) planPlus(app project.App, t *routetree.Tree, pkg *goPackage, p, ext string) (*plan, error) {
	inTree := routetree.RouterDir + "/" + p + pageExt
	base := path.Base(p)
	switch {
	case a.methods != "" || a.name != "" || a.endpoint || ext != "" && ext != pageExt:
		return nil, command.Usagef("add: %s is a template of its directory, without a URL: it has no methods, no name, and the extension %s", base, pageExt)
	case strings.EqualFold(base, "+page"):
		return nil, command.Usagef("add: a page has no + in front: write flow add %s", shell.Quote(path.Join(path.Dir(p), "index")))
	case base != strings.ToLower(base) && (strings.EqualFold(base, layoutName) || strings.EqualFold(base, errorName)):
		return nil, command.Usagef("add: write %s, in small letters", strings.ToLower(base))
	}
	if _, err := os.Lstat(filepath.Join(app.Dir, filepath.FromSlash(inTree))); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is there already", app.Shown(inTree))
	}
	if _, err := treeWith(t, pkg, inTree); err != nil {
		return nil, err
	}
	around := layouts(t, p)
	made := &plan{app: app}
	switch base {
	case layoutName:
		if err := checkInside(t, app, p); err != nil {
			return nil, err
		}
		made.add(inTree, layoutText(path.Base(app.Module.Path), around), "the layout of its directory and below")
	case errorName:
		made.add(inTree, errorText(around), "the error page of its directory and below")
	case fieldName:
		made.add(inTree, fieldText(), fmt.Sprintf(`a partial: {{template %q (dict "of" (.Form.Field "name") "label" "Name")}}`, p))
	default:
		made.add(inTree, []byte("<p>{{.}}</p>\n"), fmt.Sprintf("a partial: {{template %q .}}", p))
	}
	made.noteDir(t, p)
	return made, nil
}

// wholeDocument matches a template that makes a whole document, and so cannot be shown
// inside a layout.
var wholeDocument = regexp.MustCompile(`(?is)^(?:\s|<!--.*?-->|\{\{.*?\}\})*<!doctype`)

// checkInside returns an error if something that a new layout would be around is a whole
// document.
func checkInside(t *routetree.Tree, app project.App, layout string) error {
	dir := path.Dir(layout)
	if dir == "." {
		dir = ""
	}
	inside := map[string]bool{}
	for _, r := range t.Routes {
		inside[r.Path] = r.Page
	}
	var faults []fault.Fault
	for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
		if base := path.Base(name); !inside[name] && base != layoutName && base != errorName || !slices.Contains(routetree.Layers(name), dir) {
			continue
		}
		source := t.Templates[name]
		if text, _ := fs.ReadFile(source.Files, source.InTree); wholeDocument.Match(text) {
			faults = append(faults, fault.In(source.File, "it begins with <!doctype, and would be shown inside %s: take out of it what stands around the page first, or write the layout yourself", app.Shown(routetree.RouterDir+"/"+layout+pageExt)))
		}
	}
	return fault.Join(faults)
}

// document returns a template that makes a whole document.
func document(title, body string) []byte {
	return fmt.Appendf(nil, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
</head>
<body>
%s</body>
</html>
`, title, body)
}

// layoutText returns a layout, which is a whole document unless there are layouts around it.
func layoutText(title string, around []string) []byte {
	if len(around) > 0 {
		return []byte("<section>\n{{template \"content\" .}}\n</section>\n")
	}
	return document(`{{block "title" .}}`+title+`{{end}}`, "<main>\n{{template \"content\" .}}\n</main>\n")
}

// errorText returns an error page.
func errorText(around []string) []byte {
	body := `<h1>{{.Status}} {{.Title}}</h1>
{{with .Detail}}<p>{{.}}</p>
{{end}}{{with .Fields}}<ul>
{{range $name, $message := .}}<li>{{$name}} {{$message}}</li>
{{end}}</ul>
{{end}}<p>You asked for <code>{{.Path}}</code>.</p>
`
	return framed("{{.Title}}", body, around)
}

// framed returns what a page shows, as it is written inside the layouts around it: a whole
// document if there are none, and with a title if they have a block for one.
func framed(title, body string, around []string) []byte {
	switch {
	case len(around) == 0:
		return document(title, body)
	case slices.ContainsFunc(around, func(text string) bool { return strings.Contains(text, `{{block "title"`) }):
		return fmt.Appendf(nil, "{{define \"title\"}}%s{{end}}\n\n%s", title, body)
	}
	return []byte(body)
}
