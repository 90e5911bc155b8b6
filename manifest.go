package flow

import (
	"strings"

	"example.com/flow/internal/check/manifest"
	"example.com/flow/internal/site"
)

// manifest returns what the application answers, and what its pages ask for. It is the same from every
// directory.
func (r *Router) manifest() *manifest.Manifest {
	routes := r.table.Load().site
	m := &manifest.Manifest{Format: manifest.Format, Program: manifest.Program(), Host: manifest.NewHost("", routes, r.inManifest())}
	for _, hosts := range r.mountedHosts() {
		m.Hosts = map[string]manifest.Host{}
		for name, of := range hosts {
			m.Hosts[name] = manifest.NewHost(name, routes, of.inManifest())
		}
	}
	return m
}

// inManifest returns what a manifest has of the Router and of those mounted inside it.
func (r *Router) inManifest() (all []manifest.Router) {
	for _, inner := range r.withMounted() {
		t, m := inner.table.Load(), manifest.Router{Assets: map[string]manifest.Asset{}, File: inner.stableFile}
		for _, e := range t.routes {
			m.Routes = append(m.Routes, e.asRoute())
		}
		for name, a := range t.assets {
			m.Assets[name] = manifest.Asset{Pattern: a.pattern, Hashed: a.hashed}
		}
		m.Pages, m.Fields = inner.checkedViews().Links(site.PageURLs(inner.tree))
		all = append(all, m)
	}
	return all
}

// stableFile returns the name of a template for messages without what depends on the working directory.
// If the Router is mounted, the name begins with the directory of its application.
func (r *Router) stableFile(shown string) string {
	file := shown
	if r.tree.Dir != "" {
		file = strings.TrimPrefix(shown, r.tree.Dir+"/")
	}
	if r.outer() == nil {
		return file
	}
	return r.inApp(file)
}
