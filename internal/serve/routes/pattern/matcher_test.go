package pattern

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestBuiltIn(t *testing.T) {
	for _, tt := range []struct {
		name string
		fit  string // values, separated by spaces
		not  string
	}{
		{"int", "0 7 -7 007 9223372036854775807 -9223372036854775808", "+7 - 7a 1.5 1_000 0x1 ７ 9223372036854775808 -9223372036854775809 18446744073709551616 99999999999999999999999"},
		{"uuid", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6 00000000-0000-0000-0000-000000000000", "f81d4fae7dec11d0a76500a0c91e6bf6 f81d4fae-7dec-11d0-a765-00a0c91e6bfg f81d4fae-7dec-11d0-a765-00a0c91e6bf {f81d4fae-7dec-11d0-a765-00a0c91e6bf6} f81d4fae_7dec-11d0-a765-00a0c91e6bf6 f81d4fae-7dec-11d0-a765-00a0c91e6b@6"},
		{"date", "2006-01-02 2024-02-29 0000-01-01 9999-12-31", "2006-1-2 2006-13-01 2006-00-10 2006-01-00 2023-02-29 2006-01-32 2006/01/02 06-01-02 2006-01-02T00:00 -006-01-02 2006-01--2"},
		{"slug", "a 7 a-b go-1-26 x2", "- a- -a a--b A é a_b a.b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			fits := BuiltIn(tt.name)
			for v := range strings.FieldsSeq(tt.fit) {
				if !fits(v) {
					t.Errorf("%q does not fit", v)
				}
			}
			for v := range strings.FieldsSeq(tt.not) {
				if fits(v) {
					t.Errorf("%q fits", v)
				}
			}
			is.True(!fits(""))
			is.True(!fits(" 7"))
			is.True(slices.Contains(BuiltIns(), tt.name))
			is.Equal(testing.AllocsPerRun(10, func() { fits("no date, no number, no slug") }), 0.0)
		})
	}
	is := is.New(t)
	is.Equal(len(BuiltIns()), 4)
	is.True(BuiltIn("lang") == nil)
}

// FuzzBuiltIn holds the matchers against the standard library.
func FuzzBuiltIn(f *testing.F) {
	for _, v := range []string{"7", "-9223372036854775808", "2024-02-29", "0000-00-00", "--1"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		_, err := strconv.ParseInt(v, 10, 64)
		if got, want := isInt(v), err == nil && !strings.HasPrefix(v, "+"); got != want {
			t.Errorf("isInt(%q) = %v", v, got)
		}
		day, err := time.Parse(time.DateOnly, v)
		if got, want := isDate(v), err == nil && day.Format(time.DateOnly) == v; got != want {
			t.Errorf("isDate(%q) = %v", v, got)
		}
	})
}
