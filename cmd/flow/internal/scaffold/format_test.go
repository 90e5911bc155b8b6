package scaffold

import (
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestFrontMatter(t *testing.T) {
	for _, tt := range []struct{ name, text, title, want string }{
		{"YAML", "---\ntitle: Hello\nsummary: A text.\n---\n\nText", "First steps", "---\ntitle: First steps\n---\n"},
		{"with a date", "---\nTitle: Hello\ndate: 2001-02-03T04:05:06Z\ntags:\n  - title: x\n---\n", "First", "---\nTitle: First\ndate: 2026-11-23\n---\n"},
		{"in quotes", "---\ntitle: \"Hello\"\ndate: '2001-02-03'\n---\n", "First", "---\ntitle: \"First\"\ndate: '2026-11-23'\n---\n"},
		{"a title that needs quotes", "---\ntitle: Hello\n---\n", "1 #2", "---\ntitle: \"1 #2\"\n---\n"},
		{"TOML", "+++\ndate = 2001-02-03\ntitle = 'Hello'\n+++\n", "First", "+++\ndate = 2026-11-23\ntitle = \"First\"\n+++\n"},
		{"of another system", "\ufeff---\r\ntitle: Hello\r\n---\r\n", "First", "---\ntitle: First\n---\n"},
		{"no title", "---\ndate: 2001-02-03\n---\n", "First", ""},
		{"none", "# Hello\n\n---\n\ntitle: x\n\n---\n", "First", ""},
		{"no end", "---\ntitle: Hello\n", "First", ""},
		{"nothing", "", "First", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(frontMatter(tt.text, tt.title, time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC)), tt.want)
		})
	}
}
