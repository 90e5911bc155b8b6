package flow

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/accept"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/serve/wire/server"
)

// Hosts answers the requests for each host with a Router of its own:
//
//	flow.Hosts{"admin.example.com": admin.Router, "": site.Router}
//
// A name is that of a whole host, in lower case and without a port: "example.com", "[::1]". As
// in patterns of http.ServeMux, no name stands for several hosts, except "", which stands for
// all others. Without it, a request for another host is answered with 404. The port of a
// request, upper case and a dot at the end make no difference.
//
// Serve knows the Routers of Hosts: it checks all of them, and calls their functions of OnStart
// and OnStop. So do Serve, Main and Run for a Router in which Hosts are mounted at "/". Its
// route files go before those of the Routers, and its middleware runs for all hosts. One Router
// may have several names. It answers with its own URLs, and so is not mounted itself.
type Hosts map[string]*Router

var _ http.Handler = Hosts{}

// ServeHTTP answers a request with the Router of its host.
func (hosts Hosts) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r := hosts[pattern.PlainHost(req.Host)]
	if r = cmp.Or(r, hosts[""]); r == nil {
		w.Header()["X-Content-Type-Options"] = nosniff
		send(problemResponse(reply.Problem{Status: http.StatusNotFound}, accept.MediaType(acceptOf(req), false)), w, req.Method == http.MethodHead)
		return
	}
	r.ServeHTTP(w, req)
}

// Check returns the faults of the names and of all Routers as one error, as Router.Check does.
// Serve calls it, and so does Check of a Router in which the Hosts are mounted.
func (hosts Hosts) Check() error { return fault.Join(hosts.faults()) }

// faults returns the faults and warnings of the names and of all Routers.
func (hosts Hosts) faults() (faults []fault.Fault) {
	add := func(host, format string, args ...any) {
		faults = append(faults, fault.Fault{Text: fmt.Sprintf("Hosts[%q]: ", host) + fmt.Sprintf(format, args...)})
	}
	if len(hosts) == 0 {
		faults = append(faults, fault.Fault{Text: "Hosts: there is no Router"})
	}
	checked := map[*Router]bool{nil: true}
	for _, host := range hosts.names() {
		r := hosts[host]
		if wrong := pattern.CheckHost(host); wrong != "" {
			add(host, "%s", wrong)
		}
		switch {
		case r == nil:
			add(host, "the Router is nil")
		case r.outer() != nil:
			add(host, "the Router is mounted at %q by %v, and answers there only: call New for another one", r.mounted.Load().text, r.mounted.Load().pos)
		case len(routersOf(r)) > 1:
			add(host, "Hosts are mounted in this Router: write all hosts into one map")
		case !checked[r]:
			checked[r] = true
			t := r.compile()
			for _, f := range append(fault.Of(t.err), fault.Of(t.warnings)...) {
				f.Text = fmt.Sprintf("Hosts[%q]: %s", host, f.Text)
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// names returns the names of the hosts in order. The name "" is the first.
func (hosts Hosts) names() []string { return slices.Sorted(maps.Keys(hosts)) }

// routersOf returns the Routers that a handler of Serve answers with: one that is given, those
// of Hosts, and those of Hosts that are mounted in them. Each has functions of OnStart and
// OnStop of its own. It returns none for any other handler.
func routersOf(h http.Handler) (all []*Router) {
	add := func(more ...*Router) {
		for _, r := range more {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	switch h := h.(type) {
	case *Router:
		add(h) // the functions of those mounted inside are among its own
		for _, hosts := range h.mountedHosts() {
			add(routersOf(hosts)...)
		}
	case Hosts:
		for _, host := range h.names() {
			if r := h[host]; r != nil {
				add(r.outermost())
			}
		}
	}
	return all
}

// mountedHosts returns the Hosts that are mounted in r, and in those mounted inside it.
func (r *Router) mountedHosts() (all []Hosts) {
	for _, r := range r.withMounted() {
		for _, m := range r.mounts {
			if hosts, ok := m.handler.(Hosts); ok && !m.refused {
				all = append(all, hosts)
			}
		}
	}
	return all
}

// hooksOf returns the functions of OnStart and OnStop of Routers.
func hooksOf(routers []*Router) (all []*server.Hooks) {
	for _, r := range routers {
		all = append(all, &r.hooks)
	}
	return all
}

// hasRouter reports whether r is one of the Routers of Hosts, or is mounted in one of them.
func (hosts Hosts) hasRouter(r *Router) bool {
	for _, other := range hosts {
		if other != nil && r.isInside(other) {
			return true
		}
	}
	return false
}

// whyNoHosts returns why Hosts cannot be mounted here, or "".
func (m *Mounted) whyNoHosts(hosts Hosts) string {
	switch {
	case len(m.prefix)+len(m.outer.prefix()) > 0:
		return `Hosts match whole paths: mount them at "/"`
	case hosts.hasRouter(m.outer):
		return "a Router cannot be mounted inside itself"
	}
	return ""
}
