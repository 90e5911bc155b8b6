package scaffold

import (
	"errors"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"example.com/flow/cmd/flow/internal/project"
)

// needed are the modules that a part of the template needs.
type needed struct {
	goVersion string
	require   []*modfile.Require
	sums      []byte // the lines of go.sum
}

// modulesOf reads the modules of a part of the template.
func modulesOf(part string) (n needed, err error) {
	text, err := template.ReadFile("_template/" + part + ".mod")
	if err != nil {
		return n, err
	}
	m, err := modfile.Parse(part+".mod", text, nil)
	if err != nil {
		return n, err
	}
	if m.Go != nil {
		n.goVersion = m.Go.Version
	}
	n.require = m.Require
	n.sums, err = template.ReadFile("_template/" + part + ".sum")
	return n, err
}

// newer returns the newer one of two versions of Go, of which one may be "".
func newer(a, b string) string {
	if version.Compare("go"+a, "go"+b) < 0 {
		return b
	}
	return a
}

// withSums returns the lines of a go.sum with others, in the order in which the go command
// writes them: that of versions, where 1.10 comes after 1.9.
func withSums(sums, others []byte) []byte {
	lines := map[module.Version][]string{}
	var keys []module.Version
	for _, text := range [][]byte{sums, others} {
		for line := range strings.Lines(string(text)) {
			path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			v, hash, _ := strings.Cut(rest, " ")
			if hash == "" {
				continue
			}
			key := module.Version{Path: path, Version: v}
			if lines[key] == nil {
				keys = append(keys, key)
			}
			if !slices.Contains(lines[key], hash) {
				lines[key] = append(lines[key], hash)
			}
		}
	}
	module.Sort(keys)
	var b strings.Builder
	for _, key := range keys {
		slices.Sort(lines[key])
		for _, hash := range lines[key] {
			b.WriteString(key.Path + " " + key.Version + " " + hash + "\n")
		}
	}
	return []byte(b.String())
}

// with returns the go.mod of a module that needs others, too: of each module the newer one
// of two versions, and no line less than before. others says that it has modules which are not
// needed, or newer ones, whose checksums and needs n does not have.
func (n needed) with(name string, text []byte) (with []byte, others bool, err error) {
	m, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, false, err
	}
	if m.Go == nil || newer(m.Go.Version, n.goVersion) != m.Go.Version {
		if err := m.AddGoStmt(n.goVersion); err != nil {
			return nil, false, err
		}
	}
	var all []*modfile.Require
	for _, r := range m.Require {
		all = append(all, &modfile.Require{Mod: r.Mod, Indirect: r.Indirect})
		others = others || r.Mod.Path != libraryPath && r.Mod.Path != matcherPath && !slices.ContainsFunc(n.require, func(o *modfile.Require) bool { return o.Mod.Path == r.Mod.Path })
	}
	for _, r := range n.require {
		i := slices.IndexFunc(all, func(other *modfile.Require) bool { return other.Mod.Path == r.Mod.Path })
		if i < 0 {
			all = append(all, &modfile.Require{Mod: r.Mod, Indirect: r.Indirect})
			continue
		}
		switch semver.Compare(all[i].Mod.Version, r.Mod.Version) {
		case -1:
			all[i].Mod.Version = r.Mod.Version
		case +1:
			others = true
		}
		all[i].Indirect = all[i].Indirect && r.Indirect
	}
	m.SetRequireSeparateIndirect(all)
	m.Cleanup()
	with, err = m.Format()
	return with, others, err
}

// addTo returns go.mod and go.sum of a module with what is needed, as far as they change. tidy
// says that the module has others, of which these may need newer versions, or the other way
// round: the go command has to find that out.
func (n needed) addTo(m project.Module) (made, anew []file, tidy bool, err error) {
	goMod, goSum := filepath.Join(m.Dir, "go.mod"), filepath.Join(m.Dir, "go.sum")
	text, err := os.ReadFile(goMod)
	if err != nil {
		return nil, nil, false, err
	}
	with, tidy, err := n.with(goMod, text)
	if err != nil {
		return nil, nil, false, err
	}
	if string(with) != string(text) {
		anew = append(anew, file{goMod, with, string(text)})
	}
	sums, err := os.ReadFile(goSum)
	switch with := withSums(sums, n.sums); {
	case errors.Is(err, fs.ErrNotExist):
		made = append(made, file{name: goSum, text: with})
	case err != nil:
		return nil, nil, false, err
	case string(with) != string(sums):
		anew = append(anew, file{goSum, with, string(sums)})
	}
	return made, anew, tidy, nil
}
