package flow_test

import (
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// many returns how many cases a test generates: all of them with FLOW_SLOW in the
// environment, as .ci/run has it, and else a quarter. With the race detector it is also a
// quarter, since it is slow, and one goroutine tries the cases.
func many(all int) int {
	if os.Getenv("FLOW_SLOW") == "" || race.Enabled {
		return all / 4
	}
	return all
}

// The helpers of packages apptest and flowtest, by short names.
const (
	jsonMedia  = flowtest.JSON
	formType   = flowtest.Form
	multiMedia = flowtest.Multipart
)

type (
	journal   = apptest.Journal
	marshaler = apptest.Marshaler
	conflict  = apptest.Conflict
	sink      = apptest.Sink
)

var (
	sending    = flowtest.Sending
	parts      = flowtest.Parts
	lone       = apptest.Lone
	registered = apptest.Registered
	unchecked  = apptest.Unchecked
	answers    = apptest.Answers
	thisTest   = apptest.InTest
	report     = apptest.Report
	errorText  = apptest.ErrorText
	pagesOf    = apptest.PagesOf
	onDisk     = apptest.OnDisk
	write      = apptest.Write
	journalOf  = apptest.JournalOf
	records    = apptest.Records
	logged     = apptest.Logged
	do         = apptest.Do
	request    = apptest.Request
	serve      = apptest.Serve
	visit      = apptest.Visit
	remote     = apptest.Remote
	says       = apptest.Says
	ask        = apptest.Ask
	get        = apptest.Show
	asked      = apptest.Asked
	sources    = apptest.Sources
	billing    = apptest.Billing
	outerOf    = apptest.OuterOf
	dial       = apptest.Dial
	together   = apptest.Together
	around     = apptest.Around
	before     = apptest.Before
	sets       = apptest.Sets
	wrap       = apptest.Wrap
	mark       = apptest.Mark
	markStd    = apptest.MarkStd
	marks      = apptest.Marks
	ownFormat  = apptest.OwnFormat
)

func hello(*flow.Request) string { return "hello" }

func pass(*flow.Request) flow.Response { return flow.Next() }

// browserReads returns the scheme and the host of where a browser goes that gets a
// Location from http://app.example/: what of the WHATWG URL standard matters for that.
func browserReads(location string) (scheme, host string) {
	const here, hereHost = "http", "app.example"
	text := strings.TrimFunc(location, func(c rune) bool { return c <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)

	name, rest, found := strings.Cut(text, ":")
	for i, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		found = found && (letter || i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'))
	}
	slash := func(s string) bool { return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\`) }
	scheme = strings.ToLower(name)
	switch {
	case !found || name == "":
		if scheme, rest = here, text; !slash(rest) || !slash(rest[1:]) {
			return here, hereHost
		}
	case scheme == here && !strings.HasPrefix(rest, "//"):
		// The scheme is left out, so to speak: "http:x" is relative.
		if !slash(rest) || !slash(rest[1:]) {
			return here, hereHost
		}
	case scheme != "http" && scheme != "https" && scheme != "ws" && scheme != "wss" && scheme != "ftp":
		return scheme, ""
	}
	authority := strings.TrimLeft(rest, `/\`)
	if i := strings.IndexAny(authority, `/\?#`); i >= 0 {
		authority = authority[:i]
	}
	host = authority[strings.LastIndex(authority, "@")+1:]
	if i := strings.LastIndex(host, ":"); i > strings.LastIndex(host, "]") {
		host = host[:i]
	}
	if decoded, err := url.PathUnescape(host); err == nil {
		host = decoded
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return scheme, strings.ToLower(host)
}

func TestBrowserReads(t *testing.T) {
	for _, tt := range []struct{ location, want string }{
		{"/a", "http app.example"},
		{"", "http app.example"},
		{"a//b", "http app.example"},
		{"?//b", "http app.example"},
		{"//b", "http b"},
		{`/\b`, "http b"},
		{`\\b`, "http b"},
		{" \x00\t/\t/b ", "http b"},
		{"/\n/b", "http b"},
		{"////b", "http b"},
		{"http:b", "http app.example"},
		{"http:/b", "http app.example"},
		{"http://b", "http b"},
		{`http:\\b`, "http b"},
		{`http:/\b`, "http b"},
		{"https:b", "https b"},
		{"https:/b", "https b"},
		{"HT\ntPs:/b", "https b"},
		{"https://a@b:80/", "https b"},
		{`https://a\@b/`, "https a"},
		{"https://a#@b", "https a"},
		{"https://a:b@c@d", "https d"},
		{"https://[::1]:80/", "https ::1"},
		{"https://%41/", "https a"},
		{"javascript:alert(1)", "javascript "},
		{"/.//b", "http app.example"},
		{"/%2f/b", "http app.example"},
		{":b", "http app.example"},
		{"1http://b", "http app.example"},
	} {
		t.Run(tt.location, func(t *testing.T) {
			is := is.New(t)
			scheme, host := browserReads(tt.location)
			is.Equal(scheme+" "+host, tt.want)
		})
	}
}

// hostilePieces are what hostile targets are made of.
var hostilePieces = []string{
	"/", "/", "//", "///", `\`, `/\`, `\/`, `\\`, ":", "@", "?", "#", "%", ".", "..", "/.", "/..", ";", "&", "=", "|", "[", "]", "[::1]", "[v1.x]",
	"http:", "https:", "http://", "https://", "HTTP://", "hTTps:/", "https:///", `https:\\`, "ftp://", "javascript:", "data:text/html,", "file:///", "ws://", "blob:", "mailto:a@",
	"evil.example", "good.example", "app.example", "EVIL.example", "1.2.3.4", "0x7f.1", "localhost", "a", "b", ":80", ":443", ":x", ":", "user:pass@", "good.example@", "@evil.example",
	"ex\u00e4mple.com", "\uff45vil.example", "\uff0f", "\uff0fevil.example", "\u2044", "\u3002", "\uff0e", "\u2100", "\u00ad", "\u200b", "\u202e", "\ufeff", "\u0131", "\u212a", "xn--exmple-cua.com", "\xff", "\xc0\xaf",
	"%2f", "%2F", "%5c", "%09", "%0a", "%0d%0aSet-Cookie: a=b", "%00", "%20", "%40", "%3a", "%23", "%3f", "%2e", "%2e%2e", "%c0%af", "%zz", "%", "%25", "%252f",
	" ", "  ", "\t", "\n", "\r", "\r\n", "\x00", "\x0b", "\x0c", "\x1f", "\x7f", "\u0085", "\u00a0", "\u2028", "\r\nLocation: //evil.example",
	strings.Repeat("/", 3000), strings.Repeat("a", 3000), strings.Repeat(`\`, 3000), strings.Repeat("@", 3000),
}

// hostileTarget returns a text of some pieces.
func hostileTarget(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteString(hostilePieces[random.IntN(len(hostilePieces))])
	}
	return b.String()
}

type user struct{ name string }

// takes returns a handler with an input.
func takes[In any]() any { return func(*flow.Request, In) error { return nil } }
