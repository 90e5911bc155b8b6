package fault

import (
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

	here := func() Position { return Caller(0) }() // the line of the call
	is.Equal(here.Short(), "fault/fault_test.go")
}
