package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flow": main})
}

// TestScripts runs the scripts in testdata/script. They have the variable FLOW, the
// directory of the library, for a replace in go.mod, and the caches of the go tool.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	library, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FLOW", library)
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				if value := strings.TrimSpace(string(out)); value != "" {
					env.Setenv(name, value)
				}
			}
			// What was compiled before is then taken in any directory.
			env.Setenv("GOFLAGS", strings.TrimSpace(env.Getenv("GOFLAGS")+" -trimpath"))
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(goTool()))
			return nil
		},
	})
}

// goTool returns the path of the go tool.
func goTool() string {
	path, err := exec.LookPath("go")
	if err != nil {
		panic(err)
	}
	return path
}
