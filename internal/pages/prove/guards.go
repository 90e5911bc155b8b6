package prove

import (
	"slices"

	"example.com/flow/internal/pages/markup"
)

// guards are the conditions under which a place is reached, from the outside in.
type guards []markup.Cond

// with returns the guards of a place behind one more condition.
func (g guards) with(c markup.Cond) guards { return append(slices.Clip(g), c) }

// holds reports whether a condition holds wherever the place is reached.
func (g guards) holds(c markup.Cond) bool {
	return slices.ContainsFunc(g, func(o markup.Cond) bool { return o.Key == c.Key && o.False == c.False })
}

// when returns the words for what is true of a place if all of the conditions hold: "" if they always do,
// or ", if .A". It reports false if that may never be so: two conditions may exclude each other,
// and nothing shows that the value of a {{with}} is ever missing if it has no {{else}}.
func (g guards) when(conds []markup.Cond) (words string, ok bool) {
	for _, c := range conds {
		switch {
		case g.holds(c):
		case words != "", c.False && c.Lone, g.holds(opposite(c)):
			return "", false
		case c.False:
			words = ", unless " + c.Text
		default:
			words = ", if " + c.Text
		}
	}
	return words, true
}

func opposite(c markup.Cond) markup.Cond {
	c.False = !c.False
	return c
}

// eachTag visits the start tags of nodes, with the conditions around each.
func eachTag(nodes []markup.Node, around guards, visit func(*markup.Tag, guards)) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *markup.Tag:
			visit(n, around)
		case *markup.Branch:
			eachTag(n.Then, around.with(n.Cond), visit)
			eachTag(n.Else, around.with(opposite(n.Cond)), visit)
		case *markup.Loop:
			eachTag(n.Body, around, visit)
			eachTag(n.Else, around, visit)
		case *markup.Call:
			eachTag(n.Nodes, around, visit)
		}
	}
}

// always returns the words for the condition under which a tag is one of the ways that has tells, by
// their index: "" if it is always one of them, or ", if .A". It reports false if there is no such
// condition.
func (g guards) always(ways []markup.Way, has func(int) bool) (words string, ok bool) {
	if g.all(ways, has) {
		return "", true
	}
	for i, w := range ways {
		for _, c := range w.When {
			if words, ok := g.when([]markup.Cond{c}); ok && words != "" && has(i) && g.with(c).all(ways, has) {
				return words, true
			}
		}
	}
	return "", false
}

// all reports whether each way that is possible here is one of those that has tells.
func (g guards) all(ways []markup.Way, has func(int) bool) bool {
	possible := false
	for i, w := range ways {
		if slices.ContainsFunc(w.When, func(c markup.Cond) bool { return g.holds(opposite(c)) }) {
			continue
		}
		if possible = true; !has(i) {
			return false
		}
	}
	return possible
}
