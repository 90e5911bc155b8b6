package links

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site"
)

// A Source is a template file with its links.
type Source struct {
	File   string // for messages
	Links  *File
	At     func(offset int) (line, column int)
	URLs   []string               // with holes, of the page that the file is; nil for other files
	Assets []string               // the public files that it names in {{asset}}
	With   func(file string) bool // reports whether the page that the file is has another file; nil for other files
	// Missing says what would be right in place of a relative URL that leads nowhere, given what browsers
	// make of it; "" if that is not known. It is nil for files whose relative URLs are not checked.
	Missing func(l Link, asked string) string
}

// Check returns the faults and the warnings of the links and the forms in template files. lead is Find of a
// site.Map.
func Check(sources []Source, named Named, lead func(method, url string) site.Destination) []fault.Fault {
	if slices.ContainsFunc(sources, func(s Source) bool { return s.Links.moved }) {
		return nil
	}
	c := checker{lead: lead, named: named, found: map[methodAndURL]site.Destination{}, inTags: calledInTags(sources), having: having(sources), verdicts: map[calledField]*verdict{}}
	for i := range sources {
		c.source = &sources[i]
		for _, l := range c.source.Links.Links {
			if !c.inTags[l.in] {
				c.link(l)
			}
		}
		c.relative(sources)
		c.forms()
	}
	c.reportVerdicts()
	return c.faults
}

// calledInTags returns the names of the templates that are called in a tag, a script or a
// comment, directly or not. Scan reads them as if they were in the text of a page, so that
// what it has found there may be wrong.
func calledInTags(sources []Source) map[string]bool {
	calls, inTags := map[string][]string{}, map[string]bool{}
	for _, s := range sources {
		for _, call := range s.Links.calls {
			calls[call.from] = append(calls[call.from], call.to)
		}
	}
	var note func(name string)
	note = func(name string) {
		if !inTags[name] {
			inTags[name] = true
			for _, to := range calls[name] {
				note(to)
			}
		}
	}
	for _, s := range sources {
		for _, call := range s.Links.calls {
			if !call.text {
				note(call.to)
			}
		}
	}
	return inTags
}

// A checker checks the links of one Source after the other.
type checker struct {
	lead     func(method, url string) site.Destination
	named    Named
	found    map[methodAndURL]site.Destination // what lead has returned
	inTags   map[string]bool                   // see calledInTags
	having   map[string][]*Source              // by the names of templates
	verdicts map[calledField]*verdict          // of forms, about the fields of the templates that they call
	inOrder  []*verdict                        // the same, in the order in which the report has them
	source   *Source
	faults   []fault.Fault
}

// A methodAndURL is what a link asks for.
type methodAndURL struct{ method, url string }

func (c *checker) find(method, url string) site.Destination {
	r := methodAndURL{method, url}
	t, known := c.found[r]
	if !known {
		t = c.lead(method, url)
		c.found[r] = t
	}
	return t
}

// shown returns a URL for messages.
func shown(url string) string { return strings.ReplaceAll(url, pattern.Hole, "{{…}}") }

// report adds a fault at an offset in the text of the source.
func (c *checker) report(offset int, format string, args ...any) {
	line, column := c.source.At(offset)
	c.faults = append(c.faults, fault.InColumn(c.source.File, line, column, format, args...))
}

// warn adds a warning.
func (c *checker) warn(offset int, format string, args ...any) {
	line, column := c.source.At(offset)
	c.faults = append(c.faults, fault.WarnColumn(c.source.File, line, column, format, args...))
}

// link checks a link.
func (c *checker) link(l Link) {
	t := c.find(l.Method, l.URL)
	what, url := l.Attr+" of <"+l.Element+">", shown(l.URL)
	switch {
	case t.Broken:
		c.report(l.Offset, "%s: %s has a broken escape: write %%25 for a percent sign", what, url)
	case !t.Answered() && strings.Contains(l.URL, "//"): // a part that is not always written may be missing in between
	case !t.Answered() && len(t.Methods) > 0:
		c.report(l.Offset, "%s: %s answers %s, and not %s%s", what, url, strings.Join(t.Methods, ", "), l.Method, l.remedy(t))
	case !t.Answered() && t.Near != "":
		c.report(l.Offset, "%s: nothing answers %s: did you mean %s?", what, url, t.Near)
	case !t.Answered() && c.withoutExtension(l) != "":
		c.report(l.Offset, "%s: nothing answers %s: did you mean %s?", what, url, c.withoutExtension(l))
	case !t.Answered() && t.Refused != "":
		c.report(l.Offset, "%s: nothing answers %s, since %s: %s", what, url, t.Refused, c.wayOut(l))
	case !t.Answered():
		c.report(l.Offset, "%s: nothing answers %s: %s", what, url, c.wayOut(l))
	case t.Slashes && strings.Contains(l.URL, "/"+pattern.Hole):
		if l.Method != "GET" && l.Method != "" {
			url = l.Method + " " + url
		}
		c.warn(l.Offset, "%s: %s is answered only if the value has a slash in it, or is empty", what, url)
	case t.Canonical != "":
		c.warn(l.Offset, "%s: requests for %s are redirected: write %s", what, url, shown(t.Canonical))
	case l.Loads && t.IsPage():
		c.warn(l.Offset, "%s: %s is a page", what, url)
	case t.Near != "":
		c.warn(l.Offset, "%s: %s is answered by %s: did you mean %s?", what, url, t.By(), t.Near)
	}
}

