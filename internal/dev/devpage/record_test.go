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
		lines = append(lines, fmt.Sprintf("%s=%q %v %s", v.Name, v.Text, v.Masked, v.Link()))
	}
	is.Equal(strings.Join(lines, "\n"), `before="1" false 
g.n="3" false 
g.error="it\nfailed" false 
g.password="" true 
g.took="1s" false 
g.here="true" false 
g.http.link="http://localhost/?token=x" false http://localhost/?token=x
g.user.name="Ada" false 
g.user.token="" true `)
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

func TestLink(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost:8080/a?token=b": true, "https://a.example": true, "HTTPS://a.example/": true,
		"": false, "/a": false, "a.example": false, "http://": false, "javascript:alert(1)": false, "data:text/html,x": false, "ftp://a.example": false,
		"see http://a.example": false, "http://a.example and more": false, "http://a.example/\n": false, "http://" + strings.Repeat("a", 600): false,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			v := appendValue(nil, "link", text)[0]
			is.Equal(v.Link() != "", want)
			is.True(v.Link() == "" || v.Link() == text)
		})
	}
}
