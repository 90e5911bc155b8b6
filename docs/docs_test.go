// Package docs_test holds the documents against the code: what they show compiles, and
// their links lead somewhere.
package docs_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/matryer/is"

	// What documents show is compiled with "go test", of which the cache of test results
	// knows nothing.
	_ "example.com/flow"
)

// A document is a Markdown file, read.
type document struct {
	name    string // from the root of the repository: "docs/pages.md"
	blocks  []block
	anchors map[string]bool // of its headings, and those of <a id="…">
	links   []link
}

// A block is fenced code.
type block struct {
	language string // what stands behind the fence
	line     int    // of its first line
	text     string
}

// A link leads to a file, or to a heading, or to a heading of a file.
type link struct {
	line   int
	target string
}

// documents returns all documents.
func documents(t *testing.T) []document {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "recipes/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			names = append(names, "docs/"+filepath.ToSlash(name))
		}
	}
	names = append(names, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "RELEASING.md", "AGENTS.md")
	var docs []document
	for _, name := range names {
		text, err := os.ReadFile(inRepository(name))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, read(name, string(text)))
	}
	return docs
}

// inRepository returns where a file of the repository is.
func inRepository(name string) string { return filepath.Join("..", filepath.FromSlash(name)) }

var (
	heading  = regexp.MustCompile(`^#+ +(.*)$`)
	codeSpan = regexp.MustCompile("`[^`]*`")
	linkEnd  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	anchorID = regexp.MustCompile(`<a id="([^"]+)">`)
)

// read finds what the tests ask for in a document.
func read(name, text string) document {
	d := document{name: name, anchors: map[string]bool{}}
	var open *block
	n := 0
	for line := range strings.Lines(text) {
		n++
		fence, isFence := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "```")
		switch {
		case isFence && open == nil:
			open = &block{language: fence, line: n + 1}
		case isFence:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line
		default:
			if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				d.anchors[d.newAnchor(m[1])] = true
			}
			for _, m := range anchorID.FindAllStringSubmatch(line, -1) {
				d.anchors[m[1]] = true
			}
			for _, m := range linkEnd.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
				d.links = append(d.links, link{n, m[1]})
			}
		}
	}
	return d
}

// newAnchor returns the anchor that GitHub gives a heading.
func (d document) newAnchor(heading string) string {
	anchor := strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
	unique := anchor
	for n := 1; d.anchors[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", anchor, n)
	}
	return unique
}

func TestLinks(t *testing.T) {
	docs := map[string]document{}
	for _, d := range documents(t) {
		docs[d.name] = d
	}
	linked := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		for _, l := range docs[name].links {
			if strings.Contains(l.target, "://") {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", name, l.line), func(t *testing.T) {
				is := is.New(t)
				file, anchor, _ := strings.Cut(l.target, "#")
				target := name
				if file != "" {
					target = path.Join(path.Dir(name), file)
				}
				if name == "docs/index.md" || name == "README.md" && target == "docs/index.md" || name == "docs/recipes.md" && path.Dir(target) == "docs/recipes" {
					linked[target] = true
				}
				_, err := os.Stat(inRepository(target))
				is.NoErr(err)
				if d, ok := docs[target]; anchor != "" {
					is.True(ok)                // the file is a document
					is.True(d.anchors[anchor]) // it has the heading
				}
			})
		}
	}
	t.Run("README.md leads to docs/index.md, that to every page, and docs/recipes.md to every recipe", func(t *testing.T) {
		is := is.New(t)
		for name := range docs {
			if strings.HasPrefix(name, "docs/") && !linked[name] {
				is.Equal(name, "linked")
			}
		}
	})
}

// nameSpan is a code span that names a file, or something in Go code.
var nameSpan = regexp.MustCompile("`([\\w/]+(?:\\.\\w+)*)`")

// TestNamesInArchitecture holds that the files and the Go names of the page exist.
func TestNamesInArchitecture(t *testing.T) {
	is := is.New(t)
	files, words := map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"", "internal", "bench", "cmd", "docs", "browser", "export"} {
		is.NoErr(filepath.WalkDir(inRepository(dir), func(file string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && dir == "" && file != inRepository(""):
				return filepath.SkipDir // the root package, and no other
			}
			files[d.Name()] = true
			if filepath.Ext(file) != ".go" {
				return nil
			}
			text, err := os.ReadFile(file)
			for _, word := range goWord.FindAllString(string(text), -1) {
				words[word] = true
			}
			return err
		}))
	}
	page, err := os.ReadFile("architecture.md")
	is.NoErr(err)
	for _, m := range nameSpan.FindAllStringSubmatch(string(page), -1) {
		switch base := path.Base(m[1]); path.Ext(base) {
		case ".go", ".js":
			if !files[base] && !strings.HasPrefix(base, "users.") { // which is the example
				t.Errorf("there is no file %s", m[1])
			}
		default:
			if word := base[strings.LastIndexByte(base, '.')+1:]; !words[word] && !files[word] {
				t.Errorf("Go code has no %s", m[1])
			}
		}
	}
}

