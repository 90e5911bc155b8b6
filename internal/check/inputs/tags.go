package inputs

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/serve/wire/input"
)

// ourTags are the keys of tags that Bind reads.
var ourTags = []string{string(input.FromRoute), string(input.FromQuery), "form", "json"}

// foreignTags are keys of other packages that differ from one of ourTags by one letter.
var foreignTags = map[string]bool{"bson": true, "jsonb": true, "json5": true, "hjson": true, "ejson": true, "gorm": true, "xorm": true, "orm": true, "norm": true, "borm": true}

// tags looks at the tags of a field.
func (n *inspection) tags(t reflect.Type, sf reflect.StructField, from input.Source) {
	written, rest := parseTag(string(sf.Tag))
	if key := keyIn(rest); key != "" {
		n.field(t, sf, "has the tag %s, which Go cannot read: write pairs such as %s:\"…\", with quotes and without a space behind the colon", strings.TrimSpace(rest), key)
	}
	for _, key := range written {
		if meant := meantBy(key); meant != key && meant != "" && sf.Tag.Get(meant) == "" {
			n.field(t, sf, "has the tag %s:%q, which nothing reads: did you mean %q?", key, sf.Tag.Get(key), meant)
		}
	}
	for _, key := range ourTags {
		name := input.TagName(sf.Tag, key)
		switch {
		case name == "":
		case strings.TrimSpace(name) != name:
			n.field(t, sf, "has the tag %s:%q, whose name begins or ends with a space: no key is called so", key, name)
		case !sf.IsExported() && !(sf.Anonymous && from == input.FromJSON):
			n.field(t, sf, "has the tag %s:%q, and nothing can fill it, since its name begins with a small letter", key, name)
			return
		case key == "form" && from == input.FromJSON && !isFilledBy(sf, name):
			n.field(t, sf, "has the tag form:%q, which does not count inside of another struct: forms use the names of JSON there, as messages do, so write json:%[1]q", name)
		}
	}
}

// isFilledBy reports whether a key fills a field inside of another struct.
func isFilledBy(sf reflect.StructField, key string) bool {
	return sf.Tag.Get("json") != "-" && strings.EqualFold(cmp.Or(input.TagName(sf.Tag, "json"), sf.Name), key)
}

// meantBy returns the key that a tag is nearly called as, that key for itself, or "" for
// another word.
func meantBy(key string) string {
	switch {
	case slices.Contains(ourTags, key):
		return key
	case foreignTags[key]:
		return ""
	}
	if i := slices.IndexFunc(ourTags, func(known string) bool { return oneOff(key, known) }); i >= 0 {
		return ourTags[i]
	}
	return ""
}

// parseTag returns the keys of a tag that reflect.StructTag finds, and what it does not read:
// all that follows the first mistake. A value with an escape that Go does not have, as in
// pattern:"\d", hides only its own key. It is part of rest if the key is one of ours, or nearly.
func parseTag(tag string) (keys []string, rest string) {
	whole := reflect.StructTag(tag)
	for {
		tag = strings.TrimLeft(tag, " ")
		i := 0
		for i < len(tag) && tag[i] > ' ' && tag[i] != ':' && tag[i] != '"' && tag[i] != 0x7f {
			i++
		}
		if i == 0 || i+1 >= len(tag) || tag[i] != ':' || tag[i+1] != '"' {
			return keys, rest + tag
		}
		end := i + 2
		for end < len(tag) && tag[end] != '"' {
			if tag[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(tag) {
			return keys, rest + tag
		}
		key, pair := tag[:i], tag[:end+1]
		if _, found := whole.Lookup(key); found {
			keys = append(keys, key)
		} else if meantBy(key) != "" {
			rest += pair + " "
		}
		tag = tag[end+1:]
	}
}

// keyIn returns the key that an unreadable tag speaks of: a word that a colon, an equals sign,
// a comma or a quote follows, or the end. It returns "" if there is none: go vet tells all
// others.
func keyIn(rest string) string {
	for rest != "" {
		word := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))]
		if word == "" {
			rest = rest[1:]
			continue
		}
		rest = rest[len(word):]
		after := strings.TrimLeft(rest, " ")
		if key := meantBy(word); key != "" && (after == "" || strings.ContainsRune(`:="',`, rune(after[0]))) {
			return key
		}
	}
	return ""
}
