package vet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// checkPath looks at At.
func (c *checker) checkPath(call calls.Call) {
	apps := c.module.scope(c.unit, call.ForDirectory())
	if !call.Constant || len(apps) == 0 || slices.ContainsFunc(apps, func(a *app) bool { return len(routetree.Find(a.byPath, call.Value)) > 0 }) {
		return
	}
	c.report(call.Pos(), "At(%q): the tree has no such route file%s", call.Value, pathHint(apps, call.Value, false))
}

// checkDir looks at In.
func (c *checker) checkDir(call calls.Call) {
	apps := c.module.scope(c.unit, call.ForDirectory())
	if !call.Constant || len(apps) == 0 || slices.ContainsFunc(apps, func(a *app) bool { return a.tree.Covers(call.Value) }) {
		return
	}
	if slices.ContainsFunc(apps, func(a *app) bool { return a.tree.HasDir(call.Value) }) {
		c.report(call.Pos(), "In(%q): no route file is in that directory, so this would guard nothing: have the files been moved?", call.Value)
		return
	}
	c.report(call.Pos(), "In(%q): the tree has no such directory%s", call.Value, pathHint(apps, call.Value, true))
}

// checkList looks at Entries.
func (c *checker) checkList(call calls.Call) {
	apps := c.module.scope(c.unit, false)
	if !call.Constant || call.Value == "" || len(apps) == 0 {
		return
	}
	known := map[string]bool{}
	for _, a := range apps {
		dirs := project.Listed(a.tree)
		if !a.formats || len(routetree.Find(dirs, call.Value)) > 0 {
			return
		}
		maps.Copy(known, keys(dirs))
	}
	c.report(call.Pos(), "Entries(%q): no page without parameters is below that directory%s", call.Value, routetree.SuggestPath(call.Value, known, fmt.Sprintf(": write the path below %s/", routetree.RouterDir)))
}

// pathHint says what a path was likely meant to be, which may be that of a directory if dirs:
// as Check does, or else one that is spelled nearly so.
func pathHint(apps []*app, written string, dirs bool) string {
	all := map[string]bool{}
	hint := ""
	for _, a := range apps {
		hint = a.tree.Hint(written)
		if strings.Contains(hint, " is called ") {
			return hint
		}
		maps.Copy(all, keys(a.byPath))
		if dirs {
			maps.Copy(all, a.tree.Dirs)
		}
	}
	return routetree.SuggestPath(written, all, hint)
}

func keys[V any](m map[string]V) map[string]bool {
	all := make(map[string]bool, len(m))
	for key := range m {
		all[key] = true
	}
	return all
}

// checkTemplate looks at View and ViewOf.
func (c *checker) checkTemplate(call calls.Call) {
	apps := c.module.scope(c.unit, call.ForDirectory())
	if !call.Constant || len(apps) == 0 {
		return
	}
	known := map[string]bool{}
	for _, a := range apps {
		found := routetree.Find(a.tree.Templates, call.Value)
		if len(found) > 1 && len(apps) == 1 {
			c.report(call.Pos(), "%s: %q may be %q or %q: write which group", call.Name(), call.Value, found[0], found[1])
		}
		if len(found) > 0 || a.shared && strings.HasPrefix(path.Base(call.Value), "+") {
			return
		}
		maps.Copy(known, keys(a.tree.Templates))
	}
	c.report(call.Pos(), "%s: no template is called %q%s", call.Name(), call.Value, routetree.SuggestPath(call.Value, known, fmt.Sprintf(": give the path below %s/ without extension", routetree.RouterDir)))
}

// checkBlock looks at Block, of a View or a Page, or of what ViewOf or PageOf has returned.
func (c *checker) checkBlock(call calls.Call) {
	if !call.Constant {
		return
	}
	sources, ok := c.templatesOf(receiver(call.Expr))
	if !ok || len(sources) == 0 {
		return
	}
	known := map[string]bool{}
	for _, s := range sources {
		blocks, ok := blocksOf(s)
		if !ok || blocks[call.Value] {
			return
		}
		maps.Copy(known, blocks)
	}
	hint := fault.Suggest(call.Value, known, "")
	if len(sources) == 1 {
		c.report(call.Pos(), "Block(%q): %s has no such {{define}} or {{block}}%s", call.Value, sources[0].File, hint)
		return
	}
	c.report(call.Pos(), "Block(%q): no page that this may be of has such a {{define}} or {{block}}%s", call.Value, hint)
}

// templatesOf returns the templates that a Response may be of, and whether they are known.
// Where the source does not tell which, it may be of any.
func (c *checker) templatesOf(e ast.Expr) ([]routetree.Source, bool) {
	if sources, known := c.templatesIn(e, map[types.Object]bool{}); known {
		return sources, true
	}
	var all []routetree.Source
	for _, a := range c.module.scope(c.unit, false) {
		if a.shared {
			return nil, false
		}
		for _, name := range slices.Sorted(maps.Keys(a.tree.Templates)) {
			all = append(all, a.tree.Templates[name])
		}
	}
	return all, true
}