var goWord = regexp.MustCompile(`\w+`)

func TestAnchors(t *testing.T) {
	is := is.New(t)
	d := read("", "# A `flow.Page`, and more\n```\n# no heading\n```\n## Uses\n## Uses\n<a id=\"earlier\"></a>\n")
	is.Equal(slices.Sorted(maps.Keys(d.anchors)), []string{"a-flowpage-and-more", "earlier", "uses", "uses-1"})
}

// TestGoParses is for the code that is no whole file: declarations, or statements.
func TestGoParses(t *testing.T) {
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.language != "go" || b.isFile() {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", d.name, b.line), func(t *testing.T) {
				is := is.New(t)
				_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+b.text, parser.SkipObjectResolution)
				if err != nil {
					_, err = parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+b.text+"\n}", parser.SkipObjectResolution)
				}
				is.NoErr(err)
			})
		}
	}
}

// urlAction is the beginning of an action that writes a URL in a template.
var urlAction = regexp.MustCompile(`\b(?:href|src|srcset|action|formaction|poster|hx-\w+)=["']?\{\{-? *([^\s}]+)`)

// TestURLsAreChecked: no page that a document shows has a URL of a function or a field, which
// the check of links would not look behind. The URL of a flow.Entry is always right.
func TestURLsAreChecked(t *testing.T) {
	is := is.New(t)
	found := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			for _, m := range urlAction.FindAllStringSubmatch(b.text, -1) {
				found++
				if m[1] != "route" && m[1] != "asset" && !strings.HasSuffix(m[1], ".URL") {
					t.Errorf("%s:%d: %s: write {{route …}}, or begin the URL with a slash", d.name, b.line, m[0])
				}
			}
		}
	}
	is.True(found > 10)
}

var (
	// fileLine is the first line of a block that is a file of the document's application:
	// a comment that holds nothing but its path. The comment of a package stands below an
	// empty line.
	fileLine = regexp.MustCompile(`^(?://|<!--|/\*|--|#) (\S+\.\w+)(?: -->| \*/)?\n\n?`)
	// emptyFile is a command that makes a file, which is empty.
	emptyFile = regexp.MustCompile(`(?m)^touch '(.*)'$`)
	goPackage = regexp.MustCompile(`(?m)^package \w+$`)
	// imported is a package of the document's application.
	imported = regexp.MustCompile(`"example\.com/(\w+)(?:/\w+)*"`)
	// router is the declaration of a Router that can be checked from outside.
	router = regexp.MustCompile(`(?m)^var Router = flow\.New\(`)
)

// isFile reports whether a block of Go is a whole file.
func (b block) isFile() bool { return goPackage.MatchString(b.text) }

// root returns the directory of the document's application: the one that its own imports
// name, or else one called like the document, "recipes/forms" for docs/recipes/forms.md.
func (d document) root() string {
	for _, b := range d.blocks {
		if b.language != "go" {
			continue
		}
		for _, m := range imported.FindAllStringSubmatch(b.text, -1) {
			if m[1] != "flow" {
				return m[1]
			}
		}
	}
	return strings.TrimPrefix(strings.TrimSuffix(d.name, ".md"), "docs/")
}

// files returns the files of the application that a document shows, by their path.
func (d document) files(t *testing.T) map[string]string {
	t.Helper()
	root, files := d.root(), map[string]string{}
	add := func(line int, name, text string) {
		name = path.Join(root, name)
		if _, ok := files[name]; ok {
			t.Errorf("%s:%d: the document shows %s twice", d.name, line, name)
		}
		files[name] = text
	}
	for _, b := range d.blocks {
		switch m := fileLine.FindStringSubmatch(b.text); {
		case m != nil && filepath.IsLocal(m[1]):
			add(b.line, m[1], b.text)
		case b.language == "go" && b.isFile():
			t.Errorf("%s:%d: a whole file begins with a comment that holds its path, as in // app/app.go", d.name, b.line)
		case b.language == "sh":
			for _, m := range emptyFile.FindAllStringSubmatch(b.text, -1) {
				add(b.line, m[1], "")
			}
		}
	}
	return files
}

