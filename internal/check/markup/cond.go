package markup

import (
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// condOf returns the condition that a pipeline is true.
func condOf(p *parse.PipeNode, at valueNumbers) (c Cond) {
	c.Text = commands(p)
	for len(p.Cmds) == 1 {
		inner := p.Cmds[0].Args[0]
		if not, ok := inner.(*parse.IdentifierNode); ok && not.Ident == "not" && len(p.Cmds[0].Args) == 2 {
			c.False, inner = !c.False, p.Cmds[0].Args[1]
			c.Text = inner.String()
		} else if len(p.Cmds[0].Args) > 1 {
			break
		}
		pipe, ok := inner.(*parse.PipeNode) // in parentheses
		if !ok {
			break
		}
		p, c.Text = pipe, commands(pipe)
	}
	language.EachNode(p, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.DotNode, *parse.FieldNode:
			c.dot = at.dot
		case *parse.VariableNode:
			if n.Ident[0] == "$" {
				c.dollar = at.dollar
			} else {
				c.variables = at.variables
			}
		}
	})
	return c
}

// commands returns the text of a pipeline without its variables.
func commands(p *parse.PipeNode) string {
	if len(p.Cmds) == 1 {
		return p.Cmds[0].String()
	}
	var all []string
	for _, cmd := range p.Cmds {
		all = append(all, cmd.String())
	}
	return strings.Join(all, " | ")
}

// Opposite returns the condition with the other outcome.
func (c Cond) Opposite() Cond {
	c.False = !c.False
	return c
}

// Is reports whether a condition always has the same outcome as another one.
func (c Cond) Is(o Cond) bool { return c.Key == o.Key && c.False == o.False }

// has reports whether a condition is one of several.
func has(conds []Cond, c Cond) bool { return slices.ContainsFunc(conds, c.Is) }

// given returns the cursors behind one side of a Branch with the condition of this side, if they are in
// a tag: other nodes stand in the Branch. It leaves out those that the condition contradicts.
func given(all []cursor, cond Cond) []cursor {
	possible := all[:0]
	for _, c := range all {
		switch {
		case !c.isInTag() || has(c.tag.When, cond):
		case has(c.tag.When, cond.Opposite()):
			continue
		default:
			c.tag.When = append(slices.Clip(c.tag.When), cond)
		}
		possible = append(possible, c)
	}
	return possible
}

// reduce joins those of all that differ in the conditions of their way only. It joins first what it can
// join exactly: of "if .A if .B", "if .A unless .B" and "unless .A", nothing is left.
func reduce[T any](all []T, way func(*T) *Way, same func(a, b *T) bool) []T {
	if len(all) == 1 {
		return all
	}
	for _, exactly := range []bool{true, false} {
		for i := 0; i < len(all); i++ {
			for j := i + 1; j < len(all); j++ {
				if same(&all[i], &all[j]) && way(&all[i]).join(way(&all[j]), exactly) {
					all = slices.Delete(all, j, j+1)
					j = i // it may be joined exactly with one that it could not before
				}
			}
		}
	}
	if w := way(&all[0]); len(all) == 1 && len(w.When) == 0 {
		w.Partly = false // there is no other way
	}
	return all
}

// join adds the conditions of another way, either of which may hold then. If they cannot be told
// as a list, it does nothing and returns false if it is to be exact.
func (w *Way) join(o *Way, exactly bool) bool {
	var both, mine []Cond
	for _, c := range w.When {
		if has(o.When, c) {
			both = append(both, c)
		} else {
			mine = append(mine, c)
		}
	}
	exact := len(mine) == 0 && len(both) == len(o.When) ||
		len(mine) == 1 && len(both)+1 == len(o.When) && has(o.When, mine[0].Opposite())
	if exactly && !exact {
		return false
	}
	w.When, w.Partly = both, w.Partly || o.Partly || !exact
	return true
}
