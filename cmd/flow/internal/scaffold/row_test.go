package scaffold

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAddRows(t *testing.T) {
	const fields = "struct{ method, path, body string; status int; want string }"
	rows := []row{{"GET", "/users/1", 200}, {"PUT", "/users/1", 501}}
	for _, tt := range []struct {
		name, body string // of the function
		want       string // what stands in it afterwards
	}{
		{"positional", "for _, tt := range []" + fields + "{\n{\"GET\", \"/\", \"\", 200, \"x\"},\n} { _ = tt }",
			"\t\t{\"GET\", \"/\", \"\", 200, \"x\"},\n\t\t{\"GET\", \"/users/1\", \"\", 200, \"\"},\n\t\t{\"PUT\", \"/users/1\", \"\", 501, \"\"},\n\t} {"},
		{"keyed", "tests := []" + fields + "{\n{method: \"GET\", path: \"/\"},\n}\n_ = tests",
			"\t\t{method: \"GET\", path: \"/\"},\n\t\t{method: \"GET\", path: \"/users/1\", status: 200},\n"},
		{"a comment at the end", "tests := []" + fields + "{\n{\"GET\", \"/\", \"\", 200, \"\"}, // the home page\n// more to come\n}\n_ = tests",
			"// the home page\n\t\t// more to come\n\t\t{\"GET\", \"/users/1\", \"\", 200, \"\"},\n"},
		{"in one line", "tests := []" + fields + "{{\"GET\", \"/\", \"\", 200, \"\"}}\n_ = tests",
			"{\"GET\", \"/\", \"\", 200, \"\"},\n\t\t{\"GET\", \"/users/1\", \"\", 200, \"\"},\n\t\t{\"PUT\", \"/users/1\", \"\", 501, \"\"},\n\t}"},
		{"empty", "tests := []" + fields + "{}\n_ = tests", "{\n\t\t{method: \"GET\", path: \"/users/1\", status: 200},\n"},
		{"a type of the file", "tests := []request{{\"/\", \"GET\", 200, nil, nil, false}}\n_ = tests",
			"\t\t{\"/users/1\", \"GET\", 200, nil, nil, false},\n"},
		{"a field without a known zero value", "tests := []timed{{\"GET\", \"/\", 200, time.Second}}\n_ = tests",
			"\t\t{method: \"GET\", path: \"/users/1\", code: 200},\n"},
		{"the second table", "_ = []struct{ a string }{{\"x\"}}\ntests := []" + fields + "{\n{\"GET\", \"/\", \"\", 200, \"x\"},\n}\n_ = tests",
			"\t\t{\"GET\", \"/users/1\", \"\", 200, \"\"},\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			src := "package app\n\nimport (\"testing\"; \"time\")\n\n" +
				"type request struct { Target, Method string; WantStatus int; header map[string]string; check func(); last bool }\n\n" +
				"type timed struct { method, path string; code int; d time.Duration }\n\n" +
				"// before\nfunc TestRoutes(t *testing.T) {\n" + tt.body + "\n}\n// after\n"
			got, err := addRows([]byte(src), rows)
			is.NoErr(err)
			if !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant in it\n%s", got, tt.want)
			}
			is.True(strings.Contains(got, "// before") && strings.Contains(got, "// after"))
			is.Equal(strings.Count(got, "/users/1"), 2)
			again, err := addRows([]byte(got), rows) // what was made can be added to
			is.NoErr(err)
			is.Equal(strings.Count(again, "/users/1"), 4)
		})
	}
	t.Run("lines that end in CR LF", func(t *testing.T) {
		is := is.New(t)
		src := "package app\n\nfunc TestRoutes() {\n\t_ = []" + fields + "{\n\t\t{\"GET\", \"/\", `a\n`, 200, \"\"},\n\t}\n}\n"
		want, err := addRows([]byte(src), rows)
		is.NoErr(err)
		got, err := addRows([]byte(strings.ReplaceAll(src, "\n", "\r\n")), rows)
		is.NoErr(err)
		is.Equal(got, strings.ReplaceAll(want, "\n", "\r\n"))
	})
	for _, tt := range []struct{ name, src, err string }{
		{"no such test", "package app\nfunc TestOther() {}\n", ""},
		{"a method", "package app\nfunc (s suite) TestRoutes() {}\n", ""},
		{"no table", "package app\nfunc TestRoutes() {}\n", "its table has not the fields method, path and status"},
		{"other fields", "package app\nfunc TestRoutes() { _ = []struct{ in, out string }{} }\n", "its table has not the fields"},
		{"an embedded field", "package app\nfunc TestRoutes() { _ = []struct{ T; method, path string; status int }{} }\n", "its table has not the fields"},
		{"a map", "package app\nfunc TestRoutes() { _ = map[string]int{\"/\": 200} }\n", "its table has not the fields"},
		{"no Go", "package app\nfunc TestRoutes() {", "expected '}'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got, err := addRows([]byte(tt.src), rows)
			is.Equal(got, "")
			if tt.err == "" {
				is.NoErr(err)
				return
			}
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), tt.err))
		})
	}
}

// FuzzAddRows adds to all kinds of files: what comes out is Go that has the rows, or nothing.
func FuzzAddRows(f *testing.F) {
	for _, body := range []string{"{}", "{{\"GET\", \"/\", 200}}", "{\n// x\n}", "{{}, }", "{{path: \"x\"},\n} // y"} {
		f.Add("package p\nfunc TestRoutes() { _ = []struct{ method, path string; status int }" + body + " }\n")
	}
	f.Fuzz(func(t *testing.T, src string) {
		got, err := addRows([]byte(src), []row{{"GET", "/users/1", 200}})
		if err != nil || got == "" {
			return
		}
		if _, err := addRows([]byte(got), nil); err != nil {
			t.Errorf("%v in\n%s", err, got)
		}
		if strings.Count(got, `"/users/1"`) != strings.Count(src, `"/users/1"`)+1 {
			t.Errorf("the row is not in\n%s", got)
		}
	})
}
