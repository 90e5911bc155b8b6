package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

var (
	// linesRow is a row of the table of what "flow new -accounts" writes: the files of a subject,
	// and their lines.
	linesRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| ((?:`[^`|]+`(?:, )?)+) \\| ([0-9,]+) \\|$")
	// comparedRow is one of the rows of the comparison that have lines.
	comparedRow = regexp.MustCompile(`(?m)^\| (lines\b[^|]*) \| about ([0-9,]+) \|`)
	codeName    = regexp.MustCompile("`([^`]+)`")
	testName    = regexp.MustCompile("`(Test\\w+)`")
)

// TestLinesOfAccounts: each file of the accounts stands in one row of the table, and the figures
// are about right.
func TestLinesOfAccounts(t *testing.T) {
	is := is.New(t)
	text, err := os.ReadFile("accounts.md")
	is.NoErr(err)
	rows := linesRow.FindAllStringSubmatch(string(text), -1)
	is.True(len(rows) > 10)
	lines := make([]int, len(rows))
	template := os.DirFS(inRepository("cmd/flow/internal/scaffold/_template/accounts"))
	tests := map[string]bool{}
	is.NoErr(fs.WalkDir(template, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "gitignore" { // whose lines go into the one that is there
			return err
		}
		content, err := fs.ReadFile(template, name)
		if err != nil {
			return err
		}
		for _, m := range testFunc.FindAllSubmatch(content, -1) {
			tests[string(m[1])] = true
		}
		var in []string
		for i, row := range rows {
			for _, span := range codeName.FindAllStringSubmatch(row[1], -1) {
				// A pattern for tests is for tests alone.
				ok, err := path.Match(span[1], name)
				if err != nil {
					return err
				}
				if ok && strings.HasSuffix(span[1], "_test.go") == strings.HasSuffix(name, "_test.go") {
					in = append(in, span[1])
					lines[i] += bytes.Count(content, []byte("\n"))
				}
			}
		}
		if len(in) != 1 {
			t.Errorf("%s is in %d rows of the table: %q", name, len(in), in)
		}
		return nil
	}))
	hold := func(subject, shown string, lines int) {
		figure, err := strconv.Atoi(strings.ReplaceAll(shown, ",", ""))
		is.NoErr(err)
		if off := lines - figure; off*off > figure*figure/9 { // a third, so that not each change makes it false
			t.Errorf("%s: %d lines, and docs/accounts.md says about %d", subject, lines, figure)
		}
	}
	code := 0
	for i, row := range rows {
		hold(row[1], row[2], lines[i])
		code += lines[i]
	}
	ofTests := lines[len(rows)-1]
	compared := comparedRow.FindAllStringSubmatch(string(text), -1)
	is.Equal(len(compared), 2)
	hold(compared[0][1], compared[0][2], code-ofTests)
	hold(compared[1][1], compared[1][2], ofTests)
	for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
		if !tests[m[1]] {
			t.Errorf("there is no %s", m[1])
		}
	}
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// TestFiguresOfAccounts: what the document says of times and numbers is what the code says.
func TestFiguresOfAccounts(t *testing.T) {
	is := is.New(t)
	text, err := os.ReadFile("accounts.md")
	is.NoErr(err)
	for _, tt := range []struct{ shown, file, code string }{
		{"| session | 90 days from the sign-in, and 14 days from the last request |", "session.go", "sessionLife = 90 * 24 * time.Hour"},
		{"| session | 90 days from the sign-in, and 14 days from the last request |", "session.go", "sessionIdle = 14 * 24 * time.Hour"},
		{"| recent sign-in | 15 minutes ", "session.go", "recent = 15 * time.Minute"},
		{"| link for signing up | 24 hours |", "token.go", "ForSignUp: 24 * time.Hour"},
		{"| link for signing in | 15 minutes |", "token.go", "ForSignIn: 15 * time.Minute"},
		{"| link for a new password | 1 hour |", "token.go", "ForReset:  time.Hour"},
		{"| link for another address | 24 hours |", "token.go", "ForEmail:  24 * time.Hour"},
		{"| challenge of a passkey | 5 minutes |", "token.go", "forPasskey:    5 * time.Minute"},
		{"| limit by client: signing in | 50 in 15 minutes |", "limit.go", `"sign-in from ", 50, 15 * time.Minute`},
		{"| limit by account: signing in | 10 in 15 minutes |", "limit.go", `"sign-in as ", 10, 15 * time.Minute`},
		{"| limit by client: mails | 20 in an hour |", "limit.go", `"mail from ", 20, time.Hour`},
		{"| limit by mailbox: mails | 5 in 15 minutes |", "limit.go", `"mail to ", 5, 15 * time.Minute`},
		{"| mail | 11 tries in a day and a half |", "mail.go", "mailTries   = 11"},
		{"| event | 1 year |", "sweep.go", "eventLife = 365 * 24 * time.Hour"},
		{"12 characters to 1,024 bytes", "password.go", "shortest, longest = 12, 1024"},
		{"19 MiB and two passes", "password.go", "memory: 19 * 1024, time: 2"},
		{"With two processors, two are hashed, 98 more wait", "password.go", "50*slots"},
	} {
		code, err := os.ReadFile(inRepository("cmd/flow/internal/scaffold/_template/accounts/accounts/" + tt.file))
		is.NoErr(err)
		if !bytes.Contains(text, []byte(tt.shown)) || !bytes.Contains(code, []byte(tt.code)) {
			t.Errorf("the document says %q, and %s has %q: not both are so any more", tt.shown, tt.file, tt.code)
		}
	}
}
