package dev

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/command"
)

// findMain returns the main package to run, as the go tool takes it, and the name of its
// program. It is the package that is given, or the only one of the module that imports
// flow, or of those that do, the one in the directory itself.
func findMain(ctx context.Context, m project.Module, dir, given string, flags []string) (pkg, name string, err error) {
	args := []string{given}
	if given == "" {
		args = []string{m.Path + "/..."}
		if m.Dir != dir { // the working directory may be that of another module of a workspace
			args = append(args, ".")
		}
	}
	packages, err := goList(ctx, dir, flags, "Name,ImportPath,Dir,Deps,Error", args...)
	if err != nil {
		return "", "", err
	}
	if given != "" {
		return oneMain(packages, given)
	}
	var mains []project.Package
	for _, p := range packages {
		seen := slices.ContainsFunc(mains, func(other project.Package) bool { return other.Dir == p.Dir })
		if p.Name == "main" && !seen && slices.Contains(p.Deps, calls.FlowPath) {
			mains = append(mains, p)
		}
	}
	if here := slices.IndexFunc(mains, func(p project.Package) bool { return p.Dir == dir }); here >= 0 {
		mains = mains[here : here+1]
	}
	switch len(mains) {
	case 0:
		return "", "", fmt.Errorf("no main package of the module %s imports %s: give the package to run, as in \"flow dev ./cmd/site\"", m.Path, calls.FlowPath)
	case 1:
		return mains[0].ImportPath, programName(mains[0]), nil
	}
	var names []string
	for _, p := range mains {
		names = append(names, shownDir(dir, p.Dir))
	}
	return "", "", command.Usagef("dev: there are several main packages, %s: say which one to run, as in \"flow dev %s\"", strings.Join(names, " and "), names[0])
}

// oneMain checks a package that was given.
func oneMain(packages []project.Package, given string) (pkg, name string, err error) {
	switch {
	case len(packages) == 0:
		return "", "", fmt.Errorf("dev: %s is no package", given)
	case len(packages) > 1:
		return "", "", command.Usagef("dev: %s are several packages: give one", given)
	case packages[0].Error != nil && packages[0].Name == "":
		return "", "", fmt.Errorf("dev: %s", packages[0].Error.Err)
	case packages[0].Name != "" && packages[0].Name != "main":
		return "", "", command.Usagef("dev: %s is package %s and no program: give the directory of a main package", given, packages[0].Name)
	}
	return given, programName(packages[0]), nil
}

// programName returns what "go build" would call the program.
func programName(p project.Package) string {
	name := p.ImportPath[strings.LastIndexByte(p.ImportPath, '/')+1:]
	if name == "" || strings.HasPrefix(name, "command-line-arguments") {
		name = filepath.Base(p.Dir)
	}
	return name
}

// shownDir returns a directory as the go tool takes it: "./cmd/site", or "../cmd/site".
func shownDir(dir, target string) string {
	below, err := filepath.Rel(dir, target)
	switch {
	case err != nil:
		return filepath.ToSlash(target)
	case filepath.IsLocal(below):
		return "./" + filepath.ToSlash(below)
	}
	return filepath.ToSlash(below)
}
