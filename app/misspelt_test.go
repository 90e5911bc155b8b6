package app

import (
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

var (
	actionOf   = regexp.MustCompile(`\{\{[^}]*\}\}`)
	textOf     = regexp.MustCompile(`"[^"]*"`)
	fieldOf    = regexp.MustCompile(`\.([A-Z]\w*)`)
	keyOf      = regexp.MustCompile(`\.(?:Field|As) "(\w+)"`)
	notChecked = regexp.MustCompile(`(user|request)[.\w]+|(?s:/\*.*\*/)`)
)

// fieldsIn returns where the fields in the actions of a template begin and end, but for those
// of user and request. The keys that a form is asked for, and the types of inputs, are fields, too.
func fieldsIn(text string) (places [][2]int) {
	for _, action := range actionOf.FindAllStringIndex(text, -1) {
		blank := func(s string) string { return strings.Repeat(" ", len(s)) }
		code := textOf.ReplaceAllStringFunc(text[action[0]:action[1]], blank)
		code = notChecked.ReplaceAllStringFunc(code, blank)
		for _, field := range fieldOf.FindAllStringSubmatchIndex(code, -1) {
			places = append(places, [2]int{action[0] + field[2], action[0] + field[3]})
		}
		for _, key := range keyOf.FindAllStringSubmatchIndex(text[action[0]:action[1]], -1) {
			places = append(places, [2]int{action[0] + key[2], action[0] + key[3]})
		}
	}
	return places
}

// TestMisspeltFields changes the last letter of each field in the templates, one at a time.
// The report has one line, of that word, and says what it should be.
func TestMisspeltFields(t *testing.T) {
	tree := fstest.MapFS{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var data []byte
			data, err = files.ReadFile(name)
			tree[name] = &fstest.MapFile{Data: data}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seeded := 0
	for name, file := range tree {
		if path.Ext(name) != ".html" || path.Base(name) == "+error.html" { // error pages have no type
			continue
		}
		text := string(file.Data)
		for _, at := range fieldsIn(text) {
			seeded++
			word := text[at[0]:at[1]]
			line := 1 + strings.Count(text[:at[0]], "\n")
			column := len(strings.TrimSuffix(text[:at[0]], `"`)) - strings.LastIndexByte(text[:at[0]], '\n') // of the quote of a text
			where := fmt.Sprintf("%s:%d:%d:", name, line, column)
			t.Run(where+word, func(t *testing.T) {
				is := is.New(t)
				misspelt := maps.Clone(tree)
				misspelt[name] = &fstest.MapFile{Data: []byte(text[:at[1]-1] + "q" + text[at[1]:])}
				err := newFrom(misspelt, &App{Logger: slog.New(slog.DiscardHandler)}).Check()
				is.True(err != nil) // it is refused
				if report := err.Error(); !strings.HasPrefix(report, where) ||
					!strings.Contains(report, fmt.Sprintf("did you mean %q?", word)) || strings.Contains(report, "\n") {
					t.Errorf("%s\nwant %s and %q", report, where, word)
				}
			})
		}
	}
	if seeded < 90 {
		t.Errorf("%d fields were found to misspell, want 90 or more", seeded)
	}
}
