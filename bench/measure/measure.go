// Package measure compares contestants that do the same work, in one process and in short
// rounds that alternate between all of them.
//
// Measured one after the other, each in a long block of its own, the same program seemed
// 1.03, 1.33 and 1.54 times as slow as another one: a machine is slower for seconds at a
// time. So a round is a few milliseconds, all contestants have their turn in it, in an
// order that differs from round to round, and what counts is the median of the ratios
// round by round.
package measure

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// A Group is work that several contestants do.
type Group struct {
	Base        string // the name of the contestant that the others are compared to
	Unit        string // of what is measured; "" is nanoseconds for one request
	Calls       []Call // what each contestant has to answer, in turn
	Contestants []Contestant
	Rounds      int    // in place of those of the budget; 0 is none of its own
	Counted     int    // how many requests instructions are counted of at a time; 0 is hundreds, or one of a Cost
	Close       func() // ends what the contestants have started; nil if that is nothing
}

// A Contestant does the work of a group. It has a Handler or a Cost.
type Contestant struct {
	Name    string
	Handler http.Handler
	Calls   []Call // in place of those of the group

	// Cost does the work n times and returns what that cost in all, in the unit of the
	// group. It returns an error if the work was not done rightly.
	Cost func(n int) (float64, error)
}

// A Budget says how long a group is measured.
type Budget struct {
	Rounds int           // at most
	Turn   time.Duration // of one contestant in a round, at least
	Most   time.Duration // after which there are no more rounds, other than the first five
	Held   int           // bytes of memory that are held meanwhile; see collectedAt
}

// collectedAt is the GOGC that requests are measured with if the Budget holds no memory. At
// 100 a program whose heap is as empty as this one's is collected for each 4 MB that it
// allocates, thousands of times a second, as no server is that holds anything. With memory
// held, GOGC is 100, as it is for most servers.
const collectedAt = 400

// leastRounds are enough for a median where one round takes seconds.
const leastRounds = 5

// Run checks the answers of all contestants of a group, measures them, and closes the
// group.
func (g Group) Run(b Budget) (Result, error) {
	if g.Close != nil {
		defer g.Close()
	}
	turns := make([]*turn, len(g.Contestants))
	for i, c := range g.Contestants {
		t, err := newTurn(c, g.Calls, b.Turn)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", c.Name, err)
		}
		turns[i] = t
	}
	result := Result{Base: g.Base, Unit: g.Unit}
	for _, t := range turns {
		f := Figure{Name: t.name}
		if t.runner != nil {
			f.Allocs, f.Bytes = t.runner.allocations()
		}
		result.Figures = append(result.Figures, f)
	}
	runtime.GC()
	if turns[0].runner != nil {
		percent := collectedAt
		if b.Held > 0 {
			held := make([]byte, b.Held)
			defer runtime.KeepAlive(held)
			percent = 100
		}
		defer debug.SetGCPercent(debug.SetGCPercent(percent))
	}
	order := make([]int, len(turns))
	for i := range order {
		order[i] = i
	}
	shuffle := rand.New(rand.NewPCG(1, 2)) // the same order in each run
	start := time.Now()
	for round := range cmp.Or(g.Rounds, b.Rounds) {
		if round >= leastRounds && time.Since(start) > b.Most {
			break
		}
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			cost, err := turns[i].cost(turns[i].n)
			if err != nil {
				return Result{}, fmt.Errorf("%s: %w", turns[i].name, err)
			}
			result.Figures[i].Rounds = append(result.Figures[i].Rounds, cost/float64(turns[i].n))
		}
	}
	return result, nil
}

// Allocations counts how often contestants with a Handler allocate memory, without
// measuring what else they cost, and closes the group. Answers are checked before.
func (g Group) Allocations() (Result, error) {
	if g.Close != nil {
		defer g.Close()
	}
	result := Result{Base: g.Base, Unit: g.Unit}
	for _, c := range g.Contestants {
		t, err := newTurn(c, g.Calls, 0)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", c.Name, err)
		}
		f := Figure{Name: t.name}
		if t.runner != nil {
			f.Allocs, f.Bytes = t.runner.allocations()
		}
		result.Figures = append(result.Figures, f)
	}
	return result, nil
}

