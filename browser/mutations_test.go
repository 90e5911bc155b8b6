package browser

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A mutation makes a mistake of the text of a template: what the expression finds is replaced.
type mutation struct {
	name    string
	find    *regexp.Regexp
	replace string
}

var mutations = []mutation{
	{"no attribute", regexp.MustCompile(` (?:alt|aria-label|lang|for)="(?:[^"{]|\{\{[^}]*\}\})*"`), ""},
	{"no id", regexp.MustCompile(` id="(?:[^"{]|\{\{[^}]*\}\})*"`), ""},
	{"for is misspelt", regexp.MustCompile(` for="`), ` for="x`},
	{"a label becomes a paragraph", regexp.MustCompile(`(?s)<label[^>]*>(.*?)</label>`), "<p>$1</p>"},
	{"no title", regexp.MustCompile(`(?s)<title>.*?</title>|\{\{define "title"\}\}[^{]*\{\{end\}\}`), ""},
	{"no text of a button", regexp.MustCompile(`(<button[^>]*>)[^<]+`), "$1"},
	{"no text of a link", regexp.MustCompile(`(<a (?:[^>"]|"(?:[^"{]|\{\{[^}]*\}\})*")*>)[^<]+(</a>)`), "$1$2"},
	{"no text of a heading", regexp.MustCompile(`(<h[1-6][^>]*>)[^<]+`), "$1"},
	{"a heading two levels further down", regexp.MustCompile(`<h2((?s:.*?))</h2>`), "<h4$1</h4>"},
}

// mutated returns the text of a template with each mutation at one place, for the first two places that
// it has, by name.
func mutated(text string) (names, texts []string) {
	for _, m := range mutations {
		for i, at := range m.find.FindAllStringSubmatchIndex(text, 2) {
			names = append(names, fmt.Sprintf("%s (%d): %s", m.name, i+1, text[at[0]:min(at[1], at[0]+60)]))
			texts = append(texts, text[:at[0]]+string(m.find.ExpandString(nil, m.replace, text, at))+text[at[1]:])
		}
	}
	return names, texts
}

// TestMutations makes a mistake at one place at a time of the templates of other applications. Of
// those that axe-core reports, check says at least nine of ten.
func TestMutations(t *testing.T) {
	if !all() {
		t.Skip("takes minutes: set FLOW_RENDERINGS=all")
	}
	made, reported, said := 0, 0, 0
	for _, applications := range []func(*testing.T) []application{ownApplications, browserApplications, ecosystemApplications} {
		for _, a := range applications(t) {
			var remarks, findings []string
			t.Run(a.name, func(t *testing.T) { remarks, findings = a.judged(t) })
			for _, file := range a.templates(t) {
				text, err := os.ReadFile(filepath.Join(a.dir, file))
				if err != nil {
					t.Fatal(err)
				}
				names, texts := mutated(string(text))
				for i, name := range names {
					t.Run(a.name+"/"+file+"/"+name, func(t *testing.T) {
						dir := t.TempDir()
						if err := os.CopyFS(dir, os.DirFS(a.dir)); err != nil {
							t.Fatal(err)
						}
						write(t, filepath.Join(dir, file), texts[i])
						newRemarks, newFindings := a.in(dir).judged(t)
						more, seen := without(newRemarks, remarks), without(newFindings, findings)
						if made++; len(seen) > 0 {
							if reported++; len(more) > 0 {
								said++
							}
						}
						t.Logf("\n\tcheck: %s\n\taxe: %s", strings.Join(more, "\n\t       "), strings.Join(seen, "\n\t     "))
					})
				}
			}
		}
	}
	t.Logf("of %d mutations, axe-core reports %d, of which check says %d", made, reported, said)
	if reported < 71 || said*10 < reported*9 {
		t.Error("check says less than nine of ten")
	}
}

// judged returns what check says of the application, and what axe-core does by the rules that check has,
// too.
func (a application) judged(t *testing.T) (remarks, findings []string) {
	t.Helper()
	for _, r := range a.check(t) {
		remarks = append(remarks, r.File+": "+r.Text)
	}
	rules := known()
	for _, r := range newReader(t).crawl(t, a) {
		for _, f := range r.Found {
			if r.isSaid(rules, f) && (f.Sure || f.Rule == "duplicate-id-aria") {
				findings = append(findings, f.Rule+": "+withoutChanges(f.HTML))
			}
		}
	}
	return remarks, findings
}

// without returns what is in a and not in b, each once.
func without(a, b []string) (rest []string) {
	for _, s := range a {
		if !slices.Contains(b, s) && !slices.Contains(rest, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// templates returns the paths of the templates of the application.
func (a application) templates(t *testing.T) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(a.dir), "router", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".html") {
			files = append(files, filepath.FromSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
