package input

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
)

// Sent has the texts that a request has sent in a form, for a page that shows them again. Those of
// keys that lead into a field are under the paths that messages have: those of "items.5.name" under
// "items.1.name" if it is in the second row. All others are under the keys that were sent: then it
// is the form of the request itself, and no copy.
type Sent url.Values

// Texts returns the texts that count for what Bind fills from a key of a form in a struct type. ok
// is false if the form does not have the key, so that nothing was filled. There are none if all
// that the form has are empty, and do not count.
func (s Sent) Texts(t reflect.Type, to Target) (texts []string, ok bool) {
	if texts, ok = s[to.Path]; !ok {
		texts, ok = s.spelled(PlanOf(t).Data, to.Path)
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
func (s Sent) spelled(fs *Fields, name string) (texts []string, ok bool) {
	i, ok := fs.named[name]
	if !ok || fs.List[i].Tagged {
		return nil, false
	}
	var own choice[[]string]
	for key, texts := range s {
		if of, found := fs.find(key); found && of == i {
			own.offer(name, key, texts)
		}
	}
	return own.value, own.key != ""
}
