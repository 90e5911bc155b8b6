package prove

import (
	"slices"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/routes/pattern"
)

// Policy returns warnings about what browsers refuse to run or to load on the page under the policy of
// its Router. fixed says that the page is rendered once, so that hashes allow its inline scripts and
// styles.
func (p *Page) Policy(policy csp.Policy, fixed bool) (all []fault.Fault) {
	if len(policy) == 0 {
		return nil
	}
	c := policyCheck{policy: policy, fixed: fixed, upgrades: policy.Find("upgrade-insecure-requests") != nil}
	eachLive(p.Nodes, func(n markup.Node, _ spot) {
		tag, ok := n.(*markup.Tag)
		c.moved = c.moved || ok && slices.ContainsFunc(tag.Ways, leadsAway)
	})
	eachLive(p.Nodes, func(n markup.Node, at spot) {
		if tag, ok := n.(*markup.Tag); ok {
			all = append(all, p.refusals(&c, tag, at)...)
		}
	})
	return all
}

// leadsAway reports whether a tag is a <base> that may lead relative URLs to another site.
func leadsAway(w markup.Way) bool {
	href, ok := w.Get("href")
	return w.Name == "base" && ok && !parseURL(href.Value).isOwn()
}

// refusals returns warnings about a tag.
func (p *Page) refusals(c *policyCheck, tag *markup.Tag, at spot) (all []fault.Fault) {
	ways := make([][]refusal, len(tag.Ways))
	var different []refusal
	for i := range tag.Ways {
		ways[i] = c.way(&tag.Ways[i], at)
		for _, r := range ways[i] {
			if !r.isIn(different) {
				different = append(different, r)
			}
		}
	}
	for _, r := range different {
		when, ok := p.always(at.around, tag.Ways, func(i int) bool { return r.isIn(ways[i]) })
		if !ok {
			continue
		}
		if r.unlessOwn {
			when += ", unless that is this site"
		}
		all = append(all, p.warn(r.at, "the policy refuses %s%s: %s (%s)", r.what, when, r.remedy, csp.Policy{*r.by}))
	}
	return all
}

// A refusal is what a policy refuses.
type refusal struct {
	what, remedy string
	by           *csp.Directive
	unlessOwn    bool // the URL, or a source of the directive, may be the site itself
	at           markup.Place
}

// isIn reports whether the same is refused.
func (r refusal) isIn(all []refusal) bool {
	return slices.ContainsFunc(all, func(o refusal) bool {
		return o.what == r.what && o.remedy == r.remedy && o.by == r.by && o.unlessOwn == r.unlessOwn
	})
}

// toScript is the remedy for code that is not in a script.
const toScript = "put the code into a script with addEventListener"

// remedyFor returns the remedy for an attribute that htmx evaluates. Some of them are values, of which a
// listener can make nothing.
func remedyFor(name string) string {
	switch name {
	case "hx-vals", "hx-vars":
		return "write hx-vals as JSON, or put the value into a hidden input"
	case "hx-headers", "hx-request":
		return "write " + name + " as JSON"
	}
	return toScript
}

// A policyCheck checks tags against a policy.
type policyCheck struct {
	policy   csp.Policy
	fixed    bool // the page is rendered once
	upgrades bool // browsers ask for http: URLs with https:
	moved    bool // a <base> may lead relative URLs to another site
}

// way returns what is refused of a tag.
func (c *policyCheck) way(w *markup.Way, at spot) (all []refusal) {
	add := func(r *refusal) {
		if r != nil {
			all = append(all, *r)
		}
	}
	for _, a := range w.Attrs {
		add(c.attribute(w, a))
	}
	if at.inTemplate { // where the rest means nothing
		return all
	}
	switch w.Name {
	case "script":
		add(c.script(w, at.rest))
	case "style":
		add(c.inline(w, at.rest, "style-src-elem"))
	case "link":
		all = append(all, c.link(w)...)
	case "form":
		if !w.Has("action") && !w.MoreAttrs && !sentByHTMX(w) && !isDialog(w) {
			add(c.load(w, "form-action", "the form to this page", "", w.Place))
		}
	}
	for _, a := range w.Attrs {
		name := htmxName(a.Name)
		if d := Deciding(c.policy, "script-src"); isEvaluated(name, a.Value) && d != nil && !hasKeyword(d, "'unsafe-eval'") {
			add(&refusal{what: of(a, w) + ", which htmx evaluates", remedy: remedyFor(name), by: d, at: a.Place})
		}
		for _, s := range sources {
			if s.attr != name || s.elements != "" && !slices.Contains(strings.Fields(s.elements), w.Name) || isUnused(w, name) {
				continue
			}
			for _, url := range urls(a) {
				add(c.load(w, s.directive, s.what+" "+url.shown, url.text, a.Place))
			}
		}
	}
	return all
}

// of names an attribute of a tag.
func of(a markup.Attr, w *markup.Way) string { return a.Name + " of " + shown(w) }

// shown names the element of a tag.
func shown(w *markup.Way) string {
	return "<" + strings.ReplaceAll(w.Name, pattern.Hole, "{{…}}") + ">"
}

// attribute returns the refusal of the code or the style in an attribute.
func (c *policyCheck) attribute(w *markup.Way, a markup.Attr) *refusal {
	r := refusal{what: of(a, w), remedy: toScript, at: a.Place}
	switch {
	case events[a.Name]:
		r.by = Deciding(c.policy, "script-src-attr")
	case a.Name == "style":
		r.by, r.remedy = Deciding(c.policy, "style-src-attr"), "put it into a style sheet"
	case runsCode(w, a):
		r.by, r.what = Deciding(c.policy, "script-src-elem"), "the javascript: URL of "+shown(w)
	}
	if d := r.by; d == nil || allowsInline(d, a.Name != "style", c.fixed) || hasKeyword(d, "'unsafe-hashes'") && hasHash(d) {
		return nil
	}
	return &r
}

