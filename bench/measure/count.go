package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"example.com/flow/bench/callgrind"
)

// Instructions are counted in several pieces, and the least counts: now and then the
// runtime does something for itself.
const (
	pieces     = 5
	pieceCalls = 300 // at least, unless the group says otherwise

	// warmPieces are not counted. Each type assertion to an interface has a cache, which Go
	// fills after a thousand calls or so, by chance: one in 3,000 is not filled after 8,100.
	warmPieces = 27
)

// A Piece is work whose instructions are counted: N requests, or N times the Cost, of a
// contestant.
type Piece struct {
	Group string // how its group is called
	Name  string // of the contestant
	N     int
}

// PrintPieces is the work of a process that CountPieces starts: it has contestants of a
// group answer between marks, and prints what they do. Answers are checked before. It closes
// the group.
func (g Group) PrintPieces(name string, asked func(contestant string) bool, out io.Writer) error {
	if g.Close != nil {
		defer g.Close()
	}
	for _, c := range g.Contestants {
		if !asked(c.Name) {
			continue
		}
		t, err := newTurn(c, g.Calls, 0)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, c.Name, err)
		}
		n, warm, times := g.Counted, warmPieces, pieces
		switch {
		case n == 0 && t.runner == nil:
			n, warm, times = 1, 0, 1
		case n == 0:
			n = (pieceCalls + t.n - 1) / t.n * t.n
		}
		for range warm {
			if _, err := t.cost(n); err != nil {
				return fmt.Errorf("%s: %s: %w", name, c.Name, err)
			}
		}
		for range times {
			callgrind.Mark()
			_, err := t.cost(n)
			callgrind.Mark()
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, c.Name, err)
			}
			if err := json.NewEncoder(out).Encode(Piece{name, c.Name, n}); err != nil {
				return err
			}
		}
	}
	return nil
}

// CountPieces runs a main package with arguments by which it calls PrintPieces, and returns
// for each group what its contestants have cost, in instructions.
func CountPieces(pkg string, args ...string) (map[string]Result, error) {
	printed, counts, err := callgrind.Count(pkg, args...)
	if err != nil {
		return nil, err
	}
	results := map[string]Result{}
	read := json.NewDecoder(bytes.NewReader(printed))
	for _, count := range counts {
		var p Piece
		if err := read.Decode(&p); err != nil {
			return nil, fmt.Errorf("%d pieces were counted, but not all of them are told: %w", len(counts), err)
		}
		r := results[p.Group]
		if n := len(r.Figures); n == 0 || r.Figures[n-1].Name != p.Name {
			r.Figures = append(r.Figures, Figure{Name: p.Name})
		}
		last := &r.Figures[len(r.Figures)-1]
		last.Rounds = append(last.Rounds, float64(count)/float64(p.N))
		r.Unit = "instructions"
		results[p.Group] = r
	}
	return results, nil
}
