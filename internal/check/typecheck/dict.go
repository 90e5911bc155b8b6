package typecheck

import (
	"fmt"
	"reflect"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
)

var dictType = reflect.TypeOf(language.Dict)

// A dict is one key of a map that language.Dict makes of constant keys, and the rest of that map.
// Equal maps of one call are equal pointers.
//
// A key that it does not have is absent, which works: partials ask for keys that not all
// of their calls give. So such a key is reported only if the name of another one is almost
// the same, nothing reads that one, and no condition or argument asks.
type dict struct {
	call  parse.Node
	key   string
	value value
	rest  *dict
}

// dicts are the maps of language.Dict that one Check comes across.
type dicts struct {
	interned map[dict]*dict
	read     map[readKey]bool
	missing  []missingKey
}

// A readKey is a key that a template reads of what a call of language.Dict has made. The key * stands
// for all of them, where the whole map is used.
type readKey struct {
	call parse.Node
	key  string
}

// A missingKey is a key that is read, and is not there.
type missingKey struct {
	finding
	dict *dict
	key  string
}

// maxDictDepth bounds maps in maps, which a template that calls itself may nest for ever.
const maxDictDepth = 4

func (d *dict) depth() int {
	deepest := 0
	for ; d != nil; d = d.rest {
		if d.value.dict != nil {
			deepest = max(deepest, d.value.dict.depth())
		}
	}
	return deepest + 1
}

// makeDict returns the value of a call of Dict.
func (b *body) makeDict(w word, args []value, a arguments) value {
	v := valueOf(dictType.Out(0))
	v.truth = triOf(len(args) > 0)
	if len(args)%2 != 0 {
		b.report(w, "dict takes keys and values in turn, and its last key has no value")
		return value{}
	}
	known := true
	for i := 0; i < len(args); i += 2 {
		if args[i].absent == yes || args[i].typ != nil && !args[i].isInterface() && args[i].typ != stringType {
			b.report(w, "dict takes strings as keys, and gets %s", args[i])
			return value{}
		}
		key, ok := a.nodes[i].(*parse.StringNode)
		if !ok {
			known = false
			continue
		}
		item := args[i+1].at(no)
		if item.dict != nil && item.dict.depth() >= maxDictDepth {
			item.dict = nil
		}
		v.dict = b.with(v.dict, w.node, key.Text, item)
	}
	if !known {
		v.dict = nil
	}
	return v
}

// with returns a dict with one more key.
func (c *checker) with(d *dict, call parse.Node, key string, v value) *dict {
	more := dict{call, key, v, d}
	if c.interned[more] == nil {
		c.interned[more] = &more
	}
	return c.interned[more]
}

// key returns the value of a key.
func (b *body) key(d *dict, w word) value {
	b.read[readKey{d.call, w.name}] = true
	for e := d; e != nil; e = e.rest {
		if e.key == w.name {
			return e.value
		}
	}
	if !b.allowsAbsent && !b.vague { // otherwise what variables read is not known
		b.absent = append(b.absent, missingKey{b.finding(w, ""), d, w.name})
	}
	return nothing
}

// readAll notes that all keys of a value may be read.
func (c *checker) readAll(v value) {
	if v.dict != nil {
		c.read[readKey{v.dict.call, "*"}] = true
	}
}

// reportKeys reports the keys that are missing, and are a misspelling of others.
func (c *checker) reportKeys() {
	for _, m := range c.missing {
		unread := map[string]bool{}
		for d := m.dict; d != nil && !c.read[readKey{d.call, "*"}]; d = d.rest {
			if !c.read[readKey{d.call, d.key}] {
				unread[d.key] = true
			}
		}
		if hint := fault.Suggest(m.key, unread, ""); hint != "" {
			m.Text = fmt.Sprintf("the dict that it gets has no key %q%s", m.key, hint)
			c.found = append(c.found, m.finding)
		}
	}
}
