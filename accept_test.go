package flow

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestPreferred(t *testing.T) {
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
			is.Equal(preferred([]string{tt.accept}, false), tt.endpoint)
			is.Equal(preferred([]string{tt.accept}, true), tt.page)
		})
	}
}

// slowItems is items, plainly.
func slowItems(lines []string) []string {
	var looked []string
	start := 0
	for _, item := range strings.Split(strings.Join(lines, ","), ",") {
		if start >= maxListBytes || start+len(item) > maxListBytes || len(looked) == maxItems {
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

// FuzzAccept: whatever a client accepts, an error has the form that is worth most
// to it, and can be sent.
func FuzzAccept(f *testing.F) {
	f.Add("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", true)
	f.Add("text/*;q=0.3\ntext/html;Q=0.7\n*/*;q=0.5", true)
	f.Add(strings.Repeat("text/html;q=0.1,", 512), false) // 8 KB
	f.Add(strings.Repeat(",;=", 2731), false)
	f.Add(strings.Repeat(",", maxItems-1)+"text/html\ntext/plain", false)
	f.Add(strings.Repeat(" ", maxListBytes-10)+",text/html", false)
	f.Add(strings.Repeat(" ", maxListBytes-1)+",,", false)
	f.Fuzz(func(t *testing.T, accept string, page bool) {
		lines := strings.Split(accept, "\n")
		if got, want := slices.Collect(items(lines)), slowItems(lines); !slices.Equal(got, want) {
			t.Errorf("looks at %q, want %q", got, want)
		}
		best := preferred(lines, page)
		bestQ, bestNamed := slowQuality(lines, best)
		for _, offer := range []string{"application/problem+json", "text/html", "text/plain"} {
			q, named := slowQuality(lines, offer)
			if q < 0 || q > 1000 || q > bestQ || q > 0 && q == bestQ && named && !bestNamed {
				t.Errorf("%q: %s is worth %v, and %s %v is preferred", accept, offer, q, best, bestQ)
			}
		}
		resp := problem{status: 404}.response(best)
		if _, err := resp.encode(nil); err != nil {
			t.Error(err)
		}
	})
}

// slowChoice is choose, plainly: it returns the name of the coding, "" for none.
func slowChoice(c *content, accept []string) string {
	weights := map[string]int{}
	for _, item := range slowItems(accept) {
		fields := strings.Split(item, ";")
		name := strings.TrimSpace(fields[0])
		for _, known := range []string{"identity", "gzip", "br", "zstd"} {
			if strings.EqualFold(name, known) || strings.EqualFold(name, "x-"+known) && known == "gzip" {
				name = known
			}
		}
		if _, ok := weights[name]; ok {
			continue
		}
		weights[name] = 1000
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			if strings.EqualFold(strings.TrimSpace(key), "q") {
				m := regexp.MustCompile(`^([0-9]?)(?:\.([0-9]*))?$`).FindStringSubmatch(strings.TrimSpace(value))
				weights[name] = 0
				if m != nil {
					if n, _ := strconv.Atoi(m[1] + (m[2] + "000")[:3]); n <= 1000 {
						weights[name] = n
					}
				}
				break
			}
		}
	}
	type candidate struct {
		name         string
		weight, size int
	}
	var candidates []candidate
	for coding, f := range c.forms {
		name := codingNames[coding]
		size := 0
		switch {
		case f != nil:
			size = len(f.body)
		case name == "gzip" && c.packs && c.pack(true) != nil:
			size = len(c.forms[codingIdentity].body) - 1 // better than that, no more is known before
		default:
			continue
		}
		weight, named := weights[name]
		others, star := weights["*"]
		switch {
		case named:
		case name == "identity" && star && others == 0:
			weight = 0
		case name == "identity":
			weight = -1 // acceptable, after everything that was asked for
		default:
			weight = others
		}
		if weight != 0 {
			candidates = append(candidates, candidate{name, weight, size})
		}
	}
	if len(candidates) == 0 {
		return ""
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		if a.weight != b.weight {
			return b.weight - a.weight
		}
		return a.size - b.size
	})
	return candidates[0].name
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, accept := range []string{
		"", "gzip", "gzip, deflate, br, zstd", "*", "*;q=0", "identity;q=0", "gzip;q=0.5, *;q=0.4, identity;q=0.3",
		"x-gzip;q=1.000\nbr;q=.5", "GZIP ; Q=0.12345, zstd;q=1.0001,br;q", "identity;q=0.001, *;q=0.002", "br;q=0,br,*",
	} {
		f.Add(accept)
	}
	css := stylesheet(50)
	contents := []*content{
		inMemory("text/css", css, nil),
		inMemory("image/png", css, nil),
		inMemory("text/css", css, map[string][]byte{".br": css[:90]}),
		inMemory("text/css", css, map[string][]byte{".br": css[:50], ".zst": css[:40], ".gz": css[:60]}),
		inMemory("text/css", css[:40], map[string][]byte{".br": css[:50], ".zst": css[:60]}), // larger than what they stand for
	}
	f.Fuzz(func(t *testing.T, accept string) {
		lines := strings.Split(accept, "\n")
		for i, c := range contents {
			got := ""
			if f := c.choose(lines); f != nil {
				got = "identity"
				if f.coding != nil {
					got = f.coding[0]
				}
			}
			if want := slowChoice(c, lines); got != want {
				t.Errorf("content %d: %q: got %q, want %q", i, lines, got, want)
			}
		}
	})
}
