package input

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Sent has the texts that a request has sent in a form, for a page that shows them again. The zero
// Sent has none.
type Sent struct {
	form url.Values // that of the request: it is not copied
	deep *sentPaths // nil if no key leads into a field
}

// sentPaths has the texts of a form by the paths that messages have. They are collected when one
// of them is asked for, since most forms are not shown again.
type sentPaths struct {
	query bool // the form is the query of a request without a body
	once  sync.Once
	texts map[string][]string
}

// Texts returns the texts that count for what Bind fills from a key of a form in a struct type. ok
// is false if the form does not have the key, so that nothing was filled. It has no texts if all
// that it has are empty, and none of them counts.
func (s Sent) Texts(t reflect.Type, to Target) (texts []string, ok bool) {
	switch texts, ok = s.form[to.Path]; {
	case s.deep != nil:
		s.deep.once.Do(func() { s.deep.texts = sentTexts(t, s.deep.query, s.form) })
		texts, ok = s.deep.texts[to.Path]
	case !ok:
		texts, ok = s.spelled(planOf(t).data, to.Path)
	}
	c := ConversionOf(to.Type)
	texts = counting(to.Type, c, texts)
	if c.Kind != Bool {
		return texts, ok
	}
	texts = slices.Clone(texts)
	for i, text := range texts {
		if b, converts := parseBool(text); converts {
			texts[i] = strconv.FormatBool(b)
		}
	}
	return texts, ok
}

// spelled returns the texts of a field under another spelling of its name.
func (s Sent) spelled(fs *fields, name string) (texts []string, ok bool) {
	place, ok := fs.named[name]
	if !ok || fs.list[place].tagged {
		return nil, false
	}
	var own choice[[]string]
	for key, texts := range s.form {
		if of, found := fs.find(key); found && of == place {
			own.offer(name, key, texts)
		}
	}
	return own.value, own.key != ""
}

// sentTexts returns the texts of a form for a struct type by the paths that messages have: those of
// "items.5.name" under "items.1.name" if it is in the second row. query is as for FormTarget.
func sentTexts(t reflect.Type, query bool, form url.Values) map[string][]string {
	p, sent := planOf(t), map[string][]string{}
	var deep []deepKey
	for key, texts := range form {
		k := deepKey{key: key, texts: texts, rest: key}
		if strings.Count(key, ".") < maxParts && k.enterStruct(p.data) && !(query && p.data.list[k.place].fromQuery) {
			deep = append(deep, k)
		}
		if place, ok := p.query.named[key]; ok && query {
			sent[p.query.list[place].name] = texts
		}
	}
	slices.SortFunc(deep, deepKey.compare)
	for first, rest := group(deep); len(first) > 0; first, rest = group(rest) {
		f := p.data.list[first[0].place]
		addSent(sent, f.sf.Type, f.name, first)
	}
	return sent
}

// addSent adds the texts of keys that name what path leads to, or something inside of it: see
// binding.deep.
func addSent(sent map[string][]string, t reflect.Type, path string, keys []deepKey) {
	own, inside := split(keys)
	if own != nil {
		sent[path] = own
	}
	if len(inside) == 0 || !nests(t) {
		return
	}
	if t = behindPointers(t); t.Kind() == reflect.Slice {
		rows, i := inList(inside), 0
		for first, rest := group(rows); len(first) > 0; first, rest = group(rest) {
			addSent(sent, t.Elem(), path+"."+strconv.Itoa(i), first)
			i++
		}
		return
	}
	fs := fieldsInside(t)
	members := inStruct(inside, fs)
	for first, rest := group(members); len(first) > 0; first, rest = group(rest) {
		f := fs.list[first[0].place]
		addSent(sent, f.sf.Type, path+"."+f.name, first)
	}
}
