package routetree

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// goodNames and badNames are names that go:embed takes, and refuses or leaves out.
var (
	goodNames = []string{
		"a", "A9.html", "[id].html", "(g)", "a b", " ", "é", "café.html", "が", "世界.html", "ªº", "-x", ".x", "_x", "...x", "@me", "{x}",
		"a,b", "a=b", "a&b", "a+b", "a!b", "a#b", "a$b", "a%b", "a^b", "a~1", "~", "%61",
		"con2.html", "com0", "com10", "lpt", "auxiliary.html", "a.con", "xnul", "gömod", "go.modx", "xgo.mod", "go.sum", "vendor", "testdata", "x_test.html",
	}
	badNames = []struct{ name, want string }{
		{`a"b`, `the name holds '"', which go:embed refuses: rename it`},
		{"a*b", "the name holds '*', which go:embed refuses: rename it"},
		{"a<b", "the name holds '<', which go:embed refuses: rename it"},
		{"a>b", "the name holds '>', which go:embed refuses: rename it"},
		{"a?b", "the name holds '?', which go:embed refuses: rename it"},
		{"a'b", `the name holds '\'', which go:embed refuses: rename it`},
		{"a|b", "the name holds '|', which go:embed refuses: rename it"},
		{`a\b`, `the name holds '\\', which go:embed refuses: rename it`},
		{"a:b", "the name holds ':', which go:embed refuses: rename it"},
		{"a;b", "the name holds ';', which go:embed refuses: rename it"},
		{"a`b", "the name holds '`', which go:embed refuses: rename it"},
		{"a\tb", `the name holds '\t', which go:embed refuses: rename it`},
		{"a\x7f", `the name holds '\x7f', which go:embed refuses: rename it`},
		{"a\u00a0b", `the name holds '\u00a0', which go:embed refuses: rename it`},
		{"☃", "the name holds '☃', which go:embed refuses: rename it"},
		{"a…", "the name holds '…': write a catch-all with three dots, as in [...rest]"},
		{"٣", "the name holds '٣', which go:embed refuses: rename it"},
		{"cafe\u0301.html", `the name holds "e\u0301", ` + decomposed},
		{"[fu\u0308r]", `the name holds "u\u0308", ` + decomposed},
		{"か\u3099", `the name holds "\u304b\u3099", ` + decomposed},
		{"\u0301e", "the name holds '\u0301', which go:embed refuses: rename it"},
		{"1\u0301", "the name holds '\u0301', which go:embed refuses: rename it"},
		{"\ufffd", "the name holds '\ufffd', which go:embed refuses: rename it"},
		{"a\xff", `"a\xff" is not UTF-8: rename it, go:embed refuses it`},
		{"a.", "the name ends in a dot, which go:embed refuses: rename it"},
		{".html.", "the name ends in a dot, which go:embed refuses: rename it"},
		{"con", `"con" is a device on Windows, so go:embed refuses it: rename it`},
		{"NUL.tar.gz", `"NUL" is a device on Windows, so go:embed refuses it: rename it`},
		{"lpt9.html", `"lpt9" is a device on Windows, so go:embed refuses it: rename it`},
		{"go.mod", "a go.mod makes its directory another module, which go:embed leaves out: rename it"},
	}
)

const decomposed = `a letter and a combining mark, which go:embed refuses. If the name is in decomposed form (NFD), as macOS and archives write names, rename it to the composed form (NFC): type the name again. On macOS, "git config core.precomposeunicode true" makes git keep the composed form`

func TestCheckName(t *testing.T) {
	for _, name := range goodNames {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(checkName(name))
		})
	}
	for _, tt := range badNames {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := checkName(tt.name)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
	for _, device := range windowsDevices {
		t.Run(device, func(t *testing.T) {
			is := is.New(t)
			is.True(checkName(strings.ToLower(device)+".html") != nil)
			is.NoErr(checkName(device + "x.html"))
		})
	}
}

// The go command embeds the names that checkName takes, and no others: each name
// is put into a package of its own and the command is asked what that embeds.
func TestCheckNameIsGos(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	is := is.New(t)
	module := t.TempDir()
	write := func(file, text string) error {
		file = filepath.Join(module, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(text), 0o666)
	}
	is.NoErr(write("go.mod", "module example.com/names\n\ngo 1.26\n"))
	names := map[string]string{} // by package
	add := func(name string) {
		dir := fmt.Sprintf("p%d", len(names))
		if err := write(dir+"/router/d/"+name, ""); err != nil {
			t.Logf("not on this disk: %v", err)
			return
		}
		is.NoErr(write(dir+"/p.go", "package p\n\nimport \"embed\"\n\n//go:embed all:router\nvar Files embed.FS\n"))
		is.NoErr(write(dir+"/router/d/beside.html", ""))
		is.NoErr(write(dir+"/router/index.html", ""))
		names[dir] = name
	}
	for _, name := range goodNames {
		add(name)
	}
	for _, bad := range badNames {
		add(bad.name)
	}
	for _, device := range windowsDevices {
		add(device + ".html")
	}

	list := exec.Command("go", "list", "-e", "-f", "{{.Dir}} {{len .EmbedFiles}}", "./...")
	list.Dir = module
	list.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := list.Output()
	is.NoErr(err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	is.Equal(len(lines), len(names))
	for _, line := range lines {
		dir, count, _ := strings.Cut(filepath.Base(line), " ")
		embedded := count == "3" // with the two files that are always there
		if name := names[dir]; embedded != (checkName(name) == nil) {
			t.Errorf("%q: go:embed takes it: %t; checkName: %v", name, embedded, checkName(name))
		}
	}
}
