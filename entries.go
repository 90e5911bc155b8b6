package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"example.com/flow/internal/serve/pages/content"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/match"
)

// An Entry is a page in the lists of pages, which are for an index, a sidebar, a feed or a sitemap. F
// is the type of what the formats of the Router find in a page: see FormatOf. In templates, {{page}}
// is the Entry of the page that is rendered, {{page "docs"}} that of the directory's own page, and
// {{pages "blog"}} are those that Entries returns.
//
// Each page with a URL without parameters has an Entry with that URL, whether it is in a format, or
// .html. {{page}} is never nil: on an error page, and on a page whose URL has parameters, it has no
// URL, no list has it, and its Parent is the nearest page above.
//
// Entries are shared by all requests, and safe for concurrent use. Nobody may change them, nor what
// Front, Children and Trail hold.
type Entry[F any] struct {
	URL   string // "/docs/intro"; "" if it has parameters
	Path  string // of the file below router/, without extension, and with groups: "(site)/docs/intro"
	Title string // the field Title of Front if that has one, else the text of {{define "title"}}; "" if actions are in it
	Front F      // what the format has found in the page; for an .html page in its {{define "front matter"}}, or else the zero value

	// HTML is the page without its layouts: what the format has made, or the text of an .html page
	// without actions. It is "" for an .html page with actions, whose text depends on more.
	HTML template.HTML

	// Guarded says that a guard runs before the page, so that not everybody gets it. Lists have such
	// a page all the same.
	Guarded bool

	Parent   *Entry[F]   // the nearest page above, by URL; nil if there is none
	Children []*Entry[F] // the pages whose Parent this is, in order

	// Prev and Next are the pages before and after this one, in the order that Entries describes,
	// below the same first directory: those of /docs and of what is below it follow each other. They
	// are nil at the ends.
	Prev, Next *Entry[F]
}

// Trail returns the pages above e, the outermost first, without e itself.
func (e *Entry[F]) Trail() (above []*Entry[F]) {
	if e == nil {
		return nil
	}
	for p := e.Parent; p != nil; p = p.Parent {
		above = append(above, p)
	}
	slices.Reverse(above)
	return above
}

// Is reports whether e and other are the same page.
func (e *Entry[F]) Is(other *Entry[F]) bool {
	return e != nil && other != nil && e.Path == other.Path && e.URL == other.URL
}

// Holds reports whether other is e, or below e.
func (e *Entry[F]) Holds(other *Entry[F]) bool {
	for ; other != nil; other = other.Parent {
		if e.Is(other) {
			return true
		}
	}
	return false
}

// Entries returns the pages of r below a directory, without the page of the directory itself. dir is
// the path of the directory below router/, with its groups or without them: Entries(r, "blog") has
// /blog/hello, and not /blog. Entries(r, "") returns all pages, with the one at /. The list is the
// caller's own, and may be changed; the entries in it may not.
//
// The order is that of a tree: each page stands before its Children. If F has a method
// Compare(F) int, that orders the children of a page. Those that it finds equal, and all if there is
// no such method, are in the order of their paths.
//
// It is an error if no page with a URL is in the directory, if r has no Formats, or some of another
// type than F, and if r has faults. Entries cannot be called while Check runs, as in a function of
// With, nor by the function of a format. In development it returns the pages as they are on disk.
func Entries[F any](r *Router, dir string) ([]*Entry[F], error) {
	fail := func(err error) ([]*Entry[F], error) { return nil, fmt.Errorf("flow: Entries(%q): %w", dir, err) }
	if r.building.Load() || r.outermost().building.Load() {
		return fail(errors.New("the pages are being compiled: call it later, such as in a handler"))
	}
	t := r.compile()
	if t.err != nil {
		return fail(fmt.Errorf("the application has faults: %w", t.err))
	}
	views, faults := t.currentViews(context.Background())
	x, ok := views.Entries().(*content.Entries[Entry[F]])
	switch {
	case ok:
	case len(r.Formats) == 0:
		return fail(errors.New("the Router has no Formats"))
	case faults != nil: // only in development
		return fail(faults)
	default:
		return fail(fmt.Errorf("the Formats of the Router find %v in a page, and this asks for %v", r.firstFormat().made.Front, reflect.TypeFor[F]()))
	}
	list, err := x.List(dir)
	if err != nil {
		return fail(err)
	}
	return list, nil
}

// entriesOf returns the entries of pages, and an error if F cannot put them in order.
func entriesOf[F any](pages []content.Page) (templates.Entries, error) {
	all := make([]Entry[F], len(pages))
	title := content.TitleOf[F]()
	for i, p := range pages {
		e := &all[i]
		*e = Entry[F]{URL: p.URL, Path: p.Path, Title: p.Title, HTML: p.HTML, Guarded: p.Guarded}
		if front, ok := p.Front.(F); ok { // formats may have other types, which is reported elsewhere
			e.Front = front
			e.Title = cmp.Or(title(e.Front), p.Title)
		}
	}
	x, err := content.New(pages, content.Comparing(len(pages), func(i int32) *F { return &all[i].Front }))
	if err != nil {
		err = fmt.Errorf("Router.Formats: the method Compare of %v %w", reflect.TypeFor[F](), err)
	}
	entries := content.NewEntries(x, pages, all)
	for i, n := range x.Nodes {
		e := &all[i]
		e.Parent, e.Prev, e.Next = entries.Of(n.Parent), entries.Of(n.Prev), entries.Of(n.Next)
		for _, child := range n.Children {
			e.Children = append(e.Children, entries.Of(child))
		}
	}
	return entries, err
}

// A listedPage is a page that lists have: its URL has no parameters.
type listedPage struct {
	url     string
	guarded bool
}

// readListed notes the pages that lists have.
func (c *compiler) readListed() {
	if len(c.router.Formats) == 0 {
		return
	}
	c.table.listed = map[string]listedPage{}
	for _, r := range c.tree.Routes {
		p := r.Patterns[0] // the URL without optional segments
		if !r.Page || r.Store || len(p.Names) > 0 {
			continue
		}
		answers := c.plan.Answers(r)
		i := slices.IndexFunc(answers, func(a answer) bool { return a.Verb.Method == http.MethodGet })
		if i < 0 {
			i = slices.IndexFunc(answers, func(a answer) bool { return a.Verb.Method == match.AnyMethod })
		}
		if i >= 0 {
			guarded := slices.ContainsFunc(answers[i].Before, func(u *use) bool { return u.Middleware.guard != nil })
			c.table.listed[r.Path] = listedPage{p.URL(nil), guarded || c.table.guarded()}
		}
	}
}

// firstFormat returns a format of the Router; all of them have one F. It returns the zero Format if there
// is none.
func (r *Router) firstFormat() Format {
	for _, ext := range slices.Sorted(maps.Keys(r.Formats)) {
		if f := r.Formats[ext]; f.entries != nil {
			return f
		}
	}
	return Format{}
}

// lists returns what the functions page and pages of templates return, or nil if the Router has no
// formats.
func (t *table) lists(r *Router) *templates.Lists {
	f := r.firstFormat()
	if f.entries == nil {
		return nil
	}
	return &templates.Lists{Entry: f.entry, Make: f.entries, Page: func(path string) (string, bool) {
		p := t.listed[path]
		return p.url, p.guarded
	}}
}
