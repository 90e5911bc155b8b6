package move

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/pattern"
)

// rewriteTemplates looks at all templates of the application, and at the names of routes
// in those of others.
func (p *planner) rewriteTemplates() {
	var own []string
	for _, src := range p.c.before.Templates {
		if isTemplate(src.InTree) {
			own = append(own, src.InTree)
		}
	}
	for _, name := range own {
		text, _ := p.text(p.path(name)) // template tells of errors
		read, _ := readTemplate(text)
		p.routeKeys = append(p.routeKeys, read.routeKeys...)
	}
	for _, name := range own {
		p.template(p.path(name), name)
	}
	for _, o := range p.others {
		for _, src := range o.tree.Templates {
			if file := filepath.Join(o.app.Dir, filepath.FromSlash(src.InTree)); isTemplate(file) {
				p.template(file, "")
			} else {
				p.mentions(file, nil)
			}
		}
	}
	p.plainFiles()
}

// isTemplate reports whether a page or +file is a template. In a page of a format, what looks like
// an action is text.
func isTemplate(file string) bool { return path.Ext(file) == ".html" }

// template looks at one template. name is its name in the tree, or "" if it is of another
// application.
func (p *planner) template(file, name string) {
	text, err := p.text(file)
	if err != nil {
		p.left(file, 0, "it cannot be read: %v", err)
		return
	}
	src, err := readTemplate(text)
	if err != nil {
		p.left(file, 0, "it cannot be parsed, so that nothing in it was rewritten: line %s", strings.TrimPrefix(err.Error(), "template: template:"))
	}
	for _, h := range p.finder.inTemplate(src) {
		p.hit(file, lineAt(text, h.offset), h)
	}
	p.words(file, src)
	for _, ref := range src.references {
		ref.file = file
		switch {
		case name == "" && ref.kind != calls.RouteName:
		case (ref.kind == calls.List || ref.kind == calls.Page) && len(p.c.before.Formats) == 0: // a function of the application
		case ref.kind == calls.Param || ref.kind == calls.Segments:
			p.templateParam(ref, name)
		default:
			p.refer(ref)
		}
	}
}

// inTemplate returns the hits in a template. The check of links knows URLs that are not written in one piece, such as
// href="/{{if .New}}new{{else}}old{{end}}".
func (f *finder) inTemplate(src *templateText) []hit {
	hits := f.find(string(src.plain))
	for _, passage := range src.passages {
		for _, h := range f.find(commentMarks.Replace(passage.text)) {
			h.offset += passage.offset
			hits = append(hits, h)
		}
	}
	for _, l := range src.links {
		h := hit{offset: src.offset(parse.Pos(l.Offset)), text: l.URL}
		isListed := func(other hit) bool {
			return other.now == h.now && lineAt(src.text, other.offset) == lineAt(src.text, h.offset) && strings.HasPrefix(holes.ReplaceAllString(other.text, pattern.Hole), h.text)
		}
		if h.now, h.mounted = f.url(l.URL); h.now != "" && !slices.ContainsFunc(hits, isListed) {
			hits = append(hits, h)
		}
	}
	return hits
}

// commentMarks replaces what begins and ends a comment in a template, which is no path.
var commentMarks = strings.NewReplacer("/*", "  ", "*/", "  ", pattern.Hole, " ")

// words tells of the strings in the actions and comments of a template that are the path or
// the name of what moves, and in no call of flow: functions of the application may be given
// them. A name without a dot may be any word, and counts only where one is given it, or where
// it is a value of dict that a partial may give to route. Keys of dict are no names.
func (p *planner) words(file string, src *templateText) {
	for _, passage := range src.passages {
		for i, c := range passage.text {
			if c != '"' && c != '`' || src.understood[passage.offset+i] {
				continue
			}
			if value, _, ok := strings.Cut(passage.text[i+1:], string(c)); ok {
				p.word(file, lineAt(src.text, passage.offset+i), value)
			}
		}
	}
	handed := src.handed
	for _, e := range src.entries {
		if e.value.known && (slices.Contains(p.routeKeys, e.key) || slices.Contains(p.routeKeys, "")) {
			handed = append(handed, e.value)
		}
	}
	for _, t := range handed {
		if o := p.otherOf(file); o == nil || !o.names[t.value] {
			p.perhapsName(file, t.line, t.value)
		}
	}
}

// templateParam rewrites the name of a parameter in a template of the application.
func (p *planner) templateParam(ref reference, name string) {
	changed, r := p.paramChanges(ref.value), p.c.moved(name)
	switch {
	case len(changed) == 0:
	case r != nil && ref.sure && r.renamed[ref.value] != "":
		p.settle(ref, r.renamed[ref.value], rewritten, ours)
	case r != nil || role(name) != "route file" || !ref.sure:
		p.leave(ref, "%s in %s", changed[0].paramsText(), changed[0].after.File)
	}
}

// lineAt returns the line of an offset in a text.
func lineAt(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
