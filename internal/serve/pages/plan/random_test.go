package plan_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/pages/plan"
	"example.com/flow/internal/testkit/zoo"
)

var (
	templates = flag.Int("plan.templates", 0, "how many random templates TestRandomTemplates makes; 0 is 2,000, with FLOW_SLOW=1 20,000, with the race detector 200")
	seed      = flag.Uint64("plan.seed", 0, "the seed of TestRandomTemplates; 0 is 1, with FLOW_NIGHTLY=1 a new one")
	values    = flag.Int("plan.values", 4, "how many random values TestRandomTemplates renders each template with")
)

var zooFuncs = plan.Funcs{Fixed: zoo.Funcs, Bound: zoo.Bound}

// TestRandomTemplates renders random templates with random data both ways.
func TestRandomTemplates(t *testing.T) {
	n, s := *templates, *seed
	if n == 0 {
		n = 2_000
		if os.Getenv("FLOW_SLOW") != "" {
			n = 20_000
		}
		if race.Enabled {
			n = 200
		}
	}
	if s == 0 {
		s = 1 // the same for each change
		if os.Getenv("FLOW_NIGHTLY") != "" {
			s = uint64(time.Now().UnixNano())
		}
	}
	t.Logf("go test ./internal/serve/pages/plan -run RandomTemplates -plan.seed %d -plan.templates %d -plan.values %d", s, n, *values)
	var refused, unplanned, pages, failed, tooLong, readOnce, readOnceFailed int
	reasons := map[string]int{}
	for i := range n {
		g := rand.New(rand.NewPCG(s, uint64(i)))
		root := zoo.Roots[i%len(zoo.Roots)]
		b, err := newBoth(zoo.Template(g, root, false), zooFuncs)
		if err != nil { // by the parser or html/template
			refused++
			continue
		}
		if b.plan == nil {
			unplanned++
			reasons[b.reason.Error()]++
		}
		for range *values {
			dataSeed := g.Uint64()
			r := b.render(t, func() any { zoo.Log.Reset(dataSeed); return zoo.Data(root, dataSeed) })
			if slices.ContainsFunc(r.calls, func(call string) bool { return strings.HasPrefix(call, "cursor.") || strings.HasPrefix(call, "iter.") }) {
				readOnce++
				if r.err != nil {
					readOnceFailed++
				}
			}
			switch {
			case r.err == nil:
				pages++
			case r.err == errTooLong:
				tooLong++
			default:
				failed++
			}
		}
		if t.Failed() {
			t.Fatalf("root %v, -plan.seed %d, template %d", root, s, i)
		}
	}
	t.Logf("%d templates: %d refused by html/template, %d without a Program; %d pages, %d failed, %d too long", n, refused, unplanned, pages, failed, tooLong)
	t.Logf("%d of these executions called iterators or cursors, %d of which failed", readOnce, readOnceFailed)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%d %s", reasons[reason], reason)
	}
	if total := pages + failed; pages < total/2 || refused+unplanned > n/5 {
		t.Errorf("too few templates say something")
	}
}

// TestManyGoroutines renders random templates in several goroutines at a time, with data of
// different types. Nothing is recorded then.
func TestManyGoroutines(t *testing.T) {
	zoo.Log = zoo.Recorder{}
	const seeds = 6
	for i := range uint64(60) {
		b, err := newBoth(zoo.Template(rand.New(rand.NewPCG(2, i)), zoo.Roots[0], false), zooFuncs)
		if err != nil || b.plan == nil {
			continue
		}
		given := func(seed uint64) any { return zoo.Data(zoo.Roots[seed%seeds], seed) }
		var want [seeds]rendering
		for seed := range uint64(seeds) {
			var page limited
			want[seed].err = execute(b.html, &page, given(seed))
			want[seed].page = page.String()
		}
		var all sync.WaitGroup
		for first := range uint64(8) {
			all.Go(func() {
				for n := range uint64(seeds) {
					seed := (first + n) % seeds
					got, err := b.append(nil, given(seed))
					if w := want[seed]; w.err != errTooLong && (err == nil) != (w.err == nil) || w.err == nil && !alike(string(got), w.page) {
						b.report(t, "%v, in one goroutine %v:\n%.500q\n%.500q", err, w.err, got, w.page)
					}
				}
			})
		}
		all.Wait()
	}
}
