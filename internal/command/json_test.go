package command

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
)

func TestPrintFaults(t *testing.T) {
	column := fault.InLine("app/router/a.html", 3, "8: {{.Nme}}: no such field")
	column.Column = 8
	column.Text = "app/router/a.html:3:8: {{.Nme}}: no such field"
	for _, tt := range []struct {
		name  string
		fault fault.Fault
		want  string
	}{
		{"of a file", fault.In("router/[x.html", "it is <wrong>"), `"router/[x.html",0,0,"error","it is <wrong>"`},
		{"of a line", fault.InLine("a.html", 7, "b: c"), `"a.html",7,0,"error","b: c"`},
		{"of a column", column, `"app/router/a.html",3,8,"error","{{.Nme}}: no such field"`},
		{"of Go code", fault.At(fault.Position{File: "/src/app/users.go", Line: 7}, "x"), `"app/users.go",7,0,"error","x"`},
		{"a warning of a file", fault.Warn("a.html", 0, "x"), `"a.html",0,0,"warning","x"`},
		{"a warning of a line", fault.Warn("a.html", 2, "x"), `"a.html",2,0,"warning","x"`},
		{"of two files", fault.Fault{File: "a.html", Text: "a.html and b.html both answer /"}, `"a.html",0,0,"error","a.html and b.html both answer /"`},
		{"of no file", fault.Fault{Text: "flow.New got no files"}, `"",0,0,"error","flow.New got no files"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var b strings.Builder
			is.NoErr(PrintFaults(&b, []fault.Fault{tt.fault}))
			values := strings.Split(tt.want, ",")
			want := "[\n\t{\n\t\t\"file\": " + values[0] + ",\n\t\t\"line\": " + values[1] + ",\n\t\t\"column\": " + values[2] +
				",\n\t\t\"severity\": " + values[3] + ",\n\t\t\"text\": " + values[4] + "\n\t}\n]\n"
			is.Equal(b.String(), want)
		})
	}
	is := is.New(t)
	var b strings.Builder
	is.NoErr(PrintFaults(&b, nil))
	is.Equal(b.String(), "[]\n")
}
