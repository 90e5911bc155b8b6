package scaffold

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
)

// TestNothingToWarnOf: check has no warning about what flow new and flow add write. With accounts,
// the tests of the application pass as before. Those of accounts are run where flow add has written
// them: ecosystem/board/newaccounts runs those of flow new.
func TestNothingToWarnOf(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an application")
	}
	library, err := filepath.Abs("../../../..")
	is.New(t).NoErr(err)
	for _, tt := range []struct{ name, flag, adds string }{
		{"pages", "", "about\ncontact -methods get,post\nshop/[id] -methods get,post\nshop/+layout\nshop/+error\napi/items -methods get,post\nhealth.http -methods get"},
		{"an API", "-api", "items -methods get,post"},
		{"documentation", "-docs", "about\ncontact -methods get,post\nblog/+error\ndocs/hello"},
		{"accounts", "-accounts", "about\n(members)/notes/[id]\n(admin)/log"},
		{"pages with accounts", "", "-accounts\n(members)/drafts"},
		{"an API with accounts", "-api", "-accounts"},
		{"documentation with accounts", "-docs", "-accounts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := filepath.Join(lay(t, nil), "hello")
			code, _, errs := run(filepath.Dir(dir), append([]string{"new", "hello", "-flow", library}, strings.Fields(tt.flag)...)...)
			is.Equal(errs, "")
			is.Equal(code, command.OK)
			for args := range strings.SplitSeq(tt.adds, "\n") {
				code, _, errs := run(dir, append([]string{"add"}, strings.Fields(args)...)...)
				is.Equal(errs, "")
				is.Equal(code, command.OK)
			}
			commands := []string{"run . check -warnings=fail"}
			switch {
			case strings.Contains(tt.adds, "-accounts"):
				commands = append(commands, "vet ./...", "test -vet=off . ./app")
			case tt.flag == "-accounts":
				commands = append(commands, "vet ./...", "test -vet=off -run TestRoutes|TestExamples|TestMenu ./app")
			}
			for _, args := range commands {
				cmd := exec.Command("go", strings.Fields(args)...)
				cmd.Dir = dir
				cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-trimpath") // what was compiled before is taken in any directory
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("go %s: %v\n%s", args, err, out)
				}
			}
		})
	}
}
