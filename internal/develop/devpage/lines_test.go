package devpage

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"github.com/matryer/is"
)

// TestLines has records of a slog.TextHandler, without their times.
func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name    string
		message string
		args    []any
		want    string
	}{
		{"one line", "a b", []any{"x", `say "hi"`, "y", 3}, `msg="a b" x="say \"hi\"" y=3` + "\n"},
		{"one line with its end", "a", []any{"x", "b\n"}, `msg=a x="b\n"` + "\n"},
		{"no end of a line", "a", []any{"x", `C:\new dir`}, `msg=a x="C:\\new dir"` + "\n"},
		{"a mail", "mail", []any{"to", "ada@example.com", "text", "Hello,\n\n\"Ada\":\n\thttp://a.example/\\n\n\n-- \r\ndesk\n", "n", 1},
			"msg=mail to=ada@example.com n=1\n    text=\n        Hello,\n\n        \"Ada\":\n        \thttp://a.example/\\n\n\n        -- \n        desk\n"},
		{"two", "a\nb", []any{"a name", "c\nd", "e", "f g"}, " e=\"f g\"\n    msg=\n        a\n        b\n    \"a name\"=\n        c\n        d\n"},
		{"what looks like a record", "a", []any{"x", "b\nlevel=ERROR msg=forged y=\"1\""}, "msg=a\n    x=\n        b\n        level=ERROR msg=forged y=\"1\"\n"},
		{"control characters", "a", []any{"x", "b\n\x1b[2J\r\x00\u202e\xff"}, "msg=a\n    x=\n        b\n        " + `\x1b[2J\r\x00\u202e\xff` + "\n"},
		{"names with control characters", "a", []any{"x\n\x1b", "b\nc"}, "msg=a\n    " + `"x\n\x1b"=` + "\n        b\n        c\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var b bytes.Buffer
			plain := func(groups []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
					return slog.Attr{}
				}
				return a
			}
			slog.New(slog.NewTextHandler(Lines(&b), &slog.HandlerOptions{ReplaceAttr: plain})).Info(tt.message, tt.args...)
			is.Equal(b.String(), tt.want)
		})
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestLinesFail(t *testing.T) {
	is := is.New(t)
	for _, record := range []string{"msg=a\n", `msg="a\nb"` + "\n"} {
		n, err := Lines(failing{}).Write([]byte(record))
		is.Equal(n, 0)
		is.True(err != nil)
	}
}
