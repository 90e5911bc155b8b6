package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"text/tabwriter"
)

// PrintVersion prints the build information of the running binary, a setting on each line.
func PrintVersion(w io.Writer) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("flow: the binary has no build information: build it in module mode")
	}
	return printBuild(w, info)
}

func printBuild(w io.Writer, info *debug.BuildInfo) error {
	known := map[string]string{}
	for _, s := range info.Settings {
		known[s.Key] = s.Value
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, fact := range [][2]string{
		{"module", info.Main.Path},
		{"version", info.Main.Version},
		{"go", info.GoVersion},
		{"platform", cmp.Or(known["GOOS"], runtime.GOOS) + "/" + cmp.Or(known["GOARCH"], runtime.GOARCH)},
		{"revision", known["vcs.revision"]},
		{"time", known["vcs.time"]},
		{"modified", known["vcs.modified"]},
	} {
		if fact[1] != "" {
			fmt.Fprintf(t, "%s\t%s\n", fact[0], fact[1])
		}
	}
	return t.Flush()
}
