// Package internal_test holds the imports between the wings and rooms against the plan.
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

// rooms says what each room may import of the others, in the order of their floors: a room
// imports only what stands above it here, so that no arrow runs back up. The root imports all
// of them, and none imports the root. Where a room imports another one of its wing, the name
// of the wing is left out.
var rooms = []struct{ room, imports string }{
	{"fault", ""},
	{"fold", ""},
	{"shell", ""},
	{"race", ""},

	{"routes/pattern", ""},
	{"routes/forms", "fault"},
	{"routes/match", "fault pattern"},
	{"routes/routetree", "fault fold pattern"},
	{"routes/registry", "fault forms match pattern routetree"},

	{"wire/accept", ""},
	{"wire/auth", ""},
	{"wire/reply", ""},
	{"wire/server", ""},
	{"wire/input", "fault fold reply"},
	{"wire/logging", "reply"},
	{"wire/public", "accept reply"},

	{"pages/content", "fault routes/routetree"},
	{"pages/language", ""},
	{"pages/markup", "language routes/pattern"},
	{"pages/csp", "markup routes/pattern"},
	{"pages/prove", "csp fault markup routes/pattern"},
	{"pages/links", "fault language markup routes/pattern"},
	{"pages/typecheck", "fault language"},
	{"pages/plan", "language"},
	{"pages/templates", "content csp fault language links markup plan prove routes/pattern routes/routetree typecheck"},

	{"examples/httpfile", "fault"},
	{"examples/bridge", "httpfile routes/pattern"},

	{"openapi/schema", "wire/input"},
	{"openapi/fit", "fault schema"},
	{"openapi/agree", "examples/bridge examples/httpfile fault fit schema wire/input"},
	{"openapi/rules", "schema wire/input"},
	{"openapi/document", "examples/bridge examples/httpfile routes/pattern rules schema wire/input wire/reply"},
	{"openapi/page", "document examples/httpfile pages/csp schema"},

	{"dev/devpage", "pages/csp"},
	{"dev/disk", ""},
	{"dev/devlink", "devpage"},
	{"dev/livereload", "devpage disk pages/csp wire/accept wire/logging wire/reply"},
	{"dev/ondisk", "disk fault pages/templates routes/pattern routes/routetree wire/public"},
	{"dev/routemap", "devpage examples/httpfile fault livereload routes/forms routes/match routes/pattern routes/registry routes/routetree"},

	{"manifest", "fault pages/links routes/pattern"},

	{"command", "dev/disk fault shell wire/server"},

	{"flowtest", ""},
	{"servertest", "wire/server"},
	{"pages/zoo", ""},
	{"pages/seeds", ""},
}

// imports returns the packages below internal/, each with what it imports of the others, and
// the wings that have a package comment.
func imports(t *testing.T) (rooms map[string][]string, described []string) {
	if testing.Short() {
		t.Skip("asks the go command")
	}
	is := is.New(t)
	out, err := exec.Command("go", "list", "-f", `{{if .GoFiles}}{{.ImportPath}} {{if .Doc}}{{.Name}}{{else}}-{{end}} {{join .Imports " "}}{{end}}`, module+"/internal/...").Output()
	is.NoErr(err)
	rooms = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue // tests only
		}
		room := strings.TrimPrefix(fields[0], module+"/internal/")
		if fields[1] == room {
			described = append(described, room)
		}
		rooms[room] = nil
		for _, path := range fields[2:] {
			if path == module || strings.HasPrefix(path, module+"/") {
				rooms[room] = append(rooms[room], strings.TrimPrefix(path, module+"/internal/"))
			}
		}
	}
	return rooms, described
}

// isForTests reports whether a room is for tests only.
func isForTests(room string) bool {
	return room == "flowtest" || room == "servertest" || room == "pages/zoo" || room == "pages/seeds"
}

func wingOf(room string) string {
	wing, _, _ := strings.Cut(room, "/")
	return wing
}

// page returns a file of the repository.
func page(t *testing.T, name string) string {
	b, err := os.ReadFile("../" + name)
	is.New(t).NoErr(err)
	return string(b)
}

var (
	// floor is a line of the picture of the wings that has wings, with what they import or without.
	floor = regexp.MustCompile(`(?m)^ +(\d?)  +(\w+(?:   \w+)*)(?: +──► (.*))?$`)
	word  = regexp.MustCompile(`\w+`)
	// row is a line of the table of rooms.
	row = regexp.MustCompile("(?m)^\\| `(\\w+(?:/\\w+)?)` \\|[^|]+\\|$")
)

// TestImportsOfWings reads the plan of the wings from the picture in docs/architecture.md.
func TestImportsOfWings(t *testing.T) {
	is := is.New(t)
	rooms, described := imports(t)
	got := map[string]map[string]bool{}
	for room, others := range rooms {
		if isForTests(room) {
			continue
		}
		wing := wingOf(room)
		if got[wing] == nil {
			got[wing] = map[string]bool{}
		}
		for _, other := range others {
			if wingOf(other) != wing {
				got[wing][wingOf(other)] = true
			}
		}
	}
	_, picture, _ := strings.Cut(page(t, "docs/architecture.md"), "──► every wing\n")
	picture, _, _ = strings.Cut(picture, "```")
	lines := floor.FindAllStringSubmatch(picture, -1)
	slices.Reverse(lines)
	below := map[string]bool{}
	for _, line := range lines {
		wings := word.FindAllString(line[2], -1)
		for _, wing := range wings {
			t.Run(wing, func(t *testing.T) {
				is := is.New(t)
				is.True(slices.Contains(described, wing)) // the wing says what it is for
				is.Equal(slices.Sorted(maps.Keys(got[wing])), slices.Sorted(slices.Values(word.FindAllString(line[3], -1))))
				for other := range got[wing] {
					is.True(below[other]) // no arrow runs back up
				}
			})
			delete(got, wing)
		}
		for _, wing := range wings {
			below[wing] = true
		}
	}
	is.Equal(slices.Sorted(maps.Keys(got)), []string(nil)) // every wing is in the picture
}

func TestImportsOfRooms(t *testing.T) {
	is := is.New(t)
	got, _ := imports(t)
	above := map[string]bool{}
	for _, r := range rooms {
		t.Run(r.room, func(t *testing.T) {
			is := is.New(t)
			others, ok := got[r.room]
			is.True(ok) // the room is there
			short := []string{}
			for _, other := range others {
				is.True(above[other]) // no arrow runs back up
				short = append(short, strings.TrimPrefix(other, wingOf(r.room)+"/"))
			}
			slices.Sort(short)
			is.Equal(strings.Join(short, " "), r.imports)
		})
		above[r.room] = true
		delete(got, r.room)
	}
	for room := range got {
		if !strings.Contains(room, "/") && len(got[room]) == 0 {
			delete(got, room) // the package comment of a wing
		}
	}
	is.Equal(slices.Sorted(maps.Keys(got)), []string(nil)) // every room is in the plan
}

func TestTableOfRooms(t *testing.T) {
	is := is.New(t)
	var want, table []string
	for _, r := range rooms {
		if !isForTests(r.room) {
			want = append(want, r.room)
		}
	}
	for _, m := range row.FindAllStringSubmatch(page(t, "CONTRIBUTING.md"), -1) {
		if !strings.HasPrefix(m[1], "internal/") {
			table = append(table, m[1])
		}
	}
	is.Equal(slices.Sorted(slices.Values(table)), slices.Sorted(slices.Values(want)))
}
