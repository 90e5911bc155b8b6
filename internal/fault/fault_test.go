package fault

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestJoin(t *testing.T) {
	for _, tt := range []struct {
		name   string
		faults []Fault
		want   string // "" for no error
	}{
		{"none", nil, ""},
		{"by file, line and text", []Fault{
			InLine("b.html", 9, "x"), InLine("b.html", 10, "w"), In("a.html", "z"), In("a.html", "y"), InLine("b.html", 9, "v"),
		}, "a.html: y\na.html: z\nb.html:9: v\nb.html:9: x\nb.html:10: w"},
		{"each once", []Fault{In("a", "x"), In("b", "x"), In("a", "x")}, "a: x\nb: x"},
		{"without warnings", []Fault{Warn("a", 0, "x"), In("a", "y"), Warn("b", 3, "z")}, "a: y"},
		{"of Go code among files", []Fault{At(Position{"/src/app/users.go", 7}, "%s is wrong", "it"), In("router/a.html", "x")},
			"app/users.go:7: it is wrong\nrouter/a.html: x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := Join(tt.faults)
			if tt.want == "" {
				is.NoErr(err)
				return
			}
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestWarnings(t *testing.T) {
	is := is.New(t)
	faults := []Fault{Warn("b", 3, "z"), In("a", "y"), Warn("a", 0, "%s", "x")}
	is.Equal(Warnings(faults).Error(), "a: warning: x\nb:3: warning: z")
	is.NoErr(Warnings(faults[1:2]))
}

func TestPosition(t *testing.T) {
	is := is.New(t)
	is.Equal(Position{"/home/me/app/users.id.go", 12}.String(), "app/users.id.go:12")
	is.Equal(Position{"example.com/x/app/users.id.go", 12}.String(), "app/users.id.go:12") // -trimpath
	is.Equal(Position{"/home/me/app/users.id.go", 12}.Dir(), "/home/me/app")
	is.Equal(Position{}.String(), "")

	here := func() Position { return Caller(0) }()              // the line of the call
	is.True(strings.HasPrefix(here.String(), "fault_test.go:")) // this is the working directory
	is.True(strings.HasPrefix(here.Stable(), "fault/fault_test.go:"))
	is.Equal(Position{}.Stable(), "")
}

// TestPanicked: the runtime's own frames around a panic are left out.
func TestPanicked(t *testing.T) {
	for _, tt := range []struct {
		name  string
		panic func()
	}{
		{"panic", func() { panic("x") }},
		{"nil map", func() { noMap["x"] = 1 }},
		{"nil pointer", func() { *(*int)(nil) = 1 }},
		{"index", func() { _ = none[len(none)] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			begins := PositionOf(reflect.ValueOf(tt.panic))
			defer func() {
				is.Equal(Panicked(), begins) // before the panic is recovered
				recover()
			}()
			tt.panic()
		})
	}
	is.New(t).Equal(Panicked(), Position{})
}

var (
	none  []int
	noMap map[string]int
)

func TestPlace(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "web", "app"), 0o755); err != nil {
		t.Fatal(err)
	}
	root = filepath.ToSlash(root)
	for _, tt := range []struct{ wd, dir, want string }{
		{"", root, ""},
		{"", root + "/web/app", "web/app"},
		{"web", root + "/web/app", "app"},
		{"web/app", root + "/web/app", ""},
		{"web/app", root + "/web", "web"},    // above
		{"", root + "/gone/app", "app"},      // not on this machine
		{"", "example.org/other/app", "app"}, // of another module, with -trimpath
		{"", MainModule(), ""},               // of this one
		{"", MainModule() + "/web/app", "web/app"},
		{"", MainModule() + "er/web/app", "app"},
	} {
		t.Run(tt.dir+" in "+tt.wd, func(t *testing.T) {
			is := is.New(t)
			t.Chdir(filepath.Join(root, tt.wd))
			is.Equal(DisplayDir(tt.dir), tt.want)
		})
	}
}
