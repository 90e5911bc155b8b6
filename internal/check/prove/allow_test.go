package prove

import (
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/routes/pattern"
)

func TestDeciding(t *testing.T) {
	for _, tt := range []struct{ policy, name, want string }{
		{"default-src 'self'; script-src 'none'", "script-src", "script-src"},
		{"default-src 'self'; script-src 'none'", "script-src-elem", "script-src"},
		{"default-src 'self'; script-src-elem 'none'", "script-src-attr", "default-src"},
		{"default-src 'self'; script-src-elem 'none'", "script-src", "default-src"},
		{"default-src 'self'; style-src 'none'", "style-src-attr", "style-src"},
		{"default-src 'self'; style-src-attr 'none'", "style-src-attr", "style-src-attr"},
		{"default-src 'self'; child-src 'none'", "frame-src", "child-src"},
		{"default-src 'self'; child-src 'none'; frame-src *", "frame-src", "frame-src"},
		{"default-src 'self'", "img-src", "default-src"},
		{"default-src 'self'", "form-action", ""},
		{"default-src 'self'", "base-uri", ""},
		{"default-src 'self'; base-uri 'none'", "base-uri", "base-uri"},
		{"script-src 'none'", "img-src", ""},
	} {
		t.Run(tt.policy+" "+tt.name, func(t *testing.T) {
			got := ""
			if d := Deciding(csp.Parse(tt.policy), tt.name); d != nil {
				got = d.Name
			}
			is.New(t).Equal(got, tt.want)
		})
	}
}

func TestAllowsInline(t *testing.T) {
	for _, tt := range []struct {
		sources         string
		scripts, styles bool
	}{
		{"'self'", false, false},
		{"'none'", false, false},
		{"'self' 'unsafe-inline'", true, true},
		{"'Unsafe-Inline'", true, true},
		{"'unsafe-inline' 'nonce'", false, false},
		{"'unsafe-inline' 'sha256-YQ=='", false, false},
		{"'unsafe-inline' 'SHA384-YQ=='", false, false},
		{"'unsafe-inline' 'strict-dynamic'", false, true},
		{"unsafe-inline", false, false},
	} {
		t.Run(tt.sources, func(t *testing.T) {
			is := is.New(t)
			d := &csp.Parse("x " + tt.sources)[0]
			is.Equal(allowsInline(d, true, false), tt.scripts)
			is.Equal(allowsInline(d, false, false), tt.styles)
		})
	}
}

// TestAllowsInlineOnFixedPages: without inline scripts, nothing is left of the nonce.
func TestAllowsInlineOnFixedPages(t *testing.T) {
	is := is.New(t)
	is.True(allowsInline(&csp.Parse("script-src 'unsafe-inline' 'nonce'")[0], true, true))
	is.True(!allowsInline(&csp.Parse("script-src 'unsafe-inline' 'nonce' 'sha256-YQ=='")[0], true, true))
	is.True(!allowsInline(&csp.Parse("script-src 'self' 'nonce'")[0], true, true))
}

func TestAllowsHash(t *testing.T) {
	for _, tt := range []struct {
		sources, text string
		want          bool
	}{
		{csp.HashSource("b()"), "b()", true},
		{csp.HashSource("b()"), "b();", false},
		{csp.HashSource("a\nb"), "a\r\nb", true},
		{"'self' " + csp.HashSource("b()"), "b()", true},
		{"'self'", "b()", false},
		{"'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", "b()", true},
		{"'sha256-cf242PFc_kb7xD0Qzhsmd9vvRkc-cWFmbi-k-YvtdKc='", "b()", true},
		{"'sha384-lDNRBkZrtvAZsIrSbBt1JHaFAtTqlHMYb2ppCdYfcpzaB7p8k3j948rjecdZ0pv7'", "b()", true},
		{"'SHA512-yQ1iqAzdSpyhjoTC7woqtoTE6mqXbf23uKrhPB/1VepJiPeJNnZCGcFr9UE8LSLvagt6+s/x/z2BDx6RGZl2tQ=='", "b()", true},
		{"'sha384-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", "b()", false},
		{"sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc=", "b()", false},
	} {
		t.Run(tt.sources+" "+tt.text, func(t *testing.T) {
			is.New(t).Equal(allowsHash(&csp.Parse("script-src " + tt.sources)[0], tt.text), tt.want)
		})
	}
}