// Check checks the answers of all contestants of a group without measuring them, and
// closes the group.
func (g Group) Check() error {
	if g.Close != nil {
		defer g.Close()
	}
	for _, c := range g.Contestants {
		if _, err := newTurn(c, g.Calls, 0); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// A turn is what a contestant does in each round.
type turn struct {
	name   string
	n      int // how often it does its work
	cost   func(n int) (float64, error)
	runner *runner // nil for a contestant with a Cost
}

// newTurn checks what a contestant answers, and finds out how often it does its work in
// the time of a turn. Nothing is found out for a turn of no time.
func newTurn(c Contestant, calls []Call, atLeast time.Duration) (*turn, error) {
	t := &turn{name: c.Name, n: 1, cost: c.Cost}
	if c.Cost == nil {
		if c.Calls != nil {
			calls = c.Calls
		}
		t.runner = newRunner(c.Handler, calls)
		if err := t.runner.check(); err != nil {
			return nil, err
		}
		t.n = len(calls)
		t.cost = func(n int) (float64, error) { return float64(t.runner.run(n)), nil }
	}
	if atLeast == 0 {
		_, err := t.cost(t.n)
		return t, err
	}
	// The first run finds caches cold, pools empty and code unread.
	for first := true; ; first = false {
		start := time.Now()
		if _, err := t.cost(t.n); err != nil {
			return nil, err
		}
		took := time.Since(start)
		enough := took >= atLeast || t.n > 1<<30
		if enough && !first {
			return t, nil
		}
		if !enough {
			t.n *= 1 + int(min(atLeast/(took+1), 9))
		}
	}
}

// allocations returns how often memory is allocated for one request, and how many bytes.
// The garbage collector is off meanwhile, since it empties pools. What the runtime
// allocates for itself now and then is kept out by taking the least of several tries.
func (r *runner) allocations() (allocs, bytes float64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	n := max(1, 500/len(r.calls)) * len(r.calls)
	r.run(n)
	allocs, bytes = -1, -1
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.run(n)
		runtime.ReadMemStats(&after)
		a := float64(after.Mallocs-before.Mallocs) / float64(n)
		if allocs < 0 || a < allocs {
			allocs, bytes = a, float64(after.TotalAlloc-before.TotalAlloc)/float64(n)
		}
	}
	return allocs, bytes
}

// A Result holds what was measured of a group.
type Result struct {
	Base, Unit string
	Figures    []Figure
}

// A Figure is what was measured of one contestant, for one piece of its work.
type Figure struct {
	Name          string
	Rounds        []float64 // the cost in each round
	Allocs, Bytes float64   // allocations; 0 for a contestant with a Cost
}

// Min returns the cost in the quickest round.
func (f Figure) Min() float64 { return slices.Min(f.Rounds) }

// Median returns the cost in the median round.
func (f Figure) Median() float64 { return Median(f.Rounds) }

// Of returns the figure of a contestant. It panics if there is none of that name, which
// is a mistake in the program.
func (r Result) Of(name string) Figure {
	for _, f := range r.Figures {
		if f.Name == name {
			return f
		}
	}
	panic("measure: no contestant is called " + name)
}

// Ratio returns how many times as much a costs as b: the median of the ratios of all
// rounds.
func (r Result) Ratio(a, b string) float64 {
	x, y := r.Of(a).Rounds, r.Of(b).Rounds
	each := make([]float64, len(x))
	for i := range x {
		each[i] = x[i] / y[i]
	}
	return Median(each)
}

// More returns how much more a costs than b, in multiples of what unit costs: the median of
// all rounds again.
func (r Result) More(a, b, unit string) float64 {
	x, y, z := r.Of(a).Rounds, r.Of(b).Rounds, r.Of(unit).Rounds
	each := make([]float64, len(x))
	for i := range x {
		each[i] = (x[i] - y[i]) / z[i]
	}
	return Median(each)
}

// Median returns the median of values, the mean of the two in the middle if there is no
// single one. It panics if there are none.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
