package move

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A finder finds in texts what may speak of something that moves: its old URLs, and the
// names of its files.
type finder struct {
	c      *change
	before []treePattern     // the most specific first
	after  []treePattern     // of the tree after the move, likewise
	prefix []string          // the segments of a directory that moves, if all of them are literal; else nil
	mounts [][]string        // the prefixes that Routers of the module are mounted at
	files  map[string]string // new names, by the old names of files that no other words could be
}

// A treePattern is a pattern of the URLs of a file in a tree.
type treePattern struct {
	*pattern.Pattern
	file  string           // in the tree
	route *routetree.Route // nil for a public file
	// In the tree before the move:
	moved   *route // if the route moves
	nowURL  string // what the URL is now, if it is another one
	nowRead string // how the pattern reads now, if it reads otherwise
}

// patternsOf returns the patterns of all files of a tree, the most specific first.
func patternsOf(t *routetree.Tree) []treePattern {
	var all []treePattern
	for _, r := range t.Routes {
		for _, p := range r.Patterns {
			all = append(all, treePattern{Pattern: p, file: r.InTree(), route: r})
		}
	}
	for _, f := range t.Public {
		all = append(all, treePattern{Pattern: f.Pattern, file: f.InTree})
	}
	slices.SortStableFunc(all, func(a, b treePattern) int { return pattern.Compare(a.Pattern, b.Pattern) })
	return all
}

func newFinder(c *change, goFiles map[string]string, mounts [][]string) *finder {
	f := &finder{c: c, before: patternsOf(c.before), after: patternsOf(c.after), prefix: literalSegments(c.transfer), files: map[string]string{}, mounts: mounts}
	maps.Copy(f.files, goFiles)
	for i := range f.before {
		f.before[i].move(c)
	}
	names := slices.Collect(maps.Values(filesByPath(c.before)))
	for _, file := range c.before.Public {
		names = append(names, file.InTree)
	}
	for _, name := range names {
		if now := c.new(name); now != name {
			f.file(name, now)
		}
	}
	return f
}

// move notes what becomes of a pattern.
func (t *treePattern) move(c *change) {
	if t.moved = c.moved(t.file); t.moved == nil {
		if now := c.new(t.file); now != t.file {
			t.nowURL = strings.TrimPrefix(now, routetree.PublicDir)
		}
		return
	}
	after, now := t.moved.after.Patterns, t.moved.after.Longest()
	if before := t.route.Patterns; len(before) == len(after) {
		now = after[slices.Index(before, t.Pattern)]
	}
	if t.moved.movesURL() {
		t.nowURL = now.String()
	}
	if !slices.ContainsFunc(after, func(p *pattern.Pattern) bool { return p.String() == t.String() }) {
		t.nowRead = now.String()
	}
}

// file notes a name of a file. One such as "index.html", which may be that of many files, counts with its
// directory only.
func (f *finder) file(old, now string) {
	f.files[old] = now
	if below := routetree.BelowRouter(old); strings.ContainsAny(below, "/[(+") && below != old {
		f.files[below] = routetree.BelowRouter(now)
	}
}

// literalSegments returns the URL segments that are those of a directory, without groups,
// if none is a parameter and the move changes them.
func literalSegments(t transfer) []string {
	segments := func(name string) []string {
		return slices.DeleteFunc(strings.Split(name, "/")[1:], func(s string) bool { return strings.HasPrefix(s, "(") })
	}
	old := segments(t.from)
	if !t.dir || len(old) == 0 || slices.Equal(old, segments(t.to)) || strings.Contains(t.from, "[") {
		return nil
	}
	return old
}

// A hit is a place in a text.
type hit struct {
	offset int
	text   string // what stands there
	now    string // what it is now
	file   bool   // it is the name of a file, and no URL
	// mounted says that a URL is one below the prefix of a mounted Router.
	mounted bool
}

// candidates are what may be a path in a text: it begins with a slash that ends no word,
// or with a host.
var candidates = regexp.MustCompile(`(?:https?://[^/\s"'<>` + "`" + `]+)?/[^\s"'<>` + "`" + `,;)]*`)

// verbs are what fmt puts in.
var verbs = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]|\$\{[^}]*\}`)

// find returns the hits in a text. Of hits that overlap, it returns the longest.
func (f *finder) find(text string) []hit {
	var hits []hit
	for old, now := range f.files {
		for from := 0; ; {
			at := strings.Index(text[from:], old)
			if at < 0 {
				break
			}
			at += from
			from = at + len(old)
			if !within(text, at, from) {
				hits = append(hits, hit{offset: at, text: old, now: now, file: true})
			}
		}
	}
	for _, loc := range candidates.FindAllStringIndex(text, -1) {
		at, found := loc[0], strings.TrimRight(text[loc[0]:loc[1]], ".:!") // which ends a sentence
		if at > 0 && strings.ContainsRune("<*/\\:.", rune(text[at-1])) || at > 0 && isWord(text[at-1]) {
			continue
		}
		if found == "/" && !alone(text, at) {
			continue
		}
		if now, mounted := f.url(found); now != "" {
			hits = append(hits, hit{offset: at, text: found, now: now, mounted: mounted})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(a.offset-b.offset, len(b.text)-len(a.text))
	})
	end := -1
	return slices.DeleteFunc(hits, func(h hit) bool {
		if h.offset < end {
			return true
		}
		end = h.offset + len(h.text)
		return false
	})
}

// within reports whether text[from:to] is a piece of a longer name.
func within(text string, from, to int) bool {
	return from > 0 && (isWord(text[from-1]) || text[from-1] == '.') || to < len(text) && isWord(text[to])
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// alone reports whether one byte of a text is all of it, or stands in quotes.
func alone(text string, at int) bool {
	const quotes = "\"'`"
	return (at == 0 || strings.ContainsRune(quotes, rune(text[at-1]))) && (at+1 == len(text) || strings.ContainsRune(quotes, rune(text[at+1])))
}

