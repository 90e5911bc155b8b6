package reply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

const root = "../../../../"

// TestDocumentedMessages holds the table of codes in docs/errors.md against the messages of
// this room, both ways.
func TestDocumentedMessages(t *testing.T) {
	is := is.New(t)
	page, err := os.ReadFile(filepath.FromSlash(root + "docs/errors.md"))
	is.NoErr(err)
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9.-]+)`[^|]* \\| ([^|]+) \\| [^|]*\\|$").FindAllStringSubmatch(string(page), -1) {
		is.Equal(documented[row[1]], "") // each has one row
		documented[row[1]] = row[2]
	}
	is.Equal(documented, messages(t))
}

// messages returns the English texts of all messages that message.go makes, by code.
func messages(t *testing.T) map[string]string {
	is := is.New(t)
	file, err := parser.ParseFile(token.NewFileSet(), "message.go", nil, 0)
	is.NoErr(err)
	all := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		made, ok := n.(*ast.CompositeLit)
		if !ok || !isMessage(made.Type) {
			return true
		}
		parts := map[string]string{}
		for _, e := range made.Elts {
			pair := e.(*ast.KeyValueExpr)
			if text, ok := pair.Value.(*ast.BasicLit); ok {
				parts[pair.Key.(*ast.Ident).Name], err = strconv.Unquote(text.Value)
				is.NoErr(err)
			}
		}
		all[parts["Code"]] = parts["English"]
		return true
	})
	is.Equal(all[""], "") // that of TitleOf
	delete(all, "")
	for _, m := range []Message{MustBeInRange(0, 255), MustBeQuoted(MustBeInteger), TitleOf(404)} { // whose texts are composed
		is.Equal(all[m.Code], "")
		all[m.Code] = m.English
	}
	return all
}

func isMessage(t ast.Expr) bool {
	name, ok := t.(*ast.Ident)
	return ok && name.Name == "Message"
}

// TestMessagesInOnePlace: no other file makes a message with a code.
func TestMessagesInOnePlace(t *testing.T) {
	is := is.New(t)
	var files []string
	for _, pattern := range []string{"*.go", "internal/*/*.go", "internal/*/*/*.go", "internal/*/*/*/*.go"} {
		found, err := filepath.Glob(filepath.FromSlash(root + pattern))
		is.NoErr(err)
		files = append(files, found...)
	}
	makes := regexp.MustCompile(`\bMessage\{(Code:|")`)
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		is.NoErr(err)
		if makes.Match(text) {
			is.Equal(filepath.Base(name), "message.go")
			n++
		}
	}
	is.Equal(n, 1)
}

// TestTranslatedProblem: each text of flow is asked for once, in each media type, and the page
// is said to be in the language that it is in.
func TestTranslatedProblem(t *testing.T) {
	for _, tt := range []struct {
		name   string
		texts  map[string]string
		accept string
		want   []string
	}{
		{"page", map[string]string{"lang": "de", "status.413": "Zu groß", "body.too-large": "<x>"}, "text/html", []string{`<html lang="de">`, "<title>413 Zu groß</title>", "<h1>413 Zu groß</h1>", "<p>&lt;x&gt;</p>"}},
		{"page in no known language", map[string]string{"status.413": "Zu groß"}, "text/html", []string{"<html>", "<h1>413 Zu groß</h1>", "<p>the body is too large</p>"}},
		{"page in English", nil, "text/html", []string{`<html lang="en">`, "<h1>413 Request Entity Too Large</h1>"}},
		{"odd language", map[string]string{"lang": `"><b>`}, "text/html", []string{`<html lang="&#34;&gt;&lt;b&gt;">`}},
		{"text", map[string]string{"status.413": "Zu groß", "body.too-large": "x"}, "text/plain", []string{"Zu groß: x\n"}},
		{"problem", map[string]string{"status.413": "Zu groß", "body.too-large": "x"}, "application/problem+json", []string{`{"type":"about:blank","title":"Zu groß","status":413,"detail":"x"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			asked := map[string]int{}
			p := Problem{Status: 413, Detail: BodyTooLarge(9), Translate: func(m Message) string {
				if asked[m.Code]++; tt.texts[m.Code] == "" {
					return m.English
				}
				return tt.texts[m.Code]
			}}
			_, body := p.Render(tt.accept)
			for _, want := range tt.want {
				is.True(strings.Contains(body, want))
			}
			want := map[string]int{"status.413": 1, "body.too-large": 1}
			if tt.accept == "text/html" {
				want["lang"] = 1
			}
			is.Equal(asked, want)
		})
	}
}
