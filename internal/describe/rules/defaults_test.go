package rules

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/check/schema"
)

// clock is what stamped takes the time from.
var clock func() time.Time

type stamped struct {
	Limit        int
	Nano, Milli  int64
	Sort, Joined string
}

func (s *stamped) Default() {
	at := clock()
	s.Limit, s.Sort = 20, "name"
	s.Nano, s.Milli, s.Joined = at.UnixNano(), at.UnixMilli(), at.Format(time.StampMilli)
}

// TestDefaultsOfCoarseClocks: what Default takes from a clock is no default of the document, even if the
// clock shows the same time for a while. The time of a bubble moves only while something waits.
func TestDefaultsOfCoarseClocks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		clock func() time.Time
	}{
		{"fine", time.Now},
		{"steps of a millisecond", func() time.Time { return time.Now().Truncate(time.Millisecond) }},
		{"steps of 15.625 ms", func() time.Time { return time.Now().Truncate(15625 * time.Microsecond) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				clock = tt.clock
				of := reflect.TypeFor[stamped]()
				a := &asking{t: of, byKey: map[string]*spot{}}
				a.walk(new(schema.Set).Input(of).Data, nil, "", nil)
				is.Equal(len(a.spots), 5)
				found := map[string]string{}
				for key, text := range a.defaults(clock) {
					found[key] = string(text)
				}
				is.Equal(found, map[string]string{"Limit": "20", "Sort": `"name"`})
			})
		})
	}
}

// TestClockThatStandsStill: the wait for the next step of a clock ends without one.
func TestClockThatStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		asked := 0
		awaitStep(func() time.Time { asked++; return time.Unix(0, 0) })
		is.True(asked > 1)
	})
}
