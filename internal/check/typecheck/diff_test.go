package typecheck

import (
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"time"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/testkit/zoo"
)

var (
	diffTemplates = flag.Int("diff.templates", 2_000, "how many random templates TestDifferential makes")
	diffSeed      = flag.Uint64("diff.seed", 0, "the seed of TestDifferential; 0 is 1, with FLOW_NIGHTLY=1 a new one")
	diffValues    = flag.Int("diff.values", 12, "how many random values TestDifferential executes a template with")
)

// zooFuncs are the functions of the templates, and zooTypes their types.
var zooFuncs, zooTypes = func() (template.FuncMap, map[string]reflect.Type) {
	funcs, types := maps.Clone(zoo.Funcs), map[string]reflect.Type{}
	funcs["dict"] = shallowDict
	for name, f := range funcs {
		types[name] = reflect.TypeOf(f)
	}
	return funcs, types
}()

// shallowDict is language.Dict for templates that call themselves: a map that holds the one before
// twice would soon be too large to print.
func shallowDict(pairs ...any) (map[string]any, error) {
	m, err := language.Dict(pairs...)
	if depthOf(m) > 4 {
		return nil, errors.New("too deep")
	}
	return m, err
}

func depthOf(v any) int {
	m, ok := v.(map[string]any)
	if !ok {
		return 0
	}
	deepest := 0
	for _, v := range m {
		deepest = max(deepest, depthOf(v))
	}
	return deepest + 1
}

// randomData returns data for one execution, and decides what functions return in it.
func randomData(g *rand.Rand, root reflect.Type) any {
	seed := g.Uint64()
	zoo.Log.Reset(seed)
	return zoo.Data(root, seed)
}

// TestDifferential executes random templates with random data by html/template, and holds
// what it does against what Check says: an expression that Check refuses fails whenever it
// is reached.
func TestDifferential(t *testing.T) {
	templates := *diffTemplates
	if race.Enabled {
		templates /= 10 // nothing runs at the same time
	}
	seed := *diffSeed
	if seed == 0 {
		seed = 1 // the same for each change
		if os.Getenv("FLOW_NIGHTLY") != "" {
			seed = uint64(time.Now().UnixNano())
		}
	}
	t.Logf("-diff.seed %d -diff.templates %d -diff.values %d", seed, templates, *diffValues)
	g := rand.New(rand.NewPCG(seed, 2))
	var c counters
	many := maxPasses
	defer func() { maxPasses = many }()
	for i := range templates {
		root := zoo.Roots[i%len(zoo.Roots)]
		source := zoo.Template(g, root, true)
		if maxPasses = many; i%4 == 0 {
			maxPasses = g.IntN(3) // as for templates that need more passes
		}
		c.compare(t, g, source, root)
	}
	t.Logf("%+v", c)
}

type counters struct {
	Templates, NotEscaped, Accepted, AcceptedAlwaysFailed, OfSeveralDots, Problems, Reached, NeverReached int
}

// parseSource parses a template file as internal/serve/pages/templates does.
func parseSource(source string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	t := parse.New("main")
	t.Mode = parse.SkipFuncCheck
	_, err := t.Parse(source, "", "", trees)
	return trees, err
}

// compare checks one template, and executes it.
func (c *counters) compare(t *testing.T, g *rand.Rand, source string, root reflect.Type) {
	t.Helper()
	trees, err := parseSource(source)
	if err != nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%v: %s\n%v", root, source, v)
			panic(v)
		}
	}()
	checked := (&Set{Trees: trees, Funcs: zooTypes}).check("main", root)
	found := checked.found
	calls := map[string]int{}
	for j := range checked.seen {
		calls[j.name]++
	}
	if _, err := escaped(trees, nil); err != nil {
		c.NotEscaped++
		return
	}
	c.Templates++
	if len(found) == 0 {
		c.Accepted++
		ready, _ := escaped(trees, nil)
		failed := 0
		for range 5 {
			if execute(ready, randomData(g, root)) != nil {
				failed++
			}
		}
		if failed == 5 {
			c.AcceptedAlwaysFailed++
		}
		return
	}
	for _, i := range g.Perm(len(found))[:min(len(found), 2)] {
		if strings.Contains(found[i].Text, "the dict that it gets") {
			continue // a misspelling, which prints nothing
		}
		if calls[found[i].Template] > 1 {
			c.OfSeveralDots++ // it may work with another
			continue
		}
		c.Problems++
		// The nodes are changed, so each problem has trees of its own.
		trees, _ := parseSource(source)
		own := (&Set{Trees: trees, Funcs: zooTypes}).check("main", root).found
		if len(own) != len(found) || own[i].Problem != found[i].Problem {
			t.Fatalf("two checks differ: %v: %s\n%v\n%v", root, source, found, own)
		}
		var m marks
		m.wrap(trees, own, i)
		ready, err := escaped(trees, &m)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		reached := false
		for range *diffValues {
			m.reached, m.worked = false, false
			v := randomData(g, root)
			err := execute(ready, v)
			reached = reached || m.reached
			if m.worked || m.reached && err == nil {
				t.Errorf("%v: %s\n  %v\n  worked with %.400s (worked %v, error %v)", root, source, found[i].Problem, fmt.Sprintf("%+v", v), m.worked, err)
				break
			}
		}
		if reached {
			c.Reached++
		} else {
			c.NeverReached++
		}
	}
}