// TestAllowsURL is about pages of a site whose host and scheme are not known.
func TestAllowsURL(t *testing.T) {
	words := map[permission]string{allowed: "allowed", notKnown: "unsure", refusedUnlessOwn: "unless own", refused: "refused"}
	const hole = pattern.Hole
	for _, tt := range []struct{ sources, url, want string }{
		{"'self'", "/a.png", "allowed"},
		{"'self'", "a.png", "allowed"},
		{"'SELF'", "?a=b", "allowed"},
		{"'self'", "/" + hole, "allowed"},
		{"'self'", "img/" + hole, "allowed"},
		{"'self'", "img" + hole, "unsure"}, // it may go on with a colon
		{"'self'", hole, "unsure"},
		{"'self'", hole + "/a.png", "unsure"},
		{"'self'", "https://x.example/a", "unless own"},
		{"'self'", "//x.example/a", "unless own"},
		{"'self'", `\\x.example\a`, "unless own"},
		{"'self'", "https:///x.example/a", "unless own"},
		{"'self'", "https://" + hole + "/a", "unsure"},
		{"'self'", "//" + hole + ".example/a", "unsure"},
		{"'self'", "data:image/png;base64,AA", "refused"},
		{"'self'", "DATA:,", "refused"},
		{"'self'", "blob:https://x.example/1", "refused"},
		{"'none'", "/a.png", "refused"},
		{"'none'", hole, "refused"},
		{"'none'", "https://" + hole, "refused"},
		{"", "/a.png", "refused"},
		{"'nonce' 'strict-dynamic'", hole, "refused"},
		{"*", "/a.png", "allowed"},
		{"*", "https://x.example/a", "allowed"},
		{"*", "http://x.example/a", "allowed"},
		{"*", "//x.example/a", "allowed"},
		{"*", "data:,", "refused"},
		{"*", "blob:https://x.example/1", "refused"},
		{"*", hole, "unsure"},
		{"* data:", "data:,", "allowed"},
		{"data:", "/a.png", "refused"},
		{"DATA:", "data:,", "allowed"},
		{"https:", "https://x.example/a", "allowed"},
		{"https:", "http://x.example/a", "refused"},
		{"https:", "/a.png", "unsure"},
		{"https:", "//x.example/a", "unsure"},
		{"https:", "https://" + hole, "allowed"},
		{"http:", "https://x.example/a", "allowed"},
		{"http:", "/a.png", "allowed"},
		{"wss:", "wss://x.example/a", "allowed"},
		{"wss:", "ws://x.example/a", "refused"},
		{"ws:", "wss://x.example/a", "allowed"},
		{"https://x.example", "https://x.example/a", "allowed"},
		{"HTTPS://X.example", "https://x.EXAMPLE/a", "allowed"},
		{"https://x.example", "https://x.example", "allowed"},
		{"https://x.example", "https://y.example/a", "refused"},
		{"https://x.example", "http://x.example/a", "refused"},
		{"https://x.example", "//x.example/a", "unsure"},
		{"https://x.example", "/a.png", "unless own"},
		{"https://x.example", "data:,", "refused"},
		{"https://x.example", "https://x.example.evil.example/a", "refused"},
		{"https://x.example", "https://x.example:8443/a", "refused"},
		{"https://x.example:8443", "https://x.example:8443/a", "allowed"},
		{"https://x.example:443", "https://x.example/a", "allowed"},
		{"https://x.example:*", "https://x.example:8443/a", "allowed"},
		{"http://x.example:80", "https://x.example/a", "allowed"},
		{"https://x.example", "https://u@x.example:443/a", "allowed"},
		{"http://x.example", "https://x.example/a", "allowed"},
		{"http://x.example", "http://x.example/a", "allowed"},
		{"x.example", "https://x.example/a", "allowed"},
		{"x.example", "http://x.example/a", "unsure"},
		{"x.example", "//x.example/a", "allowed"},
		{"x.example", "//y.example/a", "refused"},
		{"*.x.example", "https://a.b.x.example/a", "allowed"},
		{"*.x.example", "https://x.example/a", "refused"},
		{"*.x.example", "https://yx.example/a", "refused"},
		{"https://x.example", "https://" + hole + "/a", "unsure"},
		{"https://x.example/", "https://x.example/a", "allowed"},
		{"https://x.example/lib/", "https://x.example/lib/a.js?v=1", "allowed"},
		{"https://x.example/lib/", "https://x.example/a.js", "refused"},
		{"https://x.example/lib", "https://x.example/lib/a.js", "refused"},
		{"https://x.example/a.js", "https://x.example/a.js", "allowed"},
		{"https://x.example/Lib/", "https://x.example/lib/a.js", "refused"},
		{"https://x.example/lib/", "https://x.example/" + hole, "unsure"},
		{"https://x.example/%61/", "https://x.example/a/b", "unsure"},
		{"https://x.example/lib/", "https://y.example/" + hole, "refused"},
		{"'self' https://x.example", "https://x.example/a", "allowed"},
		{"'self' https://x.example", "https://y.example/a", "unless own"},
		{"'self'", "http:a", "unsure"},
		{"'self'", " ht\ntps://x.example/a", "unless own"},
	} {
		t.Run(tt.sources+" "+tt.url, func(t *testing.T) {
			d := &csp.Parse("img-src " + tt.sources)[0]
			is.New(t).Equal(words[allowsURL(d, parseURL(tt.url))], tt.want)
		})
	}
}

func TestSource(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"/a", "'self'"},
		{"https://X.example:8443/a?b", "https://x.example:8443"},
		{"//x.example/a", "x.example"},
		{"data:,", "data:"},
		{pattern.Hole + "/a", ""},
		{"https://" + pattern.Hole, ""},
	} {
		t.Run(tt.url, func(t *testing.T) { is.New(t).Equal(parseURL(tt.url).source(), tt.want) })
	}
	is.New(t).Equal(parseURL("http://x.example:80/a").upgraded().source(), "https://x.example")
}
