package links

import (
	"slices"
	"strings"

	"example.com/flow/internal/routes/pattern"
)

// A Request is what a template makes browsers ask for: a link, or a form that is sent.
type Request struct {
	File   string // of the template, for messages
	Method string // "" if it is not known
	URL    string // with holes; it begins with one slash, and has neither query nor fragment; "" if it is not known
	Form   bool
	Fields []Field // of the form, as far as their names are known
}

// Requests returns what template files make browsers ask for, in the order of the files. A form
// without a URL is sent to each of those of its page, which a partial does not know.
func Requests(sources []Source, named Named) (all []Request) {
	if slices.ContainsFunc(sources, func(s Source) bool { return s.Links.moved }) {
		return nil
	}
	c := checker{named: named, inTags: calledInTags(sources), having: having(sources)}
	for i := range sources {
		s := &sources[i]
		for _, l := range s.Links.Links {
			if !c.inTags[l.in] {
				all = append(all, Request{s.File, l.Method, l.URL, l.form != nil, c.sent(s, l.form)})
			}
		}
		for _, f := range s.Links.Forms {
			urls := []string{path(f.URL)}
			switch {
			case f.own && s.URLs != nil:
				urls = s.URLs
			case f.own || strings.HasPrefix(f.URL, pattern.Hole):
				urls = []string{""}
			}
			for _, url := range urls {
				if !c.inTags[f.in] && (url == "" || isPath(url) && !strings.ContainsAny(url, "{}<>`$")) {
					all = append(all, Request{s.File, f.Method, url, true, c.sent(s, f)})
				}
			}
		}
	}
	return all
}

// sent returns the fields of a form, with those of the templates that it calls. f may be nil.
func (c *checker) sent(s *Source, f *Form) (fields []Field) {
	if f == nil {
		return nil
	}
	c.source = s
	_, called := c.whole(f)
	return append(c.resolve(nil, f.Fields), called...)
}
