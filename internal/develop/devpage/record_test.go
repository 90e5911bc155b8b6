package devpage

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// A lateName finds out its value only when it is logged.
type lateName struct{ name *string }

func (l lateName) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", *l.name), slog.String("token", "s3cret"))
}

func TestRecordOf(t *testing.T) {
	is := is.New(t)
	name := "Ada"
	r := slog.NewRecord(time.Unix(7, 0).UTC(), slog.LevelWarn, strings.Repeat("m", 600), 0)
	r.AddAttrs(slog.Int("n", 3), slog.Any("error", errors.New("it\nfailed")), slog.String("password", "s3cret"), slog.Duration("took", time.Second),
		slog.Group("", slog.Bool("here", true)), slog.Group("http", slog.String("link", "http://localhost/?token=x")), slog.Any("user", lateName{&name}), slog.Attr{})
	got := RecordOf(r, []Value{{Name: "before", Text: "1"}}, "g.")
	name = "Bob"
	var lines []string
	for _, v := range got.Values {
		lines = append(lines, fmt.Sprintf("%s=%q %v %v", v.Name, v.Text, v.Masked, v.HasLines()))
	}
	is.Equal(strings.Join(lines, "\n"), `before="1" false false
g.n="3" false false
g.error="it\nfailed" false true
g.password="" true false
g.took="1s" false false
g.here="true" false false
g.http.link="http://localhost/?token=x" false false
g.user.name="Ada" false false
g.user.token="" true false`)
	is.Equal(got.Level, slog.LevelWarn)
	is.Equal(got.Time, r.Time)
	is.True(len(got.Message) < 520)
}

// TestRecordsDoNotShare: two records of one logger have their own values.
func TestRecordsDoNotShare(t *testing.T) {
	is := is.New(t)
	before := append(make([]Value, 0, 8), Value{Name: "a", Text: "1"})
	record := func(text string) Record {
		r := slog.NewRecord(time.Time{}, 0, "", 0)
		r.AddAttrs(slog.String("b", text))
		return RecordOf(r, before, "")
	}
	first := record("2")
	record("3")
	is.Equal(first.Values[1].Text, "2")
}

// TestParts: what is a URL of a page can be followed, and nothing else.
func TestParts(t *testing.T) {
	long := "http://" + strings.Repeat("a", 5000)
	for text, want := range map[string]string{
		"http://localhost:8080/a?token=b": "[http://localhost:8080/a?token=b]", "https://a.example": "[https://a.example]", "HTTPS://a.example/": "[HTTPS://a.example/]",
		"": "", "/a": "/a", "a.example": "a.example", "http://": "http://", "ftp://a.example": "ftp://a.example", "xhttp://a": "xhttp://a", "http://%zz/": "http://%zz/",
		"javascript:alert(1)": "javascript:alert(1)", "data:text/html,x": "data:text/html,x",
		"javascript:alert('http://a.example/')":     "javascript:alert('[http://a.example/]')", // which leads to the URL alone
		"see http://a.example.":                     "see [http://a.example].",
		"(http://a.example/b), or http://c.example": "([http://a.example/b]), or [http://c.example]",
		"http://a.example/b_(c)":                    "[http://a.example/b_(c)]",
		"<a href=\"http://a.example/\">":            "<a href=\"[http://a.example/]\">",
		"Follow\n\nhttp://a.example/?t=1\n\nonce\n": "Follow\n\n[http://a.example/?t=1]\n\nonce\n",
		"http://a.example/\u202egpj.exe":            `[http://a.example/\u202egpj.exe]`,
		"http://a.example\r\nx\x1b[2J\x00\xff":      `[http://a.example]` + "\n" + `x\x1b[2J\x00�`,
		long:                                        long[:4000] + " … (5007 bytes)",
		long[:3999] + ".x":                          long[:3999] + ". … (4001 bytes)",
		"http://größe.example/ä":                    "[http://größe.example/ä]",
	} {
		t.Run(text[:min(len(text), 50)], func(t *testing.T) {
			is := is.New(t)
			var got string
			for _, s := range AppendAttr(nil, "", slog.String("x", text))[0].Parts() {
				if s.IsURL {
					got += "[" + s.Text + "]"
				} else {
					got += s.Text
				}
			}
			is.Equal(got, want)
		})
	}
}
