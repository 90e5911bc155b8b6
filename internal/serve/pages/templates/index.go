package templates

import (
	"slices"
	"strings"
)

// An index finds parts of a text.
type index struct {
	content string
	lines   []int            // where they begin
	words   map[string][]int // the offsets of the longest parts that may be of a URL; and those of URLs that occurrences has found
	parts   map[string][]int // those that all has found
}

func newIndex(text string) index {
	x := index{text, []int{0}, map[string][]int{}, map[string][]int{}}
	begin := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && inURL(text[i]) {
			continue
		}
		if begin < i {
			x.words[text[begin:i]] = append(x.words[text[begin:i]], begin)
		}
		begin = i + 1
		if i < len(text) && text[i] == '\n' {
			x.lines = append(x.lines, begin)
		}
	}
	return x
}

// position is markup.Position.
func (x index) position(offset int) (line, column int) {
	line, exact := slices.BinarySearch(x.lines, offset)
	if exact {
		line++
	}
	return line, offset - x.lines[line-1] + 1
}

// all returns the offsets of a part of the text.
func (x index) all(part string) []int {
	offsets, known := x.parts[part]
	for from := 0; !known && part != ""; {
		i := strings.Index(x.content[from:], part)
		if i < 0 {
			x.parts[part] = offsets
			break
		}
		offsets = append(offsets, from+i)
		from += i + len(part)
	}
	return offsets
}

// occurrences returns the offsets of a URL, and not those of a longer URL that contains it.
func (x index) occurrences(url string) []int {
	end := strings.IndexFunc(url, func(r rune) bool { return r < 0x80 && !inURL(byte(r)) })
	offsets, known := x.words[url]
	if end < 0 || known {
		return offsets
	}
	places := x.words[url[:end]]
	if end == 0 {
		places = x.all(url)
	}
	for _, i := range places {
		end := i + len(url)
		if strings.HasPrefix(x.content[i:], url) && (i == 0 || !inURL(x.content[i-1])) && (end == len(x.content) || !inURL(x.content[end])) {
			offsets = append(offsets, i)
		}
	}
	x.words[url] = offsets
	return offsets
}

// inURL reports whether a byte beside a URL says that this is a part of something else.
func inURL(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 || strings.IndexByte("-._~%/?#&+@:;", c) >= 0
}
