package app

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"example.com/flow"
)

func init() { flow.GET().Do(search) }

// A found is what /search shows.
type found struct {
	Query, Says string
	Hits        []hit
}

// A hit is a section that was found.
type hit struct {
	indexed
	Extract []piece
}

// A piece of text is a word that was searched, or stands around one.
type piece struct {
	Text string
	Hit  bool
}

type searchIn struct {
	Query string `query:"q"`
}

// search answers with the page of results. The script of router/+script.html finds the same.
func search(_ *flow.Request, in searchIn) (found, error) {
	sections, err := index()
	if err != nil {
		return found{}, err
	}
	out, words := found{Query: in.Query}, asked(in.Query)
	if len(words) == 0 {
		return out, nil
	}
	hits := find(sections, words)
	out.Says = fmt.Sprintf("%d results", len(hits))
	if len(hits) == 1 {
		out.Says = "1 result"
	}
	for _, s := range hits[:min(len(hits), 40)] {
		out.Hits = append(out.Hits, hit{s, extract(s.Text, words)})
	}
	return out, nil
}

// An indexed section is one of the list that is searched.
type indexed struct {
	URL     string `json:"url"` // relative to the home page
	Page    string `json:"page"`
	Heading string `json:"heading"` // "" before the first
	Text    string `json:"text"`

	searched struct{ page, heading, text string } // each word behind a space
}

// index returns all sections of the documents.
var index = sync.OnceValues(func() ([]indexed, error) {
	pages, err := flow.Entries[front](Router, "docs")
	var sections []indexed
	for _, p := range pages {
		title := p.Title
		if p.Parent.URL != "/docs" {
			title = p.Parent.Title + " › " + title
		}
		for _, s := range p.Front.Sections {
			url := strings.TrimPrefix(p.URL, "/")
			if s.ID != "" {
				url += "#" + s.ID
			}
			x := indexed{URL: url, Page: title, Heading: s.Heading, Text: s.Text}
			x.searched.page, x.searched.heading, x.searched.text = searched(title), searched(cmp.Or(s.Heading, title)), searched(s.Text)
			sections = append(sections, x)
		}
	}
	return sections, err
})

// find returns the sections that have all words, the best first: a word counts more in a
// heading, and in the title of the page, than in the text.
func find(sections []indexed, words []string) []indexed {
	scores := map[string]int{}
	for _, s := range sections {
		scores[s.URL] = s.score(words)
	}
	hits := slices.DeleteFunc(slices.Clone(sections), func(s indexed) bool { return scores[s.URL] == 0 })
	slices.SortStableFunc(hits, func(a, b indexed) int { return cmp.Compare(scores[b.URL], scores[a.URL]) })
	return hits
}

// score returns how well a section fits, or 0 if it lacks a word.
func (s indexed) score(words []string) (sum int) {
	for _, word := range words {
		score := 3*min(1, strings.Count(s.searched.page, " "+word)) + 5*min(1, strings.Count(s.searched.heading, " "+word)) + min(4, strings.Count(s.searched.text, " "+word))
		if score == 0 {
			return 0
		}
		sum += score
	}
	return sum
}

// words returns the words of a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsNumber(c) })
}

// asked returns the words that a query asks for. There are few, since each of them takes time.
func asked(query string) []string {
	all := words(query)
	return all[:min(len(all), 8)]
}

// searched returns the words of a text, each behind a space.
func searched(text string) string { return " " + strings.Join(words(text), " ") }

// extract returns the text around the first word that was found, with all of them as pieces.
func extract(text string, words []string) (pieces []piece) {
	any := regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(` + strings.Join(words, "|") + ")")
	from := 0
	if first := any.FindStringSubmatchIndex(text); first != nil {
		from = strings.LastIndexByte(text[:max(0, first[2]-40)+1], ' ') + 1
	}
	to := len(text)
	if to > from+160 {
		to = max(from, strings.LastIndexByte(text[:from+161], ' '))
	}
	add := func(text string, hit bool) { pieces = append(pieces, piece{text, hit}) }
	if from > 0 {
		add("… ", false)
	}
	part, at := text[from:to], 0
	for _, m := range any.FindAllStringSubmatchIndex(part, -1) {
		add(part[at:m[2]], false)
		add(part[m[2]:m[3]], true)
		at = m[3]
	}
	add(part[at:], false)
	if to < len(text) {
		add(" …", false)
	}
	return pieces
}
