package examples

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site/httpfile"
)

// texts returns what is wrong with the query of an example, and with its body if that is a form.
//
// A key that is like no other one is a warning: a handler may ask its Request for keys that its type
// does not have, and so may a guard.
func texts(f *httpfile.File, r *httpfile.Request, s httpfile.Sample, of reflect.Type) (faults []fault.Fault) {
	judge := func(what, text string, query bool, line func(key string) int) {
		sent, err := url.ParseQuery(text)
		if err != nil || len(sent) == 0 {
			return
		}
		names := map[string]bool{}
		for _, name := range namesOf(of, query, query && len(r.Body) == 0) {
			names[name] = true
		}
		if len(names) == 0 {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(sent)) {
			to, near, ok := input.FormTarget(of, query, key)
			if ok && (to.Type == nil || names[to.Path] || strings.Contains(to.Path, ".")) {
				continue
			}
			candidates := names
			if len(near) > 0 && strings.Contains(key, ".") {
				candidates = map[string]bool{}
				for _, name := range near {
					candidates[name] = true
				}
			}
			if meant := fault.Suggest(key, candidates, ""); meant != "" {
				faults = append(faults, fault.InLine(f.Name, line(key), "%s: %s: %s: is no field%s", r, what, key, meant))
			} else {
				faults = append(faults, fault.Warn(f.Name, line(key), "%s: %s: %s: is no field of %v, which has %s", r, what, key, of, strings.Join(slices.Sorted(maps.Keys(names)), ", ")))
			}
		}
		wrong := input.Unconverted(of, sent, query, len(r.Body) > 0)
		for _, key := range slices.Sorted(maps.Keys(wrong)) {
			value := ""
			if texts := sent[key]; len(texts) == 1 {
				value = fmt.Sprintf("is %q, and ", texts[0])
			}
			faults = append(faults, fault.InLine(f.Name, line(key), "%s: %s: %s: %s%s", r, what, key, value, wrong[key].English))
		}
	}
	_, query, _ := strings.Cut(s.Target, "?")
	judge("the query", query, true, func(string) int { return r.Line })
	if s.MediaType == "application/x-www-form-urlencoded" {
		judge("the body", strings.TrimSpace(string(s.Body)), false, func(key string) int {
			i := slices.IndexFunc(r.Body, func(l httpfile.BodyLine) bool { return strings.Contains(l.Text.String(), key) })
			return r.Body[max(i, 0)].Text.Line
		})
	}
	return faults
}

// namesOf returns the keys that fill a type from a query or a form. whole says of a query that no body
// stands beside it, so that it fills all.
func namesOf(of reflect.Type, query, whole bool) (names []string) {
	if !query || whole {
		return input.FormNames(of, query)
	}
	for _, f := range input.PlanOf(of).Query.AsDeclared() {
		names = append(names, f.Name)
	}
	return names
}
