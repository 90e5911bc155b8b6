package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
)

// A Package is what "go list" says of a package, as far as it was asked.
type Package struct {
	Name, ImportPath, Dir               string
	Standard                            bool
	Deps                                []string
	GoFiles, IgnoredGoFiles, OtherFiles []string
	EmbedPatterns, EmbedFiles           []string
	Module                              *ListedModule
	Error                               *struct{ Err string }
}

// A ListedModule is what "go list" says of the module of a package.
type ListedModule struct {
	Path, Version, Dir, GoMod string
	Main                      bool
	Replace                   *ListedModule
}

// List runs a "go list -json", and returns what it prints.
func List(cmd *exec.Cmd) ([]Package, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(said.Bytes()))
	}
	var packages []Package
	for d := json.NewDecoder(&out); d.More(); {
		var p Package
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}
