package move

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
)

// rewriteTemplates looks at all templates of the application, and at the names of routes
// in those of others.
func (p *planner) rewriteTemplates() {
	p.routeKeys = map[string]bool{}
	for _, src := range p.c.before.Templates {
		text, _ := p.text(p.path(src.InTree)) // template tells of errors
		read, _ := readTemplate(text)
		for _, name := range read.names {
			p.routeKeys[name] = true
		}
	}
	for _, src := range p.c.before.Templates {
		p.template(p.path(src.InTree), src.InTree)
	}
	for _, o := range p.others {
		for _, src := range o.tree.Templates {
			p.template(filepath.Join(o.app.Dir, filepath.FromSlash(src.InTree)), "")
		}
	}
	p.plainFiles()
}

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
	for _, part := range []string{src.plain, src.actions} {
		for _, h := range p.finder.find(part) {
			p.hit(file, lineAt(text, h.offset), h)
		}
	}
	p.words(file, text, src)
	for _, m := range src.mentions {
		at := place{file: file, line: lineAt(text, m.offset), offset: m.offset, size: m.size, sure: m.sure, literal: m.literal, what: fmt.Sprintf("{{%s %q}}", m.name, m.value)}
		if m.literal {
			at.text = text[m.offset : m.offset+m.size]
		} else {
			at.what = fmt.Sprintf("{{%s …}}", m.name)
		}
		p.mention(at, m, name)
	}
}

// words tells of the strings in the actions and comments of a template that are the path or
// the name of what moves, and in no call of flow: functions of the application may be given
// them. A name without a dot may be any word, and counts only where one is given it, or where
// it is a value of dict that a partial may give to route. Keys of dict are no names.
func (p *planner) words(file, text string, src source) {
	known := map[int]bool{}
	for _, m := range src.mentions {
		known[m.offset] = m.literal
		for _, k := range m.keys {
			known[k.offset] = k.literal
		}
	}
	for _, e := range src.entries {
		known[e.key.offset] = true
	}
	for i, c := range src.actions {
		if c != '"' && c != '`' || known[i] {
			continue
		}
		if value, _, ok := strings.Cut(src.actions[i+1:], string(c)); ok {
			p.word(file, lineAt(text, i), value)
		}
	}
	for _, e := range src.entries {
		if e.value.literal && (p.routeKeys[e.key.value] || p.routeKeys[""]) {
			src.handed = append(src.handed, e.value)
		}
	}
	for _, k := range src.handed {
		if o := p.otherOf(file); o == nil || !o.names[k.value] {
			p.perhapsName(file, lineAt(text, k.offset), k.value)
		}
	}
}

// mention rewrites what a template says of the tree.
func (p *planner) mention(at place, m mention, name string) {
	switch {
	case m.kind == calls.Template && name != "":
		now, v := p.c.partials.rewrite(m.value)
		p.settle(at, m.value, now, v, ours)
	case m.kind == calls.Asset && name != "" && m.literal:
		now, v := p.asset(m.value)
		p.settle(at, m.value, now, v, ours)
	case m.kind == calls.Asset && name != "" && !p.movesRoutes():
		p.left(at.file, at.line, "%s: the name is known only when it runs: it may be that of what moves", at.what)
	case m.kind == calls.RouteName:
		p.mentionedRoute(at, m, name)
	case (m.kind == calls.Param || m.kind == calls.Segments) && name != "":
		changed := p.paramChanges(m.value)
		if len(changed) == 0 || !m.literal {
			return
		}
		r := p.c.moved(name)
		switch {
		case r != nil && m.sure && r.renamed[m.value] != "":
			p.settle(at, m.value, r.renamed[m.value], rewritten, ours)
		case r != nil || role(name) != "route file" || !m.sure:
			p.left(at.file, at.line, "%s: %s in %s", at.what, changed[0].paramsText(), changed[0].after.File)
		}
	}
}

// mentionedRoute rewrites the name of a route in a template, and the keys of its
// parameters.
func (p *planner) mentionedRoute(at place, m mention, name string) {
	if !m.literal {
		if p.renames() && m.sure {
			p.left(at.file, at.line, "%s: the name is known only when it runs: it may be that of what moves", at.what)
		}
		return
	}
	now, v, r := p.nameVerdict(m.value)
	o := ours
	if name == "" {
		o = p.owner(at.file, func(o *other) bool { return o.names[m.value] })
	}
	p.settle(at, m.value, now, v, o)
	if o != theirs && p.isUnknown(m.value) {
		for _, k := range m.keys {
			p.perhaps(at, m.value, k.value)
		}
	}
	if r == nil || o == theirs || !r.changesParams() {
		return
	}
	given := map[string]bool{}
	for _, k := range m.keys {
		kp := at
		kp.offset, kp.size, kp.literal, kp.text = k.offset, k.size, k.literal, ""
		if text, err := p.text(at.file); err == nil {
			kp.line = lineAt(text, k.offset)
			if k.literal {
				kp.text = text[k.offset : k.offset+k.size]
			}
		}
		p.key(kp, k.value, k.literal, r, o)
		given[cmp.Or(r.renamed[k.value], k.value)] = true
	}
	p.missing(at, r, given)
}

// lineAt returns the line of an offset in a text.
func lineAt(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
