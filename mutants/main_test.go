package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// write makes a module of files, and returns its directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		is.New(t).NoErr(os.MkdirAll(filepath.Dir(path), 0o777))
		is.New(t).NoErr(os.WriteFile(path, []byte(text), 0o666))
	}
	return dir
}

const grades = `package grades

import "slices"

const debug = 1 > 2

func Pass(points int, excused bool) bool {
	return points >= 50 || excused
}

func Any(all []int) bool {
	return slices.ContainsFunc(all, func(points int) bool { return points > 100%60 && !debug })
}

func Letter(points int) (letter string) {
	switch {
	case points >= 90:
		return "A"
	}
	for range 2 {
		if letter += "B"; points < 60 {
			return
		}
	}
	return letter
}
`

// TestRun: one test of the package holds nothing of what happens at the boundaries and nothing
// of excused. A test of another package holds excused.
func TestRun(t *testing.T) {
	files := map[string]string{
		"grades/grades.go": grades,
		"grades/grades_test.go": `package grades

import "testing"

func Test(t *testing.T) {
	if !Pass(60, false) || Pass(40, false) || !Any([]int{10, 41}) || Any([]int{10}) ||
		Letter(95) != "A" || Letter(80) != "BB" || Letter(10) != "B" {
		t.Fail()
	}
}
`,
		"school/school_test.go": `package school

import ("testing"; "example.com/m/grades")

func Test(t *testing.T) {
	if !grades.Pass(40, true) {
		t.Fail()
	}
}
`,
	}
	points, excused := "grades/grades.go:8: in Pass, points >= 50 becomes points > 50\n", "grades/grades.go:8: in Pass, excused becomes false\n"
	others := `grades/grades.go:12: in Any, points > 100%60 becomes points >= 100%60
grades/grades.go:12: in Any, debug becomes false
grades/grades.go:17: in Letter, points >= 90 becomes points > 90
grades/grades.go:21: in Letter, points < 60 becomes points <= 60
./grades: `
	for _, tt := range []struct {
		name   string
		others []string
		want   string
	}{
		{"its own tests", nil, points + excused + others + "6 of 16 mutants survive\n"},
		{"and those of another package", []string{"./school"}, points + others + "5 of 16 mutants survive\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := write(t, files)
			var out strings.Builder
			is.NoErr(Run(t.Context(), &out, dir, "./grades", tt.others, 1))
			is.Equal(out.String(), tt.want)
		})
	}
}

func TestRunFails(t *testing.T) {
	for _, tt := range []struct {
		name, file, test, want string
	}{
		{"no Go", "package p\n\nfunc {", "package p\n", "expected"},
		{"does not compile", "package p\n\nfunc f() bool { return 1 > x }\n", "package p\n", "undefined: x"},
		{"fails anyway", "package p\n", "package p\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { t.Fail() }\n", "the tests of ./p fail without a mutant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := write(t, map[string]string{"p/p.go": tt.file, "p/p_test.go": tt.test})
			err := Run(t.Context(), &strings.Builder{}, dir, "./p", nil, 1)
			is.True(err != nil && strings.Contains(err.Error(), tt.want))
		})
	}
}

// TestEvery: the mutants of a share are the same, wherever the code stands.
func TestEvery(t *testing.T) {
	is := is.New(t)
	run := func(source string) string {
		var out strings.Builder
		dir := write(t, map[string]string{"p/p.go": source, "p/p_test.go": "package grades\n"})
		is.NoErr(Run(t.Context(), &out, dir, "./p", nil, 3))
		lines := strings.Split(out.String(), "\n")
		for i, line := range lines {
			_, lines[i], _ = strings.Cut(line, " in ")
		}
		return strings.Join(lines, "\n")
	}
	got := run(grades)
	is.True(strings.Count(got, "\n") > 1)
	is.Equal(run(strings.Replace(grades, "package grades\n", "package grades\n\n// More.\n", 1)), got)
}
