// Package internal_test checks the imports between floors and rooms against the plan in docs/architecture.md.
package internal_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

const module = "example.com/flow"

// imports returns the packages below internal/, each with what it imports of the others, and
// those that have a package comment.
func imports(t *testing.T) (rooms map[string][]string, described map[string]bool) {
	if testing.Short() {
		t.Skip("asks the go command")
	}
	is := is.New(t)
	out, err := exec.Command("go", "list", "-f", `{{if .GoFiles}}{{.ImportPath}} {{if .Doc}}doc{{else}}-{{end}} {{join .Imports " "}}{{end}}`, module+"/internal/...").Output()
	is.NoErr(err)
	rooms, described = map[string][]string{}, map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue // tests only
		}
		room := strings.TrimPrefix(fields[0], module+"/internal/")
		rooms[room], described[room] = nil, fields[1] == "doc"
		for _, path := range fields[2:] {
			if path == module || strings.HasPrefix(path, module+"/") {
				rooms[room] = append(rooms[room], strings.TrimPrefix(path, module+"/internal/"))
			}
		}
	}
	return rooms, described
}

// floorOf returns the floor of a room: the first part of its path.
func floorOf(room string) string {
	floor, _, _ := strings.Cut(room, "/")
	return floor
}

// plan returns the page about the architecture.
func plan(t *testing.T) string {
	b, err := os.ReadFile("../docs/architecture.md")
	is.New(t).NoErr(err)
	return string(b)
}

var (
	// floorLine is a line of the picture of the floors: a floor, what runs there, and what it imports.
	floorLine = regexp.MustCompile(`(?m)^ (\w+)  .*?──► (.*)$`)
	// groundLine has the packages that every floor may import.
	groundLine = regexp.MustCompile(`(?m)^ (\w+(?:, \w+)+)$`)
	word       = regexp.MustCompile(`\w+`)
	// row is a line of the table of rooms.
	row = regexp.MustCompile("(?m)^\\| `(\\w+(?:/\\w+)*)` \\|[^|]+\\|$")
)

// floors returns the floors in the picture from the top down, with what each imports, and the packages
// of the ground.
func floors(t *testing.T) (names []string, imports map[string][]string, ground []string) {
	_, picture, _ := strings.Cut(plan(t), "──► every floor\n")
	picture, _, _ = strings.Cut(picture, "```")
	imports = map[string][]string{}
	for _, line := range floorLine.FindAllStringSubmatch(picture, -1) {
		names = append(names, line[1])
		imports[line[1]] = nil
		if line[2] != "the last line" {
			imports[line[1]] = word.FindAllString(line[2], -1)
		}
	}
	return names, imports, word.FindAllString(groundLine.FindString(picture), -1)
}

// TestFloors checks that the floors import what the picture shows, and nothing above them. testkit is
// only for tests: no product code imports it.
func TestFloors(t *testing.T) {
	is := is.New(t)
	rooms, _ := imports(t)
	names, planned, ground := floors(t)
	got := map[string]map[string]bool{}
	for room, others := range rooms {
		floor := floorOf(room)
		if floor == "testkit" {
			continue
		}
		if got[floor] == nil {
			got[floor] = map[string]bool{}
		}
		for _, other := range others {
			if floorOf(other) != floor && !slices.Contains(ground, other) {
				got[floor][floorOf(other)] = true
			}
		}
	}
	for i, floor := range names {
		t.Run(floor, func(t *testing.T) {
			is := is.New(t)
			is.Equal(slices.Sorted(maps.Keys(got[floor])), slices.Sorted(slices.Values(planned[floor])))
			for other := range got[floor] {
				is.True(slices.Contains(names[i+1:], other)) // no arrow runs up
			}
		})
		delete(got, floor)
	}
	for _, floor := range ground {
		is.Equal(len(got[floor]), 0) // the ground stands on nothing
		delete(got, floor)
	}
	is.Equal(slices.Sorted(maps.Keys(got)), []string(nil)) // every floor is in the picture
}

// TestRooms checks the table of rooms. It has a row for each room, from the ground up: a room imports only
// rooms whose rows stand before its own.
func TestRooms(t *testing.T) {
	is := is.New(t)
	got, described := imports(t)
	before := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(plan(t), -1) {
		room := m[1]
		if _, isRoom := got[room]; !isRoom {
			continue // the row of another table, or a room of tests only
		}
		t.Run(room, func(t *testing.T) {
			is := is.New(t)
			is.True(described[room]) // the package says what it is for
			for _, other := range got[room] {
				if other == module && floorOf(room) == "testkit" {
					continue // as applications do
				}
				if !before[other] {
					t.Errorf("%s imports %s, whose row does not stand before its own", room, other)
				}
			}
		})
		before[room] = true
		delete(got, room)
	}
	maps.DeleteFunc(got, func(room string, others []string) bool {
		return described[room] && len(others) == 0 && isParent(room, before)
	})
	is.Equal(slices.Sorted(maps.Keys(got)), []string(nil)) // every room has a row
}

// isParent reports whether rooms stand below a package, which then only has a comment about them.
func isParent(parent string, rooms map[string]bool) bool {
	for room := range rooms {
		if strings.HasPrefix(room, parent+"/") {
			return true
		}
	}
	return false
}
