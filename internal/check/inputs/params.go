package inputs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/input"
)

// ParamMistakes returns the mistakes in the fields of a struct type for parameters of a route: those
// with a tag for a parameter that the route does not have, and those without a tag that are called as a
// parameter, so that a client fills them.
func ParamMistakes(t reflect.Type, r *routetree.Route) (found []Mistake) {
	p, params := input.PlanOf(t), map[string]bool{}
	for _, p := range r.Patterns {
		for _, name := range p.Names {
			params[name] = true
		}
	}
	for _, f := range p.Route.List {
		if !params[f.Name] {
			found = append(found, Mistake{Text: fmt.Sprintf("%v has a field with the tag param:%q, and %s has no such parameter%s", t, f.Name, r.File, fault.Suggest(f.Name, params, ""))})
		}
	}
	for param := range params {
		i := slices.IndexFunc(p.Data.List, func(f *input.Field) bool { return !f.Tagged && !f.FromURL && strings.EqualFold(f.Name, param) })
		if i >= 0 && !hasName(p.Route, param) {
			found = append(found, Mistake{Text: fmt.Sprintf("%s has no tag, so it is not the parameter %q of %s: a client fills it by the body or the query. Write param:%[2]q, or json:%[2]q if that is meant", fieldName(t, p.Data.List[i].Name), param, r.File), Warning: true})
		}
	}
	return found
}

// hasName reports whether a field has a name.
func hasName(fs *input.Fields, name string) bool {
	return slices.ContainsFunc(fs.List, func(f *input.Field) bool { return f.Name == name })
}
