package accept

import (
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
)

func TestMediaType(t *testing.T) {
	const j, h, p = "application/problem+json", "text/html", "text/plain"
	for _, tt := range []struct{ accept, endpoint, page string }{
		{"", j, h},
		{"*/*", j, h},
		{"text/html", h, h},
		{"TEXT/HTML", h, h},
		{"application/json", j, j},
		{"application/problem+json", j, j},
		{"application/*", j, j},
		{"text/plain", p, p},
		{"text/*", h, h},
		{"image/png", j, h},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", h, h},
		{"application/json, text/plain, */*", j, j}, // axios
		{"*/*, text/html", h, h},
		{"text/*, application/*", j, h},
		{"text/html;q=0.5, application/json", j, j},
		{"text/html;q=0.5, application/json;q=0.4", h, h},
		{"text/html, application/json", j, h},
		{"text/html ; q=0.2 , text/plain;format=flowed;q=0.3", p, p},
		{"text/html;q=0, */*", j, j},
		{"*/*;q=0.1, text/plain;q=0", j, h},
		{"text/*;q=0.3, text/plain;q=0.9", p, p},
		{"application/json;q=0.1, application/problem+json;q=0.9, text/html;q=0.5", j, j},
		{"application/problem+json;q=0, application/json, text/html;q=0.5", h, h},
		{"text/html;q=2", j, h},
		{"text/html;q=-1, text/plain;q=0.1", p, p},
		{"text/html;q=NaN, text/plain;q=0.1", p, p},
		{"text/html;q=, text/plain;q=0.1", p, p},
		{"text/html;Q=0.1, text/plain;q=0.2", p, p},
		{",,;;=,text/plain;;;,/,*", p, p},
	} {
		t.Run(tt.accept, func(t *testing.T) {
			is := is.New(t)
			is.Equal(MediaType([]string{tt.accept}, false), tt.endpoint)
			is.Equal(MediaType([]string{tt.accept}, true), tt.page)
		})
	}
}

func TestWeights(t *testing.T) {
	for _, tt := range []struct {
		header string
		want   [Codings]int // of identity, gzip, br, zstd
	}{
		{"", [...]int{1, 0, 0, 0}},
		{"gzip, deflate, br, zstd", [...]int{1, 1001, 1001, 1001}},
		{"X-GZIP ; Q=0.5 , br;q=.25", [...]int{1, 501, 251, 0}},
		{"gzip;q=0, gzip", [...]int{1, 0, 0, 0}},
		{"gzip;q=1.001, br;q=x, zstd;q", [...]int{1, 0, 0, 0}},
		{"gzip;q=0.3339;q=1", [...]int{1, 334, 0, 0}},
		{"gzip;q=0.0001", [...]int{1, 0, 0, 0}},
		{"*", [...]int{1, 1001, 1001, 1001}},
		{"*;q=0", [...]int{0, 0, 0, 0}},
		{"*;q=0, identity;q=0.2", [...]int{201, 0, 0, 0}},
		{"br, *;q=0.1, gzip;q=0", [...]int{1, 0, 1001, 101}},
		{"identity;q=0", [...]int{0, 0, 0, 0}},
	} {
		t.Run(tt.header, func(t *testing.T) {
			is := is.New(t)
			is.Equal(Weights([]string{tt.header}), tt.want)
			is.Equal(Weights(strings.Split(tt.header, ",")), tt.want) // one line for each
		})
	}
}

func TestAcceptAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	is := is.New(t)
	lines := []string{"text/html;q=0.5, gzip;q=0.7", "*/*, br;q=0.1, *"}
	is.Equal(testing.AllocsPerRun(100, func() {
		MediaType(lines, true)
		Weights(lines)
	}), 0.0)
}

// slowItems is items, plainly.
func slowItems(lines []string) []string {
	var looked []string
	start := 0
	for _, item := range strings.Split(strings.Join(lines, ","), ",") {
		if start >= MaxBytes || start+len(item) > MaxBytes || len(looked) == MaxItems {
			break
		}
		looked = append(looked, item)
		start += len(item) + 1
	}
	return looked
}

// slowQuality returns the weight that an Accept header gives a media type, plainly:
// that of the first of the most specific ranges.
func slowQuality(accept []string, mediaType string) (q int, named bool) {
	ranges := []string{"*/*", strings.Split(mediaType, "/")[0] + "/*", mediaType}
	if mediaType == "application/problem+json" {
		ranges = []string{"*/*", "application/*", "application/json", mediaType}
	}
	for i, r := range slices.Backward(ranges) {
		for _, item := range slowItems(accept) {
			name, params, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(name), r) {
				return weight(params), i >= 2
			}
		}
	}
	return 0, false
}

// FuzzAccept: whatever a client accepts, an error has the media type that is worth most
// to it.
func FuzzAccept(f *testing.F) {
	f.Add("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", true)
	f.Add("text/*;q=0.3\ntext/html;Q=0.7\n*/*;q=0.5", true)
	f.Add(strings.Repeat("text/html;q=0.1,", 512), false) // 8 KB
	f.Add(strings.Repeat(",;=", 2731), false)
	f.Add(strings.Repeat(",", MaxItems-1)+"text/html\ntext/plain", false)
	f.Add(strings.Repeat(" ", MaxBytes-10)+",text/html", false)
	f.Add(strings.Repeat(" ", MaxBytes-1)+",,", false)
	f.Add(strings.Repeat(" ", MaxBytes)+",,", true)
	f.Fuzz(func(t *testing.T, accept string, page bool) {
		lines := strings.Split(accept, "\n")
		if got, want := slices.Collect(Items(lines)), slowItems(lines); !slices.Equal(got, want) {
			t.Errorf("looks at %q, want %q", got, want)
		}
		best := MediaType(lines, page)
		bestQ, bestNamed := slowQuality(lines, best)
		for _, offer := range []string{"application/problem+json", "text/html", "text/plain"} {
			q, named := slowQuality(lines, offer)
			if q < 0 || q > 1000 || q > bestQ || q > 0 && q == bestQ && named && !bestNamed {
				t.Errorf("%q: %s is worth %v, and %s %v is preferred", accept, offer, q, best, bestQ)
			}
		}
	})
}