// inline returns the refusal of an element with code or a style in it.
func (c *policyCheck) inline(w *markup.Way, rest []markup.Node, directive string) *refusal {
	d := Deciding(c.policy, directive)
	if d == nil || w.MoreAttrs || allowsInline(d, strings.HasPrefix(directive, "script"), c.fixed) || allowsNonce(d) && (c.fixed || hasNonce(w)) {
		return nil
	}
	text, written, known := inside(rest)
	if !written && w.Name == "script" || hasHash(d) && (!known || allowsHash(d, text)) {
		return nil
	}
	remedy := writeNonce(w, d, directive)
	if !allowsNonce(d) && !hasKeyword(d, "'strict-dynamic'") && allowsURL(d, parseURL("/")) == allowed {
		remedy = "put it into a file, or " + remedy
	}
	return &refusal{what: "<" + w.Name + ">", remedy: remedy, by: d, at: w.Place}
}

// script returns the refusal of a script.
func (c *policyCheck) script(w *markup.Way, rest []markup.Node) *refusal {
	kind, known := kindOf(w)
	src, external := w.Get("src")
	switch {
	case !known || kind == dataBlock || w.Has("nomodule"):
		return nil
	case !external:
		if d := Deciding(c.policy, "script-src-elem"); kind == speculationRules && d != nil && hasKeyword(d, "'inline-speculation-rules'") {
			return nil
		}
		return c.inline(w, rest, "script-src-elem")
	case kind != javaScript: // browsers read these from no file
		return nil
	}
	all := urls(src)
	if len(all) == 0 {
		return nil
	}
	return c.load(w, "script-src-elem", "the script "+all[0].shown, all[0].text, src.Place)
}

// link returns what is refused of a <link>.
func (c *policyCheck) link(w *markup.Way) (all []refusal) {
	rels, as := strings.ToLower(w.Value("rel")), strings.ToLower(w.Value("as"))
	if w.MoreAttrs || strings.Contains(rels+as, pattern.Hole) {
		return nil
	}
	for _, rel := range strings.Fields(rels) {
		kind, attrs := links[rel], []string{"href"}
		if rel == "preload" {
			kind, attrs = preloads[as], []string{"href", "imagesrcset"}
		}
		for _, attr := range attrs {
			a, ok := w.Get(attr)
			if !ok || kind.directive == "" {
				continue
			}
			for _, url := range urls(a) {
				if r := c.load(w, kind.directive, kind.what+" "+url.shown, url.text, a.Place); r != nil {
					all = append(all, *r)
				}
			}
		}
	}
	return all
}

// load returns the refusal of what a tag has a browser load from a URL, or send there.
func (c *policyCheck) load(w *markup.Way, directive, what, text string, at markup.Place) *refusal {
	d, url := Deciding(c.policy, directive), parseURL(text)
	if d == nil || url.scheme == "about" || url.scheme == "javascript" || c.moved && url.isOwn() && directive != "base-uri" {
		return nil
	}
	if c.upgrades {
		url = url.upgraded()
	}
	remedy, permission := toAllow(d, directive, url), allowsURL(d, url)
	if script := directive == "script-src-elem"; script || directive == "style-src-elem" {
		switch {
		case w.MoreAttrs, allowsNonce(d) && hasNonce(w), script && w.Has("integrity") && hasHash(d):
			return nil
		case script && hasKeyword(d, "'strict-dynamic'"):
			if strings.EqualFold(w.Value("rel"), "modulepreload") { // as if a script asked for it
				return nil
			}
			remedy, permission = writeNonce(w, d, directive), refused
		case allowsNonce(d):
			remedy = writeNonce(w, d, directive)
		}
	}
	if permission < refusedUnlessOwn {
		return nil
	}
	return &refusal{what: what, remedy: remedy, by: d, unlessOwn: permission == refusedUnlessOwn, at: at}
}

// writeNonce returns how a nonce allows an element that is refused.
func writeNonce(w *markup.Way, d *csp.Directive, directive string) string {
	write := `write nonce="{{nonce}}"`
	if !strings.HasSuffix(w.File, ".html") { // an action is text in it
		write = `put it into a template, with nonce="{{nonce}}"`
	}
	if allowsNonce(d) {
		return write
	}
	return addSource(d, directive, csp.Nonce) + ", and " + write
}

// toAllow returns how a source allows a URL that is refused.
func toAllow(d *csp.Directive, directive string, url loadedURL) string {
	switch source := url.source(); {
	case source == "":
		return "the URL needs a source in " + directive
	case source == "data:" && directive == "script-src-elem": // which would allow any script
		return "put it into a file"
	default:
		return addSource(d, directive, source)
	}
}

// addSource returns how a source gets into a policy: into the directive, or into one that is made of
// the one that decides in its place.
func addSource(d *csp.Directive, directive, source string) string {
	directive = strings.TrimSuffix(directive, "-elem")
	if strings.HasPrefix(d.Name, directive) {
		if hasKeyword(d, "'none'") {
			return "write " + source + " in place of 'none'"
		}
		return "add " + source
	}
	own := csp.Directive{Name: directive}
	for _, s := range d.Sources {
		if s == "'self'" || !strings.HasPrefix(s, "'") {
			own.Sources = append(own.Sources, s)
		}
	}
	if !slices.Contains(own.Sources, source) {
		own.Sources = append(own.Sources, source)
	}
	return "add " + csp.Policy{own}.String()
}

// hasNonce reports whether a tag has a nonce that an action writes.
func hasNonce(w *markup.Way) bool { return strings.Contains(w.Value("nonce"), pattern.Hole) }
