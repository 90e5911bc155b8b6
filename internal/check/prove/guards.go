package prove

import (
	"slices"

	"example.com/flow/internal/check/markup"
)

// guards are the conditions under which a place is reached, from the outside in.
type guards []markup.Cond

// with returns the guards of a place behind one more condition.
func (g guards) with(c markup.Cond) guards { return append(slices.Clip(g), c) }

// holds reports whether a condition holds wherever the place is reached.
func (g guards) holds(c markup.Cond) bool { return slices.ContainsFunc(g, c.Is) }

// holdAll reports whether all of the conditions hold wherever the place is reached.
func (g guards) holdAll(conds []markup.Cond) bool {
	return !slices.ContainsFunc(conds, func(c markup.Cond) bool { return !g.holds(c) })
}

// excludes reports whether some of the conditions never hold where the place is reached.
func (g guards) excludes(conds []markup.Cond) bool {
	return slices.ContainsFunc(conds, func(c markup.Cond) bool { return g.holds(c.Opposite()) })
}

// maxConds is the number of conditions that a rule tries at one place. If there are more, such as in a link
// around a whole page, one of the others may be what it depends on, and nothing is said.
const maxConds = 16

// when returns the words for the one condition, of several or their opposites, under which something
// is true of a place wherever that is reached: "" if it always is, or ", if .A". It reports false if
// there is no such condition. isTrue tells of what is true where other guards hold. A {{with}} without
// {{else}} is no evidence that its value is ever missing. What is always true on the page, as for a partial
// whose calls all pass a label, is no evidence either.
func (p *Page) when(g guards, conds []markup.Cond, isTrue func(guards) bool) (words string, ok bool) {
	if isTrue(g) {
		return "", true
	}
	var tried guards
	for _, c := range conds {
		c.False = false
		if g.holds(c) || g.holds(c.Opposite()) || tried.holds(c) {
			continue
		}
		if tried = append(tried, c); len(tried) > maxConds {
			break
		}
		mayHold, mayFail := true, true
		if p.Decides != nil {
			mayHold, mayFail = p.Decides(c.Pipe)
		}
		if c.Not {
			mayHold, mayFail = mayFail, mayHold
		}
		if mayHold && isTrue(g.with(c)) {
			return ", if " + c.Text, true
		}
		if mayFail && !c.WithoutElse && isTrue(g.with(c.Opposite())) {
			return ", unless " + c.Text, true
		}
	}
	return "", false
}

// always returns the words for the condition under which a tag is one of the ways that has tells, by
// their index: "" if it is always one of them, or ", if .A". It reports false if there is no such
// condition.
func (p *Page) always(g guards, ways []markup.Way, has func(int) bool) (words string, ok bool) {
	return p.when(g, ofWays(ways), func(g guards) bool { return g.all(ways, has) })
}

// all reports whether each way that is possible here is one of those that has tells.
func (g guards) all(ways []markup.Way, has func(int) bool) bool {
	possible := false
	for i, w := range ways {
		if g.excludes(w.When) {
			continue
		}
		if possible = true; !has(i) {
			return false
		}
	}
	return possible
}