// copied holds the documents that show files of another module, which has their tests:
// they need libraries, or a browser.
var copied = map[string]string{
	"docs/content.md":                   "ecosystem/content",
	"docs/recipes/certificates.md":      "ecosystem/certificates",
	"docs/recipes/database.md":          "ecosystem/database",
	"docs/recipes/documentation.md":     "cmd/flow/internal/scaffold/_template/docs",
	"docs/recipes/htmx.md":              "browser/htmx",
	"docs/recipes/instant-pages.md":     "browser/instant",
	"docs/recipes/metrics.md":           "ecosystem/metrics",
	"docs/recipes/sessions.md":          "ecosystem/sessions",
	"docs/recipes/rows.md":              "browser/htmx",
	"docs/recipes/several-processes.md": "ecosystem/board",
	"docs/recipes/templ.md":             "ecosystem/templ",
}

// followed holds the documents that show changes of an application that "flow new" writes: a
// test of the tool makes it, and does what they say.
var followed = map[string]bool{"docs/accounts.md": true}

func TestCopies(t *testing.T) {
	for _, d := range documents(t) {
		dir := copied[d.name]
		if dir == "" {
			continue
		}
		files := d.files(t)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			name, shown := strings.TrimPrefix(name, d.root()+"/"), fileLine.ReplaceAllString(files[name], "")
			t.Run(d.name+"/"+name, func(t *testing.T) {
				is := is.New(t)
				text, err := os.ReadFile(inRepository(path.Join(dir, name)))
				is.NoErr(err)
				is.Equal(shown, string(text)) // the document shows the file as it is
			})
		}
		if len(files) == 0 {
			t.Errorf("%s shows no file of %s", d.name, dir)
		}
	}
}

// checkCommand runs the command check for an application. It prints what is wrong.
const checkCommand = `func check(t *testing.T, document string, r *flow.Router) {
	os.Args = []string{document, "check", "-warnings=fail"}
	if code := flow.Run(context.Background(), func(context.Context) (*flow.Router, error) { return r, nil }); code != 0 {
		t.Errorf("the application of %s has faults or warnings", document)
	}
}

`

// TestApplications compiles the applications that the documents show, runs the tests
// that belong to them, those in testdata/ too, and has their Routers checked, also for warnings. All of them
// are one module, so that one go command does it.
func TestApplications(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the applications of all documents")
	}
	dir, owners := t.TempDir(), map[string]string{}
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	routers := 0
	var imports, checks strings.Builder
	for _, d := range documents(t) {
		if copied[d.name] != "" || followed[d.name] {
			continue
		}
		files := d.files(t)
		if other := owners[d.root()]; other != "" && len(files) > 0 {
			t.Errorf("%s and %s call their applications %s: call one of them otherwise", other, d.name, d.root())
		}
		owners[d.root()] = d.name
		for name, text := range files {
			write(t, dir, name, text)
			if router.MatchString(text) {
				routers++
				pkg := fmt.Sprintf("app%d", routers)
				fmt.Fprintf(&imports, "\t%s %q\n", pkg, "example.com/"+path.Dir(name))
				fmt.Fprintf(&checks, "\tcheck(t, %q, %s.Router)\n", d.name, pkg)
			}
		}
	}
	write(t, dir, "check/check_test.go", "package check\n\nimport (\n\t\"context\"\n\t\"os\"\n\t\"testing\"\n\n\t\"example.com/flow\"\n\n"+imports.String()+")\n\n"+checkCommand+"func TestCheck(t *testing.T) {\n"+checks.String()+"}\n")
	write(t, dir, "go.mod", module(t))
	sums, err := os.ReadFile(inRepository("go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", string(sums))

	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-trimpath") // what was compiled before is taken in any directory
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, bytes.ReplaceAll(out, []byte(dir), nil))
	}
}

// module returns the go.mod of all applications: that of flow, with flow as one more
// requirement, which is the checkout.
func module(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(inRepository("go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	own, requirements, ok := strings.Cut(string(text), "\n")
	if !ok || own != "module example.com/flow" {
		t.Fatalf("go.mod begins with %q", own)
	}
	return fmt.Sprintf("module example.com\n%s\nrequire example.com/flow v0.0.0\n\nreplace example.com/flow => %q\n", requirements, filepath.ToSlash(checkout))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