// templatesIn is templatesOf for what the source tells: calls of View and Page, and of what
// ViewOf and PageOf have returned, and variables that are set to nothing else. seen are the
// variables that it has come through.
func (c *checker) templatesIn(e ast.Expr, seen map[types.Object]bool) (all []routetree.Source, known bool) {
	switch expr := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		call, ok := calls.Of(c.declaration(expr), nil, c.info)
		switch {
		case ok && call.Kind == calls.Static: // PageOf
			r, known := c.counterpart(call.Expr.Pos())
			if !known || !r.Page {
				return nil, false
			}
			return []routetree.Source{c.app.tree.Templates[r.Path]}, true
		case ok && call.Kind == calls.Template && call.Constant:
			for _, a := range c.module.scope(c.unit, call.ForDirectory()) {
				for _, name := range routetree.Find(a.tree.Templates, call.Value) {
					all = append(all, a.tree.Templates[name])
				}
			}
			return all, len(all) > 0
		case ok && call.Kind == calls.Page:
			routes, known := c.module.routesAt(c.unit, c.places[expr])
			for _, r := range routes {
				for _, a := range c.module.apps {
					if a.byPath[r.Path] == r && r.Page {
						all = append(all, a.tree.Templates[r.Path])
					}
				}
			}
			return all, known
		case isResponse(c.typeOf(receiver(expr))):
			return c.templatesIn(receiver(expr), seen)
		}
	case *ast.Ident:
		obj := c.info.Uses[expr]
		if seen[obj] {
			return nil, true // it is set to what it was, as in answer = answer.Status(422)
		}
		seen[obj] = true
		for _, def := range c.defs[obj] {
			sources, known := c.templatesIn(def, seen)
			if !known {
				return nil, false
			}
			all = append(all, sources...)
		}
		return all, len(c.defs[obj]) > 0
	}
	return nil, false
}

// declaration returns the call of PageOf or ViewOf whose result a call calls, if that is a
// variable that is set once, or else the call itself.
func (c *checker) declaration(expr *ast.CallExpr) *ast.CallExpr {
	id, ok := ast.Unparen(expr.Fun).(*ast.Ident)
	if !ok {
		return expr
	}
	if defs := c.defs[c.info.Uses[id]]; len(defs) == 1 {
		if made, ok := defs[0].(*ast.CallExpr); ok {
			return made
		}
	}
	return expr
}

func isResponse(t types.Type) bool {
	return isFlowType(types.NewPointer(t), "Response")
}

// blocksOf returns the names that a template defines, and whether it could be read.
func blocksOf(s routetree.Source) (map[string]bool, bool) {
	if s.Files == nil {
		return nil, false
	}
	if path.Ext(s.InTree) != ".html" { // what looks like an action in it is text
		return map[string]bool{}, true
	}
	text, err := fs.ReadFile(s.Files, s.InTree)
	if err != nil {
		return nil, false
	}
	t := parse.New(s.File)
	t.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := t.Parse(string(text), "", "", trees); err != nil {
		return nil, false
	}
	blocks := keys(trees)
	delete(blocks, s.File)
	return blocks, true
}

// checkAsset looks at Asset.
func (c *checker) checkAsset(call calls.Call) {
	apps := c.module.scope(c.unit, false)
	if !call.Constant || len(apps) == 0 {
		return
	}
	known := map[string]bool{}
	for _, a := range apps {
		for _, p := range a.tree.Public {
			known[p.Name()] = true
		}
	}
	switch {
	case known[call.Value]:
	case known[strings.TrimLeft(call.Value, "/")]:
		c.report(call.Pos(), "Asset: no public file is called %q: write the path below %s/, without a slash before it", call.Value, routetree.PublicDir)
	default:
		c.report(call.Pos(), "Asset: no public file is called %q%s", call.Value, fault.Suggest(call.Value, known, fmt.Sprintf(": there is no %s/%s", routetree.PublicDir, call.Value)))
	}
}

// checkRoute looks at Route and RedirectTo.
func (c *checker) checkRoute(call calls.Call) {
	m := c.module
	if !call.Constant || c.open || c.app == nil && len(m.scope(c.unit, false)) == 0 {
		return
	}
	what, spread := call.Func.Name(), call.Expr.Ellipsis.IsValid()
	params := call.Expr.Args[1:]
	switch routes, known := m.named(call.Value); {
	case !known && !m.openNames:
		c.report(call.Pos(), "%s: no route is called %q%s", what, call.Value, m.nameHint(call.Value))
	case !spread && len(params)%2 != 0:
		c.report(call.Pos(), "%s(%q): parameters are pairs of key and value, and %d is odd", what, call.Value, len(params))
	case known && !spread:
		c.checkParams(call, routes, params)
	}
}

