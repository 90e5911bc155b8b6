// Package unguarded warns of route files that lack the guards of others below the same URL.
package unguarded

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
)

// Check warns of route files that are below a guarded URL, and beside the directory that has
// the guards:
//
//	(staff)/staff/index.html    /staff            guarded by In("(staff)")
//	staff/reports.html          /staff/reports    public, since it leaves out the group
//
// The page of a URL decides whether what is below it should have its guards: of /articles, if
// that is public, and only (editors)/articles/new.html is not, there is nothing to say. If there
// is no page, a parameter decides, as (staff)/staff/[id].html; else any file that is guarded. At
// the root nothing is said, since most applications have public and guarded pages there.
//
// What is meant says so: by a group of its own, (public)/staff/login.html, or by a guard of its
// own, whatever that does.
//
// guard returns the name of a guard, and false for standard middleware. same reports whether
// guards of two registrations are surely the same: require("admin") and require("user") have
// one name.
func Check[H, M any](p *registry.Plan[H, M], guard func(M) (name string, ok bool), same func(a, b M) bool) (warnings []fault.Fault) {
	g := guards[H, M]{plan: p, name: guard, same: same, dirs: map[string][]given[M]{}}
	if !slices.ContainsFunc(p.Dirs, func(d *registry.Dir[H, M]) bool {
		return strings.Contains(d.Path, "(") && len(g.of(d.Uses, d.Path)) > 0
	}) {
		return nil // a path without a group covers all files below a URL
	}
	sections := sectionsOf(p.Tree.Routes)
	for _, r := range p.Tree.Routes {
		for _, at := range slices.Backward(urlDirs(r.Path)) {
			others, decided := sections[at.url].others(at.dir)
			for _, other := range others {
				if f, ok := g.compare(r, at, other); ok {
					warnings, decided = append(warnings, f), true
					break
				}
			}
			if decided {
				break
			}
		}
	}
	return warnings
}

// A urlDir is a directory of the tree, such as "(staff)/staff", and that of its URLs, "staff".
type urlDir struct{ url, dir string }

// urlDirs returns the directories that a file is in, without router/ and groups at the end. An
// optional parameter in front, as the language of a site is, is no part of the URL: /about of
// [[lang]]/about is at the root.
func urlDirs(file string) (all []urlDir) {
	var at urlDir
	elems := strings.Split(file, "/")
	for _, elem := range elems[:len(elems)-1] {
		at.dir = path.Join(at.dir, elem)
		if !routetree.IsGroup(elem) && (at.url != "" || !strings.HasPrefix(elem, "[[")) {
			at.url = path.Join(at.url, elem)
			all = append(all, at)
		}
	}
	return all
}

// A section has the route files of a directory of URLs, by the directories of the tree.
type section struct {
	page, param *inDir // nil if there is none
	files       []inDir
}

// An inDir is a directory of the tree with one of its files.
type inDir struct {
	dir  string
	file *routetree.Route
}

// others returns the files that a file of a directory is compared with. decided reports whether
// the URLs above have nothing to say then.
func (s *section) others(dir string) (others []inDir, decided bool) {
	decides := cmp.Or(s.page, s.param)
	switch {
	case decides == nil:
		return s.files, false
	case decides.dir == dir: // whether all of the directory is in its place, the URLs above say
		return nil, false
	}
	return []inDir{*decides}, true
}

// sectionsOf returns the sections of a tree by the directories of URLs.
func sectionsOf(routes []*routetree.Route) map[string]*section {
	all := map[string]*section{}
	section := func(url string) *section {
		if all[url] == nil {
			all[url] = &section{}
		}
		return all[url]
	}
	for _, r := range routes {
		dirs, base := urlDirs(r.Path), path.Base(r.Path)
		var at urlDir // the root
		for _, at = range dirs {
			section(at.url)
		}
		s, in := section(at.url), inDir{at.dir, r}
		if !slices.ContainsFunc(s.files, func(o inDir) bool { return o.dir == in.dir }) {
			s.files = append(s.files, in)
		}
		isOptional := strings.HasPrefix(base, "[[")
		if base == "index" || isOptional {
			s.page = &in
		}
		if strings.HasPrefix(base, "[") && s.param == nil {
			s.param = &in
		}
		if base != "index" && base != "store" { // the file beside a directory
			section(path.Join(at.url, base)).page = &inDir{r.Path, r}
		}
	}
	return all
}

// given is a guard as it is registered.
type given[M any] struct {
	use  *registry.Use[M] // the registration
	name string
	in   string // the path of the call of In, if it is one
}

// guards finds out which guards run for what.
type guards[H, M any] struct {
	plan *registry.Plan[H, M]
	name func(M) (string, bool)
	same func(a, b M) bool
	dirs map[string][]given[M] // what is known of directories
}

// of returns the guards of a list that was registered by In(in).
func (g guards[H, M]) of(uses []*registry.Use[M], in string) (all []given[M]) {
	for _, u := range uses {
		if name, ok := g.name(u.Middleware); ok {
			all = append(all, given[M]{u, name, in})
		}
	}
	return all
}

// has reports whether a guard is one of a list.
func (g guards[H, M]) has(list []given[M], guard given[M]) bool {
	return slices.ContainsFunc(list, func(o given[M]) bool {
		return o.use == guard.use || g.same(o.use.Middleware, guard.use.Middleware)
	})
}

// ofDir returns the guards of the files of a directory.
func (g guards[H, M]) ofDir(dir string) (all []given[M]) {
	all, known := g.dirs[dir]
	if known {
		return all
	}
	for _, d := range g.plan.Around(path.Join(dir, "index")) {
		all = append(all, g.of(d.Uses, d.Path)...)
	}
	g.dirs[dir] = all
	return all
}

// ofRoute returns the guards of a file: those of its directories, its own, and those of single
// methods.
func (g guards[H, M]) ofRoute(r *routetree.Route) (all []given[M]) {
	b := g.plan.Of(r)
	all = g.of(b.Uses, "")
	for _, d := range g.plan.Around(r.Path) {
		all = append(all, g.of(d.Uses, d.Path)...)
	}
	for _, v := range b.Begun {
		all = append(all, g.of(v.Uses, "")...)
	}
	return all
}

// compare returns a warning if a file lacks guards of another one, and leaves out groups of its
// directory. at is where the file is.
func (g guards[H, M]) compare(r *routetree.Route, at urlDir, other inDir) (f fault.Fault, lacks bool) {
	if at.dir == other.dir || !routetree.Means(at.dir, other.dir) {
		return f, false
	}
	all, own := g.ofDir(other.dir), g.ofRoute(r)
	if slices.ContainsFunc(own, func(guard given[M]) bool { return !g.has(all, guard) }) {
		return f, false // it is guarded in its own way
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(guard given[M]) bool { return g.has(own, guard) })
	if len(missing) == 0 {
		return f, false
	}
	rest := strings.TrimPrefix(r.Path, at.dir) + path.Ext(r.File)
	open := path.Join(path.Dir(at.dir), "(public)", path.Base(at.dir))
	return fault.Warn(r.File, 0, "it lacks the guard %s, which In(%q) gives to %s below the same /%s: move it to %s; or, if that is meant, into a group of its own, such as %s, or give it a guard of its own",
		missing[0].name, missing[0].in, other.file.File, at.url, other.dir+rest, open+rest), true
}
