package move

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site/httpfile"
)

// plainFiles rewrites the requests in route files that move, and the links between pages of
// formats. It tells of the other old URLs in files that are no templates: the examples of
// endpoints, pages of formats, and public files.
func (p *planner) plainFiles() {
	for _, r := range p.c.before.Routes {
		if !r.Page {
			p.requests(r.InTree())
			p.mentions(p.path(r.InTree()), nil)
		}
	}
	for _, name := range sortedKeys(p.l) { // drafts, too, which are no routes yet
		if strings.HasPrefix(name, routetree.RouterDir+"/") && p.l.isFile(name) && slices.Contains(p.c.before.Formats, path.Ext(name)) {
			p.mentions(p.path(name), p.links(name))
		}
	}
	for _, f := range p.c.before.Public {
		if slices.Contains(texts, path.Ext(f.InTree)) {
			p.mentions(p.path(f.InTree), nil)
		}
	}
}

// plainText returns the text of a file that is no template, or "" if it is none that people write.
func (p *planner) plainText(file string) string {
	text, err := p.text(file)
	if err != nil || !utf8.ValidString(text) || len(text) > 1<<20 {
		return ""
	}
	return text
}

// mentions tells of what a file that is no template says of the tree, unless that was rewritten or
// listed.
func (p *planner) mentions(file string, listed []textLink) {
	text := p.plainText(file)
	for _, h := range p.finder.find(strings.ReplaceAll(text, pattern.Hole, " ")) {
		overlaps := func(start, end int) bool { return start < h.offset+len(h.text) && h.offset < end }
		told := slices.ContainsFunc(p.moves.Edits[file], func(e files.Edit) bool { return overlaps(e.From, e.To) }) ||
			slices.ContainsFunc(listed, func(l textLink) bool { return overlaps(l.offset, l.offset+len(l.to)) })
		if !told {
			p.hit(file, lineAt(text, h.offset), h)
		}
	}
}

// requests rewrites the paths of the requests in an .http file that moves.
func (p *planner) requests(name string) {
	if p.c.moved(name) == nil {
		return
	}
	text := p.plainText(p.path(name))
	f, _ := httpfile.Parse(name, []byte(text))
	lines := slices.Collect(strings.Lines(text))
	offset, number := 0, 0
	for _, r := range f.Requests {
		for ; number < r.Line-1; number++ {
			offset += len(lines[number])
		}
		target := r.Target.String()
		old, _, _ := strings.Cut(target, "?")
		at := strings.LastIndex(protocol.ReplaceAllString(lines[number], ""), target)
		if now, ok := p.finder.newPath(old); ok && at >= 0 && r.Method != "" {
			p.edit(p.path(name), offset+at, len(old), now)
		}
	}
}

// protocol is what may stand behind the URL of a request.
var protocol = regexp.MustCompile(`\s+HTTP/[\d.]+\s*$`)

// texts are the extensions of public files that may hold URLs.
var texts = []string{".html", ".css", ".js", ".mjs", ".json", ".txt", ".xml", ".svg", ".webmanifest", ".map"}

// remarks tells what is worth knowing about the new place: other layouts and error pages,
// other files that answer the old URLs, other parameters.
func (p *planner) remarks() {
	for _, r := range p.c.before.Routes {
		now := r
		if moved := p.c.moved(r.InTree()); moved != nil {
			now = moved.after
		}
		p.around(r, now)
	}
	for _, r := range p.c.routes {
		p.answered(r)
		p.parameters(r)
		if r.after.Store && !r.before.Store {
			p.note("%s is a store now: it answers POST, and nothing else", r.after.File)
		}
		if r.before.Store && !r.after.Store {
			p.note("%s is no store any more: it answers POST on a URL of its own", r.after.File)
		}
		if !r.before.Store && r.before.Stem != r.after.Stem && p.goFiles[r.before.Stem+".go"] == "" {
			if file := r.after.Stem + ".go"; p.hasGoFile(file) {
				p.note("%s is called like the counterpart of %s now", p.app.Shown(file), r.after.File)
			}
		}
	}
}

// hasGoFile reports whether the application has a Go file of that name.
func (p *planner) hasGoFile(name string) bool {
	return slices.ContainsFunc(p.code.files, func(f *goFile) bool { return f.name == p.path(name) })
}

// around compares the +layout and +error files that apply to a page before and after.
func (p *planner) around(before, after *routetree.Route) {
	around := func(t *routetree.Tree, r *routetree.Route, name string) (shown []string) {
		for _, src := range project.PlusFiles(t, r.Path, name) {
			shown = append(shown, p.app.Shown(p.c.new(src.InTree))) // what is there after the move has no other name
		}
		return shown
	}
	old, now := around(p.c.before, before, "+layout"), around(p.c.after, after, "+layout")
	if before.Page && !slices.Equal(old, now) {
		p.note("%s is shown in %s now, and was in %s", after.File, cmp.Or(strings.Join(now, " and "), "no layout"), cmp.Or(strings.Join(old, " and "), "no layout"))
	}
	old, now = append([]string{"none"}, around(p.c.before, before, "+error")...), append([]string{"none"}, around(p.c.after, after, "+error")...)
	if was, is := old[len(old)-1], now[len(now)-1]; was != is {
		p.note("errors of %s are shown by %s now, and were by %s", after.File, is, was)
	}
}

