package dev

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestParseBuild(t *testing.T) {
	dir := t.TempDir()
	source := "package main\n\nfunc main() {\n\tx := 1\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	onWindows := "" // where a backslash separates names, so that the file is found
	if runtime.GOOS == "windows" {
		onWindows = "\tx := 1"
	}
	for _, tt := range []struct {
		name, output string
		want         string // of each fault the place, the text and the marked line of the source
	}{
		{"nothing", "", ""},
		{"of the compiler", `
# example.org/site
./main.go:4:2: declared and not used: x
app/users.go:12:7: undefined: y
# example.org/site/app
app/a.go:1:1: expected 'package', found 'EOF'
`, `
main.go:4:2|declared and not used: x|	x := 1
app/users.go:12:7|undefined: y|
app/a.go:1:1|expected 'package', found 'EOF'|`},
		{"with more lines", `
# example.org/site
./main.go:4:2: x redeclared in this block
	./b.go:2:5: other declaration of x
./main.go:4:4: cannot use 1 (constant of type int) as string value
		have (int)
		want (string)
note: module requires Go 1.99
`, `
main.go:4:2|x redeclared in this block/	./b.go:2:5: other declaration of x|	x := 1
main.go:4:4|cannot use 1 (constant of type int) as string value/		have (int)/		want (string)/note: module requires Go 1.99|	x := 1`},
		{"imports", `
main.go:4:2: package nowhere is not in std (/usr/lib/go/src/nowhere)
main.go:3:1: no required module provides package example.com/x; to add it:
	go get example.com/x
main.go:2:1: missing go.sum entry for module providing package a.b/c; to add:
	go get example.org/site
`, `
main.go:4:2|package nowhere is not in std (/usr/lib/go/src/nowhere)|	x := 1
main.go:3:1|no required module provides package example.com/x; to add it:/	go get example.com/x|func main() {
main.go:2:1|missing go.sum entry for module providing package a.b/c; to add:/	go get example.org/site|`},
		{"a cycle", `
package example.org/site
	imports example.org/site/a
	imports example.org/site: import cycle not allowed
`, `
|package example.org/site/	imports example.org/site/a/	imports example.org/site: import cycle not allowed|`},
		{"embedding", "main.go:4:12: pattern all:router: no matching files found\n",
			"\nmain.go:4:12|pattern all:router: no matching files found|\tx := 1"},
		{"go.mod", `
go: errors parsing go.mod:
go.mod:3: unknown directive: requir
`, `
|go.mod:3: unknown directive: requir|`},
		{"go.mod is not tidy", "go: updates to go.mod needed; to update it:\n\tgo mod tidy\n",
			"\n|go: updates to go.mod needed; to update it:/\tgo mod tidy|"},
		{"the linker", `
# example.org/site
link: running gcc failed: exit status 1
/usr/bin/gcc -o x
undefined reference to y
`, `
|example.org/site: link: running gcc failed: exit status 1//usr/bin/gcc -o x/undefined reference to y|`},
		{"without main", "# example.org/site\nruntime.main_main·f: function main is undeclared in the main package\n",
			"\n|example.org/site: runtime.main_main·f: function main is undeclared in the main package|"},
		{"Windows", "# example.org/site\r\n.\\main.go:4:2: undefined: x\r\n", "\n.\\main.go:4:2|undefined: x|" + onWindows},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var b strings.Builder
			for _, f := range parseBuild(strings.TrimPrefix(tt.output, "\n"), dir) {
				marked := ""
				for _, line := range f.Source {
					if line.Marked {
						marked = line.Text
					}
				}
				b.WriteString("\n" + f.Place() + "|" + strings.ReplaceAll(f.Text, "\n", "/") + "|" + marked)
			}
			is.Equal(b.String(), tt.want)
		})
	}
}

func TestParseCrash(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	is.NoErr(os.WriteFile(file, []byte("package main\n\nfunc main() {\n\tpanic(1)\n}\n"), 0o600))
	own := func(name string) bool { return strings.HasPrefix(name, dir) }
	stack := "\n\ngoroutine 1 [running]:\nfmt.Fprint(0x1)\n\t/usr/lib/go/src/fmt/print.go:3 +0x18\nmain.main()\n\t" + file + ":4 +0x18\n"
	for _, tt := range []struct{ name, stderr, want, output string }{
		{"a panic", "panic: cold\npanic: 1" + stack + "exit status 2\n", "main.go:4: panic: 1", "panic: cold\npanic: 1" + stack + "exit status 2"},
		{"of the runtime", "fatal error: all goroutines are asleep - deadlock!" + stack, "main.go:4: fatal error: all goroutines are asleep - deadlock!", "fatal error: all goroutines are asleep - deadlock!" + stack},
		{"with a signal", "panic: nil pointer\n[signal SIGSEGV]" + stack, "main.go:4: panic: nil pointer", "panic: nil pointer\n[signal SIGSEGV]" + stack},
		{"an error", "listening\nsite: no database\n", "site: no database", "listening\nsite: no database"},
		{"one line", "site: no database\n", "site: no database", ""},
		{"nothing", "\n", "It has printed nothing on standard error.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			f := parseCrash(tt.stderr, dir, own)
			is.Equal(f.String(), tt.want)
			is.Equal(f.Output, strings.TrimSpace(tt.output)) // all of it
			if f.File != "" {
				is.Equal(len(f.Source), 5)
			}
		})
	}
}

func TestWithoutProgress(t *testing.T) {
	is := is.New(t)
	is.Equal(withoutProgress("go: downloading x v1\ngo: no such module\ngo: finding y\nx"), "go: no such module\nx")
}

// FuzzParseBuild: whatever the go tool prints, nothing that it says is lost.
func FuzzParseBuild(f *testing.F) {
	f.Add("# example.org/site\n./main.go:4:2: undefined: x\n\tand more\nnote: y\n")
	f.Add("go: errors parsing go.mod:\ngo.mod:3: unknown directive: requir\n")
	f.Add("# p\nlink: x\n y\r\n:1: \n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, output string) {
		var said strings.Builder
		for _, fault := range parseBuild(output, dir) {
			said.WriteString(fault.String() + "\n")
		}
		for line := range strings.Lines(output) {
			line = strings.TrimRight(line, "\r\n")
			if _, header := strings.CutPrefix(line, "# "); header || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "go: errors parsing ") || positioned.MatchString(line) {
				continue // of the last, the numbers may be written otherwise
			}
			if !strings.Contains(said.String(), line) {
				t.Errorf("%q is lost in %q", line, said.String())
			}
		}
	})
}