// escaped returns the templates as html/template has them, which may change them.
func escaped(trees map[string]*parse.Tree, m *marks) (*template.Template, error) {
	ready := template.New("main").Funcs(zooFuncs).Funcs(template.FuncMap{
		"mark_reached":  func() string { m.reached = true; return "" },
		"mark_worked":   func(_ string, v reflect.Value) reflect.Value { m.worked = true; return v },
		"choose_second": func(_ string, v reflect.Value) reflect.Value { return v },
		"mark_free":     func() any { return zooFuncs["give"].(func() any)() },
	})
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		tree := trees[name]
		if m == nil {
			tree = tree.Copy()
		}
		if _, err := ready.AddParseTree(name, tree); err != nil {
			return nil, err
		}
	}
	// The first execution escapes: without data, and up to a node that fails.
	err := execute(ready, nil)
	if err != nil && strings.HasPrefix(err.Error(), "html/template:") {
		return nil, err
	}
	return ready, nil
}

// A limit ends the execution of templates that call themselves for ever, and of long
// loops: each prints a dot.
type limit struct{ dots, bytes int }

func (l *limit) Write(p []byte) (int, error) {
	if strings.HasPrefix(string(p), ".") {
		l.dots--
	}
	if l.bytes -= len(p); l.dots < 0 || l.bytes < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func execute(t *template.Template, data any) (err error) {
	defer func() {
		if p := recover(); p != nil { // of a String method, or reflect
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return t.ExecuteTemplate(&limit{200, 100_000}, "main", data)
}

// marks tell whether an execution comes to a node of the template, and whether that fails.
type marks struct {
	reached, worked bool
}

// wrap puts marks around problem i, and something of no known type in place of the others.
func (m *marks) wrap(trees map[string]*parse.Tree, found []finding, i int) {
	ranges := map[parse.Node]bool{}
	decls := map[parse.Node]*parse.PipeNode{}
	inner := map[parse.Node]bool{}
	for _, t := range trees {
		each(t.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.RangeNode:
				ranges[n.Pipe] = true
			case *parse.PipeNode:
				for _, d := range n.Decl {
					decls[d] = n
				}
			}
		})
	}
	each(found[i].node, func(n parse.Node) { inner[n] = true })
	for j, f := range found {
		around := false
		each(f.node, func(n parse.Node) { around = around || n == found[i].node })
		if j == i || inner[f.node] || around {
			continue
		}
		if decls[f.node] == nil {
			replace(trees, f.node, func(*parse.PipeNode) []*parse.CommandNode { return commands("mark_free") })
		}
	}
	node := found[i].node
	if p := decls[node]; p != nil { // its value works, what is done with it does not
		node = p
		ranges[p] = true
	}
	reached := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: commands("mark_reached")}
	replace(trees, node, func(old *parse.PipeNode) []*parse.CommandNode {
		word := "mark_worked"
		if ranges[node] {
			word = "choose_second"
		}
		return commands(word, reached, old)
	})
}

// commands returns a pipeline of one call.
func commands(name string, args ...parse.Node) []*parse.CommandNode {
	return []*parse.CommandNode{{NodeType: parse.NodeCommand, Args: append([]parse.Node{parse.NewIdentifier(name)}, args...)}}
}

// replace puts another pipeline in the place of a node.
func replace(trees map[string]*parse.Tree, node parse.Node, with func(old *parse.PipeNode) []*parse.CommandNode) {
	if p, ok := node.(*parse.PipeNode); ok {
		old := *p
		old.Decl = nil
		p.Cmds = with(&old)
		return
	}
	for _, t := range trees {
		each(t.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.PipeNode:
				for i, cmd := range n.Cmds {
					if cmd == node {
						old := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: slices.Clone(n.Cmds[:i+1])}
						n.Cmds = append(with(old), n.Cmds[i+1:]...)
						return
					}
				}
			case *parse.CommandNode:
				for i, arg := range n.Args {
					if arg == node {
						old := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{{NodeType: parse.NodeCommand, Args: []parse.Node{arg}}}}
						n.Args[i] = &parse.PipeNode{NodeType: parse.NodePipe, Cmds: with(old)}
						return
					}
				}
			case *parse.ChainNode:
				if n.Node == node {
					old := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{{NodeType: parse.NodeCommand, Args: []parse.Node{node}}}}
					n.Node = &parse.PipeNode{NodeType: parse.NodePipe, Cmds: with(old)}
				}
			}
		})
	}
}

// each calls f for each node, from the inside out.
func each(n parse.Node, f func(parse.Node)) {
	var nodes []parse.Node
	language.EachNode(n, func(n parse.Node) { nodes = append(nodes, n) })
	for _, n := range slices.Backward(nodes) {
		f(n)
	}
}