// checkParams looks at the parameters of a URL, which must do for one of the routes.
func (c *checker) checkParams(call calls.Call, routes []*routetree.Route, params []ast.Expr) {
	var values []any
	for i, p := range params {
		v, ok := c.value(p)
		if !ok && i%2 == 0 {
			return
		}
		values = append(values, v)
	}
	var first error
	for _, r := range routes {
		if r == nil {
			return
		}
		given := slices.Clone(values)
		longest := r.Longest()
		for i := 0; i < len(given); i += 2 { // what another matcher takes is the application's to say
			if key, ok := given[i].(string); ok {
				if seg, ok := longest.Param(key); ok && seg.Matcher != nil && seg.Matcher.Fits == nil {
					given[i+1] = routetree.Unknown{}
				}
			}
		}
		_, err := r.URL(nil, given)
		if err == nil {
			return
		}
		if first == nil {
			first = fmt.Errorf("route %q (%s): %w%s", call.Value, r.File, err, paramHint(err, given, longest.Names))
		}
	}
	if first != nil {
		c.report(call.Pos(), "%s: %v", call.Func.Name(), first)
	}
}

// paramHint says which keys are no parameters, if a parameter is missing: one of them may
// be meant to be it.
func paramHint(err error, given []any, names []string) string {
	if !strings.HasSuffix(err.Error(), "is missing") {
		return ""
	}
	for i := 0; i < len(given); i += 2 {
		if key, ok := given[i].(string); ok && !slices.Contains(names, key) {
			return fmt.Sprintf(": %q is none, and would go to the query", key)
		}
	}
	return ""
}

// value returns a constant as flow gets it, and whether it is one whose text is known.
func (c *checker) value(e ast.Expr) (any, bool) {
	tv := c.info.Types[e]
	if tv.Value == nil {
		return routetree.Unknown{}, false
	}
	if _, plain := types.Unalias(types.Default(tv.Type)).(*types.Basic); !plain { // it may have a method String
		return routetree.Unknown{}, false
	}
	switch v := constant.Val(tv.Value).(type) {
	case string, bool:
		return v, true
	case int64:
		if n := int(v); int64(n) == v { // messages name its type
			return n, true
		}
		return v, true
	}
	if tv.Value.Kind() == constant.Float {
		f, _ := constant.Float64Val(tv.Value)
		return f, true
	}
	return routetree.Unknown{}, false
}

// named returns the routes that a name may mean, and reports whether there are any.
func (m *module) named(name string) ([]*routetree.Route, bool) {
	if routes, ok := m.names[name]; ok {
		return routes, true
	}
	for _, mount := range m.mounts {
		if inner, ok := strings.CutPrefix(name, mount+"."); ok {
			if routes, ok := m.named(inner); ok {
				return routes, true
			}
		}
	}
	return nil, false
}

// nameHint says what a name that no route has was likely meant to be.
func (m *module) nameHint(name string) string {
	known := keys(m.names)
	for _, automatic := range slices.Sorted(maps.Keys(m.names)) {
		for _, r := range m.names[automatic] {
			if r != nil && automatic == r.Stem && name == routetree.GroupedStem(r.Path) {
				return fmt.Sprintf(": a group is in no name, so %s is called %q", r.File, automatic)
			}
		}
		for _, mount := range m.mounts {
			known[mount+"."+automatic] = true
		}
	}
	return fault.Suggest(name, known, ": name one with Name, or use an automatic name")
}

// checkParam looks at Param and Segments. PathValue may ask for what a ServeMux around the
// Router has found, and is not looked at.
func (c *checker) checkParam(call calls.Call) {
	if !call.Constant || call.Func.Name() != "Param" && call.Func.Name() != "Segments" {
		return
	}
	routes, known := c.module.routesAt(c.unit, c.places[call.Expr])
	c.reportLack(call.Pos(), fmt.Sprintf("%s(%q)", call.Func.Name(), call.Value), call.Value, routes, known)
}

// reportLack reports that code asks for a parameter, in words that are given, which none of
// the routes has that it runs for. If those are not known, any route may be one of them.
func (c *checker) reportLack(pos token.Pos, what, param string, routes []*routetree.Route, known bool) {
	m := c.module
	if m.openParams || m.params[param] {
		return
	}
	if !known {
		if c.open || c.app == nil && m.open || m.takesForeign(c.unit) {
			return
		}
		routes = nil
		for _, a := range m.apps {
			routes = append(routes, a.tree.Routes...)
		}
	}
	names := maps.Clone(m.params)
	for _, r := range routes {
		for _, name := range r.Longest().Names {
			names[name] = true
		}
	}
	if names[param] || len(routes) == 0 {
		return
	}
	c.report(pos, "%s: %s%s", what, lack(routes, known), fault.Suggest(param, names, list(names)))
}

// lack says of routes, which code runs for if that is known, that they lack a parameter.
func lack(routes []*routetree.Route, known bool) string {
	switch {
	case !known:
		return "no route of the tree has such a parameter"
	case slices.ContainsFunc(routes, func(r *routetree.Route) bool { return r != routes[0] }):
		return "no route that this answers has such a parameter"
	}
	return routes[0].File + " has no such parameter"
}

// list says which names there are, if they are few.
func list(names map[string]bool) string {
	if len(names) == 0 || len(names) > 5 {
		return ""
	}
	var quoted []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return ": there is " + strings.Join(quoted, ", ")
}
