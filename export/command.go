package export

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"strings"

	"example.com/flow"
	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
)

func init() {
	command.Exporter = &command.Added{Usage: usage, Flags: flagsHelp, New: newCommand}
}

const usage = "export [flags] DIR  write the site as files, for a server that runs no program"

const flagsHelp = `Flags of export, which come before the directory and the URLs of pages that no link
leads to, as in "export -gzip site /users/7":

	-base path        where the files will be served, such as /repo: it is written before
	                  the URLs of the site
	-index            about/index.html in place of about.html
	-not URL          leave out a page; may be given several times
	-gzip             compressed files beside the others, for gzip_static of nginx
	-headers          _headers, for Netlify and Cloudflare Pages; without it, the files have
	                  no Content-Security-Policy
`

// newCommand registers the flags of the command, and returns what executes it.
func newCommand(flags *flag.FlagSet) func(context.Context, any, []string, command.Process) error {
	var o Options
	flags.StringVar(&o.Base, "base", "", "")
	flags.BoolVar(&o.Index, "index", false, "")
	flags.Func("not", "", func(url string) error {
		o.Not = append(o.Not, url)
		return nil
	})
	flags.BoolVar(&o.Gzip, "gzip", false, "")
	flags.BoolVar(&o.Headers, "headers", false, "")
	return func(ctx context.Context, router any, args []string, p command.Process) error {
		if len(args) == 0 {
			return command.Usagef("export: name the directory that the files are written to")
		}
		for _, arg := range args {
			if strings.HasPrefix(arg, "-") {
				return command.Usagef("export: the flag %s comes before the directory", arg)
			}
		}
		o.Dir, o.URLs = args[0], args[1:]
		if err := o.check(); err != nil {
			return command.Usagef("export: %w", err)
		}
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
		result, err := write(ctx, router.(*flow.Router), o, func(soFar string) { fmt.Fprintln(p.Stderr, soFar) })
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(p.Stdout, result.report(o.Dir))
		return err
	}
}

// gcPercent is GOGC while the command runs: nobody waits for a request, and the pages of a large site take
// most of the memory.
const gcPercent = 30

// report returns what the command prints.
func (r Result) report(dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exported %s to %s: %d written, %d removed\n", fault.Count(len(r.Files), "file"), dir, r.Written, r.Removed)
	for _, line := range r.NotExported {
		fmt.Fprintf(&b, "not exported: %s\n", line)
	}
	return b.String()
}
