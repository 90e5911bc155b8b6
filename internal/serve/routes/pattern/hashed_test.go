package pattern

import (
	"testing"

	"github.com/matryer/is"
)

func TestUnhashed(t *testing.T) {
	const hash = "4ugmjvqtcgfftyxn"
	for _, tt := range []struct {
		segment, name string
		ok            bool
	}{
		{"app." + hash + ".css", "app.css", true},
		{"app.min." + hash + ".css", "app.min.css", true},
		{"app." + hash, "app", true},
		{"app." + hash + ".", "app.", true},
		{"app." + hash + "." + hash, "app." + hash, true},
		{"." + hash + ".css", ".css", true},
		{"app.css." + hash, "", true}, // that of no file: see Hashed
		{"app.css", "", false},
		{"app", "", false},
		{"", "", false},
		{hash + ".css", "", false},
		{"app-" + hash + ".css", "", false},
		{"app.4ugmjvqtcgfftyx.css", "", false},
		{"app.4ugmjvqtcgfftyxna.css", "", false},
		{"app.4Ugmjvqtcgfftyxn.css", "", false},
		{"app.1ugmjvqtcgfftyxn.css", "", false},
		{"app.8ugmjvqtcgfftyxn.css", "", false},
		{"app." + hash + ".css.map", "", false},
	} {
		t.Run(tt.segment, func(t *testing.T) {
			is := is.New(t)
			name, ok := Unhashed(tt.segment)
			is.Equal(ok, tt.ok)
			is.Equal(LooksHashed("/app."+hash+"/"+tt.segment), tt.ok)
			is.Equal(name, tt.name)
			if name == "" {
				return
			}
			p := New([]Segment{{Kind: Param, Text: "x"}, {Text: name}})
			back := p.Hashed(hash).Segments
			is.Equal(back[1].Text, tt.segment)
			is.Equal(back[0], p.Segments[0])
			is.Equal(p.Segments[1].Text, name) // as it was
		})
	}
}