// url returns what a URL is now, or "" if it has not moved, and whether it is one below the
// prefix of a mounted Router.
func (f *finder) url(text string) (now string, mounted bool) {
	text, ok := pathOf(text)
	if !ok {
		return "", false
	}
	for _, t := range f.before {
		if text == t.String() && strings.Contains(text, "{") {
			return t.nowRead, false
		}
	}
	segments, open := split(text)
	if now := f.of(segments, open); now != "" {
		return now, false
	}
	for _, prefix := range f.mounts {
		if isBelowPrefix(segments, prefix) {
			if now := f.of(segments[len(prefix):], open); now != "" {
				return "/" + strings.Join(prefix, "/") + now, true
			}
		}
	}
	return "", false
}

// pathOf returns the path of a URL, and whether it may be one of an application. A host alone
// has none.
func pathOf(text string) (string, bool) {
	if _, after, ok := strings.Cut(text, "://"); ok && text[0] != '/' {
		_, path, ok := strings.Cut(after, "/")
		if !ok {
			return "", false
		}
		text = "/" + path
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	return text, text != "" && !strings.HasPrefix(text, "//") && !strings.Contains(text, "[")
}

// isBelowPrefix reports whether the segments of a path begin with those of a prefix that
// something is mounted at, "orgs" and "[org]".
func isBelowPrefix(segments, prefix []string) bool {
	n := len(prefix)
	return n <= len(segments) && slices.EqualFunc(prefix, segments[:n], func(p, s string) bool { return p == s || strings.HasPrefix(p, "[") })
}

// of returns what the URL of these segments is now, or "". open says that it ends in a slash, and may go on with what
// is known only when the program runs, as Go's "/users/" + id does.
func (f *finder) of(segments []string, open bool) string {
	if now, ok := f.lookup(segments); ok && (now != "" || !open) {
		return now
	}
	if open {
		if now, ok := f.lookup(append(slices.Clip(segments), pattern.Hole)); ok && now != "" {
			return now
		}
	}
	if n := len(f.prefix); n > 0 && len(segments) >= n && slices.Equal(segments[:n], f.prefix) && (len(segments) > n || open) {
		return "/" + path.Join(strings.Split(f.c.to, "/")[1:]...) + "/…"
	}
	return ""
}

// split returns the segments of a path, unescaped, with a hole for each that is not all
// known, and without empty ones, which a redirect leads away from. open says that it may go
// on behind the slash at its end.
func split(text string) (segments []string, open bool) {
	open = strings.HasSuffix(text, "/") && text != "/"
	if text = strings.TrimSuffix(text, "/"); text == "" {
		return nil, open
	}
	segments = slices.DeleteFunc(strings.Split(text, "/"), func(s string) bool { return s == "" })
	for i, s := range segments {
		s = strings.ReplaceAll(s, `\`, "") // of a regular expression
		segments[i] = s
		if strings.Contains(s, pattern.Hole) || verbs.MatchString(s) && !isEscaped(s) || strings.HasPrefix(s, "{") {
			segments[i] = pattern.Hole
		} else if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = plain
		}
	}
	return segments, open
}

// isEscaped reports whether each percent sign of a segment is that of an escape, as in
// "a%2Fb", and none that of a verb.
func isEscaped(s string) bool {
	_, err := url.PathUnescape(s)
	return err == nil && !strings.Contains(s, "${")
}

// lookup returns what the URL of these segments is now, "" for the same, and whether the
// tree answered it at all before the move. The most specific file counts, and those that
// share its URL.
func (f *finder) lookup(segments []string) (now string, ok bool) {
	best := answerer(f.before, segments)
	for _, t := range f.before {
		switch {
		case t.nowURL == "":
		case best == nil && t.route == nil && isHashed(t.Segments, segments):
			return t.nowURL, true
		case best != nil && t.Key() == best.Key() && (t.moved == nil || !anyMatches(t.moved.after.Patterns, segments)):
			return t.nowURL, true
		}
	}
	return "", best != nil
}

// isHashed reports whether a path may be the hashed URL of a public file.
func isHashed(file []pattern.Segment, segments []string) bool {
	n := len(file) - 1
	if len(segments) != n+1 || !matchers.MayMatch(file[:n], segments[:n]) {
		return false
	}
	ext := path.Ext(file[n].Text)
	return strings.HasPrefix(segments[n], strings.TrimSuffix(file[n].Text, ext)+".") && strings.HasSuffix(segments[n], ext)
}

// anyMatches reports whether one of some patterns may match the segments of a path.
func anyMatches(patterns []*pattern.Pattern, segments []string) bool {
	return slices.ContainsFunc(patterns, func(p *pattern.Pattern) bool { return matchers.MayMatch(p.Segments, segments) })
}
