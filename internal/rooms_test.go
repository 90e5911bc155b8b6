// Package internal_test holds the imports between the rooms against the plan.
package internal_test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

const module = "example.com/flow"

// plan says what each room may import of the others. They are in the order of their
// floors: a room imports only what stands above it here, so that no arrow runs back up.
// The root imports all of them, and none imports the root.
var plan = []struct{ room, imports string }{
	// These know of nothing else.
	{"accept", ""},
	{"auth", ""},
	{"csp", ""},
	{"devpage", ""},
	{"disk", ""},
	{"fault", ""},
	{"fold", ""},
	{"pattern", ""},
	{"race", ""},
	{"reply", ""},
	{"server", ""},

	{"command", "disk fault server"},
	{"devlink", "devpage"},
	{"forms", "fault"},
	{"httpfile", "fault"},
	{"input", "fault fold"},
	{"links", "fault pattern"},
	{"logging", "reply"},
	{"match", "fault pattern"},
	{"public", "accept reply"},
	{"routetree", "fault fold pattern"},
	{"typecheck", "fault"},

	{"dev", "accept csp devpage disk reply"},
	{"examples", "httpfile pattern"},
	{"registry", "fault forms match pattern routetree"},
	{"plan", "typecheck"},
	{"pages", "fault links plan routetree typecheck"},

	{"ondisk", "disk fault pages pattern public routetree"},
	{"routemap", "dev devpage fault forms httpfile match pattern registry routetree"},

	// For tests.
	{"flowtest", ""},
	{"servertest", "server"},
}

func TestImportsRunOneWay(t *testing.T) {
	is := is.New(t)
	out, err := exec.Command("go", "list", "-f", `{{if .GoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, module+"/internal/...").Output()
	is.NoErr(err)
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue // tests only
		}
		room := strings.TrimPrefix(fields[0], module+"/internal/")
		imports[room] = nil
		for _, path := range fields[1:] {
			if path == module || strings.HasPrefix(path, module+"/") {
				imports[room] = append(imports[room], strings.TrimPrefix(path, module+"/internal/"))
			}
		}
	}
	above := map[string]bool{}
	for _, p := range plan {
		t.Run(p.room, func(t *testing.T) {
			is := is.New(t)
			got, ok := imports[p.room]
			is.True(ok) // the room is there
			is.Equal(strings.Join(slices.Sorted(slices.Values(got)), " "), p.imports)
			for _, other := range got {
				is.True(above[other]) // no arrow runs back up
			}
		})
		above[p.room] = true
		delete(imports, p.room)
	}
	is.Equal(slices.Sorted(maps.Keys(imports)), []string(nil)) // every room is in the plan
}
