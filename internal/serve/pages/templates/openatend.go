package templates

import (
	"strings"
	"unicode"

	"example.com/flow/internal/fault"
)

// openAtEnd returns a fault for each action of a template that has no {{end}}. It takes the
// place of the parser's "unexpected EOF", which gives the last line of the file. The parser
// has found no other error in the text.
func openAtEnd(file, text string) (faults []fault.Fault) {
	type action struct {
		line int
		text string
	}
	var open []action
	line := 1
	for {
		before, rest, found := strings.Cut(text, "{{")
		if line += strings.Count(before, "\n"); !found {
			break
		}
		n := actionLen(rest)
		inside := strings.TrimSpace(strings.TrimPrefix(rest[:n], "-"))
		word := inside
		if i := strings.IndexFunc(inside, func(c rune) bool { return !unicode.IsLetter(c) }); i >= 0 {
			word = inside[:i]
		}
		switch word {
		case "if", "range", "with", "define", "block":
			open = append(open, action{line, strings.TrimSpace(strings.TrimSuffix(inside, "-"))})
		case "end":
			open = open[:max(0, len(open)-1)]
		}
		line += strings.Count(rest[:n], "\n")
		text = rest[n:]
	}
	for _, a := range open {
		faults = append(faults, fault.InLine(file, a.line, "unexpected EOF: {{%s}} has no {{end}}", strings.Join(strings.Fields(a.text), " ")))
	}
	return faults
}

// actionLen returns the length of the action that text begins with, up to its "}}". It skips
// braces in strings and comments.
func actionLen(text string) int {
	if i := strings.Index(text, "/*"); i >= 0 && strings.Trim(text[:i], "- \t\r\n") == "" {
		return i + max(0, strings.Index(text[i:], "*/"))
	}
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == 0 && strings.HasPrefix(text[i:], "}}"):
			return i
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && quote != '`' && quote != 0:
			i++
		}
	}
	return len(text)
}
