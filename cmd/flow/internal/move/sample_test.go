package move

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/project"
)

// The sample application, moved about. Each move must leave an application that builds, of
// which Check finds nothing wrong, and whose tests fail only where the list of what is left
// says so.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "sample") // always the same, so that the go tool builds anew only what differs
	for i, tt := range []struct {
		from, to string
		// byHand: what is left is not only in tests, so that the application does something
		// else until it is done.
		byHand bool
	}{
		{"users", "people", false},
		{"users/[id]", "users/[user]", true},        // findUser is for the API, too
		{"(admin)/reports", ".", true},              // out of a group with a guard
		{"about", "(site)/about", false},            // into a new group
		{"(auth)", "(account)", false},              // a group is called otherwise
		{"(admin)", "(staff)", false},               // one with a guard
		{"users/+row", "+person", false},            // a partial
		{"+nav", "(site)/+nav", false},              // into a group, where its short name stays
		{"(admin)/+layout", "(auth)/+layout", true}, // it asks for a user
		{"docs/[[...path]]", "docs/[...path]", false},
		{"docs/[[...path]]", "manual/[[...page]]", false},
		{"users/index", "users/list", false},
		{"users/store", "users/create", false},
		{"users/[id].html", "users/[id=int].html", false},
		{"readyz", "Readyz", false}, // in case only
		{"blog", "blog.d", false},   // a dot, which stands in counterparts, too
		{"blog/[year]", "blog/[era]", false},
		{"api", "v1", false},
		{"(auth)/login", "signin", false},      // its automatic name is used
		{"(admin)/reports.json", "api/", true}, // into a directory, out of a guard
		{"index", "(site)/index", false},
		{"events", "(site)/live", false},
		{"public/app.css", "public/css/app.css", false},
	} {
		t.Run(tt.from+" "+tt.to, func(t *testing.T) {
			if i >= 3 && os.Getenv("FLOW_SLOW") == "" {
				t.Skip("it builds the sample anew; set FLOW_SLOW=1 to run it")
			}
			is := is.New(t)
			copySample(t, dir)
			t.Chdir(dir)
			app, err := project.Find(dir)
			is.NoErr(err)
			plan, err := Make(t.Context(), app, dir, tt.from, tt.to)
			is.NoErr(err)
			is.NoErr(plan.Apply())
			out, err := goTool("vet", "./...")
			is.Equal(out, "") // go vet
			is.NoErr(err)
			if out, err = goTool("run", "./cmd/app", "check", "-json"); err != nil {
				var faults []struct {
					File, Severity, Text string
					Line                 int
				}
				is.NoErr(json.NewDecoder(strings.NewReader(out)).Decode(&faults)) // the go tool says more behind it
				for _, f := range faults {
					if f.Severity == "error" && !slices.ContainsFunc(plan.Left, func(n Note) bool {
						// Check names the registration of a typed handler, and the list its tag.
						tag, _, isTag := strings.Cut(n.Text, ": ")
						return f.File == Shown(plan.newName(n.File)) && f.Line == n.Line ||
							isTag && strings.HasPrefix(tag, "the tag param:") && strings.Contains(f.Text, tag)
					}) {
						t.Errorf("the list says nothing of what Check finds: %+v", f)
					}
				}
				return
			}
			inCode := slices.ContainsFunc(plan.Left, func(n Note) bool {
				return strings.HasSuffix(n.File, ".go") && !strings.HasSuffix(n.File, "_test.go")
			}) || len(plan.Guards) > 0 || slices.ContainsFunc(plan.Notes, func(n Note) bool { return strings.Contains(n.Text, "is shown in") })
			is.True(inCode || !tt.byHand)
			if tt.byHand {
				return
			}
			out, _ = goTool("test", "-timeout=120s", "./app/...") // a stream under another URL may be waited for
			listed := functionsWithNotes(t, plan)
			// It follows the links of the pages, whose old URLs are on the list.
			listed["TestLinks"] = slices.ContainsFunc(plan.Left, func(n Note) bool { return strings.HasSuffix(n.File, ".html") })
			// It sends the requests of route files, in whose expectations old URLs are on the list.
			listed["TestExamples"] = slices.ContainsFunc(plan.Left, func(n Note) bool { return strings.HasSuffix(n.File, ".http") })
			for _, name := range failed(out) {
				if !listed[name] {
					t.Errorf("the list says nothing of %s, which fails:\n%s", name, out)
				}
			}
		})
	}
}

// copySample makes a module of the sample application, in place of an earlier one.
func copySample(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	library, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"app", "cmd/app"} {
		err := fs.WalkDir(os.DirFS(library), from, func(name string, d fs.DirEntry, err error) error {
			to := filepath.Join(dir, name)
			if err != nil || d.IsDir() {
				return os.MkdirAll(to, 0o755)
			}
			b, err := os.ReadFile(filepath.Join(library, name))
			if err != nil {
				return err
			}
			return os.WriteFile(to, []byte(strings.ReplaceAll(string(b), `"example.com/flow/app`, `"example.com/sample/app`)), 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	module, err := os.ReadFile(filepath.Join(library, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(module), "module example.com/flow", "module example.com/sample", 1) +
		"\nrequire example.com/flow v0.0.0\n\nreplace example.com/flow => " + strconv.Quote(filepath.ToSlash(library)) + "\n"
	sums, err := os.ReadFile(filepath.Join(library, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"go.mod": text, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func goTool(args ...string) (string, error) {
	out, err := exec.Command("go", args...).CombinedOutput()
	return string(out), err
}

var failedTest = regexp.MustCompile(`(?m)^(?:--- FAIL: |\t\t)(Test\w+)`) // the second for those that were too slow

// failed returns the tests that fail, without those inside of others.
func failed(out string) []string {
	var names []string
	for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 && strings.Contains(out, "FAIL") {
		names = append(names, "the build")
	}
	return names
}

// functionsWithNotes returns the functions in tests of the sample that have a line which is
// listed, or that use such a function.
func functionsWithNotes(t *testing.T, plan *Moves) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	listed, uses := map[string]bool{}, map[string][]string{}
	for _, file := range files {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		abs, _ := filepath.Abs(file)
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
			for _, n := range slices.Concat(plan.Left, plan.Guards) {
				listed[fn.Name.Name] = listed[fn.Name.Name] || plan.newName(n.File) == abs && from <= n.Line && n.Line <= to
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					uses[id.Name] = append(uses[id.Name], fn.Name.Name)
				}
				return true
			})
		}
	}
	var with []string
	for name, ok := range listed {
		if ok {
			with = append(with, name)
		}
	}
	all := map[string]bool{}
	for _, name := range reach(with, uses) {
		all[name] = true
	}
	return all
}
