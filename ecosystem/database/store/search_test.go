package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestSearch(t *testing.T) {
	is := is.New(t)
	s := newStore(t)
	is.NoErr(s.Migrate(t.Context()))
	for _, text := range []string{
		"Green tea from Kyoto",
		"Tea, tea and more tea",
		"A café in Zürich with coffee",
		`He said "AND" - twice`,
		"Milk",
		"<b>bold</b> statements",
	} {
		is.NoErr(s.AddNote(t.Context(), text))
	}
	found := func(words string) (texts []string) {
		t.Helper()
		list, err := s.Search(t.Context(), words)
		is.NoErr(err) // nothing that is typed is an error
		for _, f := range list {
			var text strings.Builder
			for _, p := range f.Snippet {
				if p.Hit {
					text.WriteString("[" + p.Text + "]")
				} else {
					text.WriteString(p.Text)
				}
			}
			texts = append(texts, text.String())
		}
		return texts
	}
	for words, want := range map[string][]string{
		"tea":              {"[Tea], [tea] and more [tea]", "Green [tea] from Kyoto"}, // the best first
		"TEA kyo":          {"Green [tea] from [Kyoto]"},
		"cafe zurich":      {"A [café] in [Zürich] with coffee"},
		"cof":              {"A café in Zürich with [coffee]"},
		"bold":             {"<b>[bold]</b> statements"},
		"tea milk":         nil,
		"nothing":          nil,
		"":                 nil,
		"  ":               nil,
		`"AND"`:            {`Tea, tea [and] more tea`, `He said "[AND]" - twice`},
		"AND":              {`Tea, tea [and] more tea`, `He said "[AND]" - twice`},
		"said NOT twice":   nil,
		"tea*":             {"[Tea], [tea] and more [tea]", "Green [tea] from Kyoto"},
		"text:tea":         nil,
		"NEAR(tea, 2)":     nil,
		"tea OR milk":      nil,
		`"`:                nil,
		"-":                nil,
		"()":               nil,
		"milk\x00tea":      nil,
		"tea -":            {"[Tea], [tea] and more [tea]", "Green [tea] from Kyoto"},
		"'; DROP TABLE--":  nil,
		"\ue000 \ue001":    nil,
		"^tea":             {"[Tea], [tea] and more [tea]", "Green [tea] from Kyoto"},
		"tea tea tea":      {"[Tea], [tea] and more [tea]", "Green [tea] from Kyoto"},
		"said \"and\" twi": {`He [said] "[AND]" - [twice]`},
	} {
		got := found(words)
		slices.Sort(got)
		sorted := slices.Sorted(slices.Values(want))
		if !slices.Equal(got, sorted) {
			t.Errorf("%q: %q, want %q", words, got, sorted)
		}
	}
	is.Equal(found("tea")[0], "[Tea], [tea] and more [tea]") // the best one is the first

	_, err := s.db.Exec("UPDATE notes SET text = 'Oat milk' WHERE text = 'Milk'; DELETE FROM notes WHERE text LIKE 'Green%'")
	is.NoErr(err)
	is.Equal(found("oat"), []string{"[Oat] milk"})
	is.Equal(len(found("kyoto")), 0)
	_, err = s.db.Exec("INSERT INTO notes_search (notes_search) VALUES ('integrity-check')")
	is.NoErr(err)
}

// TestSearchFindsNotesOlderThanTheIndex has notes that are older than the index.
func TestSearchFindsNotesOlderThanTheIndex(t *testing.T) {
	is := is.New(t)
	s := newStore(t)
	_, err := s.db.Exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL, added TEXT); INSERT INTO notes (text) VALUES ('old tea'); PRAGMA user_version = 2")
	is.NoErr(err)
	is.NoErr(s.Migrate(t.Context()))
	list, err := s.Search(t.Context(), "tea")
	is.NoErr(err)
	is.Equal(len(list), 1)
}

func TestParts(t *testing.T) {
	is := is.New(t)
	is.Equal(parts(""), nil)
	is.Equal(parts("\ue000a\ue001"), []Part{{"a", true}})
	is.Equal(parts("b\ue000a\ue001c\ue000d\ue001"), []Part{{"b", false}, {"a", true}, {"c", false}, {"d", true}})
	is.Equal(parts("\ue001x\ue000y"), []Part{{"\ue001x", false}, {"y", false}}) // nothing is lost
}
