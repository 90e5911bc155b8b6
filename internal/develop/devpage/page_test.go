package devpage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
)

func TestPage(t *testing.T) {
	is := is.New(t)
	page := string(devpage.Page{Title: "A <title>", Main: "<h1>Hello</h1>\n"}.Render())
	is.True(strings.HasPrefix(page, "<!doctype html>\n"))
	is.True(strings.Contains(page, "<title>A &lt;title&gt;</title>"))
	is.True(strings.Contains(page, "<main>\n<h1>Hello</h1>\n</main>"))
	is.Equal(strings.Count(page, "<script"), 0)
	is.Equal(strings.Count(page, " style="), 0) // the policy would forbid it

	// The policy allows the style sheet as the page has it, and no other.
	_, after, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(after, "</style>")
	sum := sha256.Sum256([]byte(style))
	is.True(strings.Contains(devpage.Policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'"))
}

// TestPolicyFor: browsers hash a style sheet as the HTML parser leaves it, with LF.
func TestPolicyFor(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		t.Run(end, func(t *testing.T) {
			sum := sha256.Sum256([]byte("a {\n}\n"))
			want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; "
			is.New(t).True(strings.Contains(devpage.PolicyFor(strings.ReplaceAll("a {\n}\n", "\n", end)), want))
		})
	}
}
