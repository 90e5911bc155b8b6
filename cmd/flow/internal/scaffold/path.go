package scaffold

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/shell"
)

// The extensions of route files. Pages of formats have others.
const (
	pageExt     = ".html"
	endpointExt = ".http"
)

// readPath returns the path of a route file below router/ without its extension, and the
// extension, "" if none was written. It understands a path as the file has it, from the
// working directory or from router/, and one with a slash in front. exact says that the path
// was written so, or with "./" in front: its groups are all there. routerDir is router/ as it
// is named from the working directory, and extensions are those of route files.
//
//	users/[id]                  => users/[id]
//	/users/[id]                 => users/[id]
//	app/router/users/[id].html  => users/[id], .html, exact
//	./users/[id]                => users/[id], exact
//	/                           => index
func readPath(arg, routerDir string, extensions []string) (p, ext string, exact bool, err error) {
	p, exact = strings.CutPrefix(arg, "./")
	for _, before := range []string{routerDir + "/", routetree.RouterDir + "/", "/"} {
		if below, ok := strings.CutPrefix(p, before); ok {
			p, exact = below, exact || before != "/"
			break
		}
	}
	if e := path.Ext(p); slices.Contains(extensions, e) {
		p, ext = strings.TrimSuffix(p, e), e
	}
	switch {
	case arg == "":
		return "", "", false, errors.New("the path is empty: for the URL / write flow add index")
	case p == "" && ext == "":
		p = "index"
	}
	if dir, ok := strings.CutSuffix(p, "/"); ok {
		return "", "", false, fmt.Errorf("%s ends in a slash, and URLs do not: write %s for /%s", arg, shell.Quote(dir+"/index"), dir)
	}
	if right := withBrackets(p); right != p {
		return "", "", false, fmt.Errorf("a parameter is written with brackets: flow add %s", shell.Quote(right))
	}
	names := strings.Split(p, "/")
	for i, name := range names {
		file := i == len(names)-1
		switch {
		case name == "" || name == "." || name == "..":
			return "", "", false, fmt.Errorf("%s is no path below %s/: it has the element %q", arg, routetree.RouterDir, name)
		case name[0] == '_' || name[0] == '.' && (file || name != ".well-known"):
			return "", "", false, fmt.Errorf("%s: names that begin with %c are never routes: call it otherwise", arg, name[0])
		}
	}
	return p, ext, exact, nil
}

// foreign is how other routers write a parameter: {id} and {path...}, :id, *path, <id> and
// <int:id>.
var foreign = regexp.MustCompile(`^(?:\{(\*?)(\w+)(\.\.\.)?\}|:(\w+)|(\*)(\w+)|<(?:\w+:)?(\w+)>)$`)

// withBrackets returns a path with the parameters of other routers as flow writes them.
func withBrackets(p string) string {
	names := strings.Split(p, "/")
	for i, name := range names {
		m := foreign.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		rest := m[1] + m[3] + m[5]
		if rest != "" {
			rest = "..."
		}
		names[i] = "[" + rest + m[2] + m[4] + m[6] + m[7] + "]"
	}
	return strings.Join(names, "/")
}

// bracketed returns a path of the tree with brackets that differs from p in brackets only,
// up to some directory, or "": users/[id] for users/id, if there is users/[id].html or a
// directory users/[id]. Such a path was likely meant to have them.
func bracketed(t *routetree.Tree, p string) string {
	known := map[string]string{} // by the path without brackets
	add := func(p string) {
		for ; p != "."; p = path.Dir(p) {
			if strings.Contains(p, "[") {
				known[strings.NewReplacer("[", "", "]", "", "...", "").Replace(p)] = p
			}
		}
	}
	for _, r := range t.Routes {
		add(r.Path)
	}
	for dir := range t.Dirs {
		add(dir)
	}
	for at := p; at != "."; at = path.Dir(at) {
		if marked := known[at]; marked != "" {
			return marked + strings.TrimPrefix(p, at)
		}
	}
	return ""
}