// relative warns of the relative URLs of the source that nothing answers, if that is a page with one URL. A
// converter of another language may have written them, which knows nothing of URLs.
func (c *checker) relative(all []Source) {
	s := c.source
	if s.Missing == nil || len(s.Links.Relative) == 0 || len(s.URLs) != 1 || strings.Contains(s.URLs[0], pattern.Hole) ||
		s.With == nil || slices.ContainsFunc(all, func(other Source) bool { return other.Links.based && s.With(other.File) }) {
		return
	}
	page, err := url.Parse(s.URLs[0])
	if err != nil {
		return
	}
	for _, l := range s.Links.Relative {
		to, err := page.Parse(l.URL)
		if err != nil {
			continue
		}
		asked := to.EscapedPath()
		t := c.find(l.Method, asked)
		if t.Answered() {
			continue
		}
		right := s.Missing(l, asked)
		if right == "" && t.Near != "" {
			right = "did you mean " + t.Near + "?"
		} else if right == "" {
			right = `if something else does, say so with rel="external"`
		}
		c.warn(l.Offset, "%s of <%s>: to browsers %s is %s, and nothing answers that: %s", l.Attr, l.Element, l.URL, asked, right)
	}
}

// remedy returns the end of a message about a URL that does not answer the method of a link.
func (l Link) remedy(t site.Destination) string {
	switch {
	case l.form != nil && l.Method == "GET" && slices.Contains(t.Methods, "POST"):
		return `: write method="post" in the form`
	case l.Element == "a" && l.Attr == "href" && slices.Contains(t.Methods, "POST"):
		return `, which a link sends: use a form with method="post"`
	}
	return ""
}

// withoutExtension returns the URL of the page that a link names by its file, as in /docs/intro.md, or
// "" if there is none.
func (c *checker) withoutExtension(l Link) string {
	dot := strings.LastIndexByte(l.URL, '.')
	if dot <= strings.LastIndexByte(l.URL, '/') {
		return ""
	}
	url := "/" + strings.TrimPrefix(strings.TrimSuffix(l.URL[:dot], "/index"), "/")
	if t := c.find(l.Method, url); !t.Answered() || !t.IsPage() || t.By() != url { // a pattern may take any file
		return ""
	}
	return url
}

// wayOut returns what can be done about a link that is right although nothing of the
// application answers it.
func (c *checker) wayOut(l Link) string {
	switch {
	case !strings.HasSuffix(c.source.File, ".html"): // an action is text in it, and many formats have no attributes
		return "if something else does, write the whole URL, with its host; or put the file into public/"
	case l.form != nil || l.Element == "a" || l.Element == "area":
		return `if something else does, say so with rel="external"`
	}
	begin, _, _ := strings.Cut(l.URL, pattern.Hole)
	return "if something else does, begin it with an action: {{" + strconv.Quote(begin) + "}}" + shown(l.URL[len(begin):])
}

// form returns what a form leads to, and its URL. It reports a form without a URL whose page
// does not answer the method.
func (c *checker) form(f *Form) (t site.Destination, url string) {
	urls := []string{path(f.URL)}
	if f.own {
		urls = c.source.URLs
	}
	for _, url = range urls {
		if !isPath(url) {
			return site.Destination{}, url
		}
		if t = c.find(f.Method, url); t.Answered() {
			break
		}
	}
	if f.own && !t.Answered() && len(t.Methods) > 0 {
		c.report(f.Offset, "<form>: it has no action, and the page answers %s, and not %s", strings.Join(t.Methods, ", "), f.Method)
	}
	return t, url
}
