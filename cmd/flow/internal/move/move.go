// Package move is the command flow mv: it moves a file or a directory of the tree together
// with the Go files that speak of it, and rewrites the paths and names by which Go code and
// templates call what has moved.
//
// [Make] plans a move and changes nothing. It compares the tree before and after, so that
// it rewrites only what would not mean the same, and knows what it could not rewrite.
// [Moves.Apply] does it, all or nothing.
package move

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/command"
)

// Command is flow mv.
var Command = cli.Command{
	Name:  "mv",
	Args:  "OLD NEW",
	Short: "move a file or a directory of the tree",
	Long: `Moves a route file, a +file, a public file or a directory, with the Go files that
speak of it: users/[id].html with users.id.go and users.id_test.go. It rewrites
the paths and the names of routes in At, In, View, Route and RedirectTo, in
{{route}} and {{template}}, the names of parameters, URLs in tests that can be no
others, the requests in .http files that move, and relative links between pages of
formats, such as Markdown. It lists by file and line what may need a hand: other old
URLs, names that are known only when the program runs. What In covers no more, or
covers now, stands first: if it covers less, the move is refused without -force.

OLD and NEW are paths below router/, as in At, or from the working directory. The
extension may be left out. A directory that exists as NEW takes OLD in. The
groups of NEW may be left out, and what OLD names without its groups stays in
them, unless one of both names a group or NEW begins with ./. Quote brackets and
parentheses, which mean something to the shell.

	flow mv "users/[id]" "users/[user]"
	flow mv about "(site)/"
	flow mv users people

Nothing is overwritten, and nothing is changed if the tree would have a fault
then, or if anything fails half-way.`,
	Setup: func(flags *flag.FlagSet) cli.Work {
		dry := flags.Bool("n", false, "only show what would be moved and written")
		force := flags.Bool("force", false, "move even if middleware of In covers less then")
		return func(ctx context.Context, p cli.Process, args, _ []string) error {
			if len(args) != 2 {
				return command.Usagef("mv: give two paths, of what to move and where to, and not %d; a name with brackets or parentheses needs quotes", len(args))
			}
			return run(ctx, p, args[0], args[1], *dry, *force)
		}
	},
}

func run(ctx context.Context, p cli.Process, from, to string, dry, force bool) error {
	dir, err := filepath.EvalSymlinks(p.Dir) // as the go tool names what is in it
	if err != nil {
		return err
	}
	app, err := project.Find(dir, from, to)
	if err != nil {
		return err
	}
	from, to = app.FromRoot(dir, from), app.FromRoot(dir, to)
	moves, err := Make(ctx, app, dir, from, to)
	if err != nil {
		return err
	}
	refused, report := moves.refusal(), moves.report(dry)
	switch {
	case force:
		refused = nil
	case refused != nil && !dry:
		return refused
	}
	if !dry {
		if err := moves.Apply(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(p.Stdout, report)
	return cmp.Or(err, refused)
}

// refusal returns an error if middleware of In covers less after the move.
func (m *Moves) refusal() error {
	if len(m.Lost) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("the move is refused without -force, since middleware covers less after it:\n")
	for _, n := range m.Lost {
		fmt.Fprintf(&b, "\t%s:%d: %s\n", Shown(n.File), n.Line, n.Text)
	}
	b.WriteString("move it to where they cover it, or guard the new place and give -force")
	return errors.New(b.String())
}

// report says what is moved and written, and what is left to do. Files are named as they are called
// afterwards, which is by their old names in a dry run.
func (m *Moves) report(dry bool) string {
	now := m.newName
	if dry {
		now = func(file string) string { return file }
	}
	var b strings.Builder
	for _, r := range m.Renames {
		fmt.Fprintf(&b, "move %s to %s\n", Shown(r.From), Shown(r.To))
	}
	for _, dir := range m.Emptied {
		fmt.Fprintf(&b, "remove the empty directory %s\n", Shown(dir))
	}
	for _, file := range sortedKeys(m.Edits) {
		for _, l := range changedLines(m.texts[file], m.Edits[file]) {
			fmt.Fprintf(&b, "%s:%d\n\t- %s\n\t+ %s\n", Shown(now(file)), l.number, strings.TrimSpace(l.before), strings.TrimSpace(l.after))
		}
	}
	section := func(title string, notes []Note) {
		if len(notes) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n", title)
		for i, n := range notes {
			switch {
			case n.File == "":
				fmt.Fprintf(&b, "\t%s", n.Text)
			case n.Line == 0:
				fmt.Fprintf(&b, "\t%s: %s", Shown(now(n.File)), n.Text)
			case i > 0 && notes[i-1].File == n.File && notes[i-1].Line == n.Line:
				fmt.Fprintf(&b, "\t\t%s", n.Text)
			default:
				fmt.Fprintf(&b, "\t%s:%d: %s", Shown(now(n.File)), n.Line, n.Text)
			}
			b.WriteByte('\n')
		}
	}
	section("ATTENTION, middleware covers other files than before:", m.Guards)
	section("Left to you:", m.Left)
	section("Good to know:", m.Notes)
	if dry {
		b.WriteString("\nNothing was changed, because of -n.\n")
	}
	return b.String()
}

// A changedLine is a line before and after the edits.
type changedLine struct {
	number        int
	before, after string
}

// changedLines returns the lines that edits change. An edit is never of several lines.
func changedLines(text string, edits []files.Edit) []changedLine {
	var lines []changedLine
	after := strings.Split(files.Edited(text, edits), "\n")
	for i, before := range strings.Split(text, "\n") {
		if before != after[i] {
			lines = append(lines, changedLine{i + 1, before, after[i]})
		}
	}
	return lines
}

func sortedKeys[K string | int, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
