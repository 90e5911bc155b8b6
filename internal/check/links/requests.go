package links

import (
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
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
// without a URL is sent to each of those of the pages that have it.
func Requests(sources []Source, named Named) (all []Request) {
	if slices.ContainsFunc(sources, func(s Source) bool { return s.Links.moved }) {
		return nil
	}
	c := checker{named: named, inTags: calledInTags(sources), having: having(sources)}
	for i := range sources {
		c.source = &sources[i]
		file := c.source.File
		for _, l := range c.source.Links.Links {
			switch {
			case c.inTags[l.in]:
			case l.form == nil:
				all = append(all, Request{File: file, Method: l.Method, URL: l.URL})
			default:
				f, fields := c.sent(l.form)
				all = append(all, Request{file, f.plain, l.URL, true, fields})
			}
		}
		for _, f := range c.source.Links.Forms {
			if c.inTags[f.in] {
				continue
			}
			whole, fields := c.sent(f)
			for _, url := range urlsOfForm(f, c.source, sources) {
				all = append(all, Request{file, whole.Method, url, true, fields})
			}
		}
	}
	return all
}

// urlsOfForm returns the URLs that a form of a file is sent to, or "" if that is not known. There is none
// for another server.
func urlsOfForm(f *Form, of *Source, sources []Source) (urls []string) {
	url := path(f.URL)
	switch {
	case f.own:
		urls = slices.Clone(of.URLs)
		for _, page := range sources {
			if page.File != of.File && page.With != nil && page.With(of.File) {
				urls = append(urls, page.URLs...)
			}
		}
	case isPath(url) && !strings.ContainsAny(url, "{}<>`$"):
		return []string{url}
	case !strings.HasPrefix(url, pattern.Hole):
		return nil
	}
	if urls == nil {
		return []string{""}
	}
	return urls
}

// sent returns a form of the source with what the templates say about it that it calls, and its fields.
func (c *checker) sent(f *Form) (whole *Form, fields []Field) {
	whole, called := c.whole(f)
	return whole, append(c.resolve(nil, f.Fields), called...)
}