func (p *planner) inWords(names []string) string {
	var shown []string
	for _, name := range names {
		shown = append(shown, p.app.Shown(name))
	}
	return strings.Join(shown, " and ")
}

// answered tells which file answers the old URLs now.
func (p *planner) answered(r *route) {
	if !r.movesURL() {
		return
	}
	for _, old := range r.before.Patterns {
		i := slices.IndexFunc(p.finder.after, func(t treePattern) bool {
			return t.route != nil && t.route.Store == r.before.Store && covers(t.Segments, old.Segments)
		})
		if i >= 0 && p.finder.after[i].route != r.after {
			p.note("%s is answered by %s now", old, p.finder.after[i].route.File)
		}
	}
}

// covers reports whether a pattern matches all that another one does, as far as is seen
// without calling matchers.
func covers(wide, narrow []pattern.Segment) bool {
	for i, seg := range wide {
		if seg.Kind == pattern.Rest {
			return seg.Matcher == nil && len(narrow) > i
		}
		if i == len(narrow) || narrow[i].Kind > seg.Kind || seg.Matcher != nil && seg.Matcher.Name != matcherName(narrow[i]) || seg.Kind == pattern.Literal && seg.Text != narrow[i].Text {
			return false
		}
	}
	return len(wide) == len(narrow)
}

func matcherName(s pattern.Segment) string {
	if s.Matcher == nil {
		return ""
	}
	return s.Matcher.Name
}

// parameters tells of parameters that take other values than before.
func (p *planner) parameters(r *route) {
	old, now := r.before.Longest(), r.after.Longest()
	for _, name := range old.Names {
		seg, _ := old.Param(name)
		after, ok := now.Param(cmp.Or(r.renamed[name], name))
		if !ok {
			continue
		}
		switch m := matcherName(after); {
		case seg.Kind != after.Kind && after.Kind == pattern.Rest:
			p.note("%s: %q is a catch-all now: ask for it with Segments", r.after.File, after.Text)
		case seg.Kind != after.Kind:
			p.note("%s: %q is one segment now, and was a catch-all", r.after.File, after.Text)
		case m != matcherName(seg) && m == "":
			p.note("%s: %q takes any value now", r.after.File, after.Text)
		case m != matcherName(seg):
			text := fmt.Sprintf("%s: %q takes only what the matcher %q does now", r.after.File, after.Text, m)
			if !slices.Contains(pattern.BuiltIns(), m) && p.c.before.Matchers[m] == nil && !p.matchers.Has(m) {
				text += ", which is none of flow's own: see that Router.Matchers has it"
			}
			p.note("%s", text)
		}
	}
}

// faults returns what Check would report of the new tree and the registrations that are
// known here.
func (p *planner) faults() error {
	var faults []fault.Fault
	add := func(file, format string, args ...any) { faults = append(faults, fault.In(file, format, args...)) }
	at := map[string]bool{} // route files that At is called for, after the move
	p.eachCall(func(f *goFile, c call) {
		if c.Kind == calls.Path && c.Constant {
			for _, path := range routetree.Find(p.c.paths.before, c.Value) {
				at[p.c.new(p.c.paths.before[path])] = true
			}
		}
	})
	stems := byStem(p.c.after)
	for _, r := range p.c.routes {
		if reason := routetree.WhyNotBuilt(r.after.Stem + ".go"); reason != "" && (!r.after.Page || r.after.Store) && !at[r.after.InTree()] {
			add(r.after.File, "%s, and would be its counterpart: call the route file otherwise, or register with flow.At(%q) in a file of another name", reason, r.after.Path)
		}
		for _, other := range stems[r.after.Stem] {
			if other != r.after && r.after.Stem != r.before.Stem && p.hasGoFile(r.after.Stem+".go") {
				add(p.app.Shown(r.after.Stem+".go"), "this file is the counterpart of %s and would be that of %s: call one of them otherwise", other.File, r.after.File)
			}
		}
	}
	for _, label := range sortedKeys(p.names.files) {
		file, automatic := p.names.files[label], p.c.automatic.after[label]
		pos := p.names.at[label]
		if automatic == "" || file == "" || automatic == p.c.new(file) || p.c.automatic.before[label] != "" || !p.isOurs(pos.Filename) {
			continue
		}
		add(fmt.Sprintf("%s:%d", Shown(pos.Filename), pos.Line), "Name: %q would be the automatic name of %s: call one of them otherwise", label, p.app.Shown(automatic))
	}
	p.eachCall(func(f *goFile, c call) {
		if c.Kind != calls.Use || c.guessed || filepath.Dir(f.name) != p.app.Dir {
			return
		}
		stem := strings.TrimSuffix(filepath.Base(f.name), ".go")
		for _, r := range p.c.routes {
			if r.after.Stem == stem && r.before.Stem != stem && p.goFiles[stem+".go"] == "" {
				pos := p.code.position(c.Pos())
				add(fmt.Sprintf("%s:%d", Shown(f.name), pos.Line), "flow.Use is for the whole application, and would stand in the counterpart of %s: call the route file otherwise", r.after.File)
			}
		}
	})
	return fault.Join(faults)
}
