package language

import (
	"testing"

	"github.com/matryer/is"
)

func TestDict(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pairs []any
		want  map[string]any
		err   string
	}{
		{"none", nil, map[string]any{}, ""},
		{"two", []any{"a", 1, "b", nil}, map[string]any{"a": 1, "b": nil}, ""},
		{"the last counts", []any{"a", 1, "a", 2}, map[string]any{"a": 2}, ""},
		{"without a value", []any{"a", 1, "b"}, nil, "the key b has no value"},
		{"no string", []any{1, 2}, nil, "the key 1 is no string"},
		{"nil", []any{nil, 2}, nil, "the key <nil> is no string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			m, err := Dict(tt.pairs...)
			if tt.err != "" {
				is.Equal(err.Error(), tt.err)
				return
			}
			is.NoErr(err)
			is.Equal(m, tt.want)
		})
	}
}
