package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flow/export"
)

// TestExport: the site can be exported as the workflow does it, and the script finds what it asks for below
// the base.
func TestExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	result, err := export.Site(t.Context(), Router, export.Options{Dir: dir, Base: "/repo"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(result.NotExported, "\n"); got != "" {
		t.Errorf("not exported: %s", got)
	}
	for name, want := range map[string]string{
		"index.html":         `href="/repo/terms.json"`,
		"terms/segment.html": "<p>A part of a path, between two slashes.</p>",
		"terms.json":         `"slug":"route"`,
		"contact.html":       `action="https://forms.example/your-key"`,
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, and no %s in %s", name, err, want, text)
		}
	}
}
