package store

import (
	"context"
	"strings"
)

// A Found is a note that was found.
type Found struct {
	ID      int64
	Snippet []Part // of the text, around what was found
}

// A Part is a piece of text.
type Part struct {
	Text string
	Hit  bool // it was searched for
}

// hitBegins and hitEnds surround what was found in a snippet. They are characters for private
// use. A note that has them is marked in the wrong place, and nothing worse.
const hitBegins, hitEnds = "\ue000", "\ue001"

// Search returns the 20 notes that suit best: those that have all of the words, or words that
// begin so. It returns none if there is no word.
func (s *Store) Search(ctx context.Context, words string) ([]Found, error) {
	query := matchQuery(words)
	if query == "" {
		return nil, nil
	}
	rows, err := s.db.QueryContext(ctx, `
		SELECT rowid, snippet(notes_search, 0, ?, ?, '…', 16)
		FROM notes_search WHERE notes_search MATCH ? ORDER BY rank LIMIT 20`, hitBegins, hitEnds, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Found
	for rows.Next() {
		var f Found
		var snippet string
		if err := rows.Scan(&f.ID, &snippet); err != nil {
			return nil, err
		}
		f.Snippet = parts(snippet)
		list = append(list, f)
	}
	return list, rows.Err()
}

// matchQuery makes a query of FTS5 of what somebody has typed. Each word is a string, so that
// AND, NEAR, -, *, : and quotation marks are searched for, and are no syntax errors.
func matchQuery(words string) string {
	var terms []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(words, "\x00", " ")) {
		terms = append(terms, `"`+strings.ReplaceAll(word, `"`, `""`)+`"*`)
		if len(terms) == 10 {
			break
		}
	}
	return strings.Join(terms, " ")
}

func parts(snippet string) (list []Part) {
	for i, piece := range strings.Split(snippet, hitBegins) {
		hit, rest, ok := strings.Cut(piece, hitEnds)
		if i == 0 || !ok {
			hit, rest = "", piece
		}
		for _, p := range []Part{{hit, true}, {rest, false}} {
			if p.Text != "" {
				list = append(list, p)
			}
		}
	}
	return list
}
