package routemap

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/flow/internal/site/reach"
)

// Sentence returns the end of a sentence that says how the request is answered: "is answered
// with 404".
func (e Explanation) Sentence() string {
	switch e.Outcome {
	case Redirected:
		return "is redirected to " + e.Location + ", with 308"
	case NotAllowed:
		return "is answered with 405, Allow: " + strings.Join(e.Allow, ", ")
	case Options:
		return "is answered with 204, Allow: " + strings.Join(e.Allow, ", ")
	case NotFound:
		return "is answered with 404"
	}
	return "is answered by " + e.Answer.File
}

// Reason returns a sentence that says why no file answers. It returns "" if a file answers.
func (e Explanation) Reason() string {
	switch e.Outcome {
	case Redirected:
		if e.Answer != nil {
			return "What is mounted there has the URLs below its prefix, and was given it with a slash at the end."
		}
		return "A URL has one spelling, and this is another one of it."
	case NotAllowed:
		return "Files match the path, and none of them has " + e.Method + "."
	case Options:
		return "No file that matches the path has a handler for OPTIONS, so flow answers what the others allow."
	case NotFound:
		switch {
		case e.has(reach.Ambiguous):
			return "What is mounted there could read the path as another one, and it has no plain spelling that is answered."
		case e.Owner != "":
			return "The path belongs to " + e.Owner + ", and nothing in that matches."
		case e.has(reach.Refused):
			return "Files have such URLs, but their matchers do not take these values."
		}
		return "No file has such a URL."
	}
	return ""
}

// has reports whether the verdict on a candidate is v.
func (e Explanation) has(v reach.Verdict) bool {
	return slices.ContainsFunc(e.Candidates, func(c Candidate) bool { return c.verdict == v })
}

// Print prints the explanation as text.
func (e Explanation) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s %s\n%s\n", e.Method, e.Path, e.Sentence())
	if reason := e.Reason(); reason != "" {
		fmt.Fprintln(t, reason)
	}
	if a := e.Answer; a != nil && e.Outcome == Answered {
		fmt.Fprintln(t)
		for _, line := range a.Facts() {
			fmt.Fprintf(t, "  %s\t%s\n", line.Name, line.Value)
		}
		for _, v := range e.Values {
			fmt.Fprintf(t, "  {%s}\t%q\n", v.Name, v.Value)
		}
		fmt.Fprintf(t, "\n%s\n", e.AboutBefore())
		if len(e.Before) > 0 {
			fmt.Fprintln(t)
		}
		for i, m := range e.Before {
			fmt.Fprintf(t, "  %d. %s\t%s of %s\t%s\n", i+1, m.Name, m.Kind(), m.By, m.At)
		}
	}
	if len(e.Candidates) > 0 {
		fmt.Fprint(t, "\nThese match the path, the most specific first:\n\n")
	}
	for _, c := range e.Candidates {
		mark := " "
		if c.Answers {
			mark = ">"
		}
		fmt.Fprintf(t, "%s %s\t%s\t%s\t%s\n", mark, c.File, c.Pattern, strings.Join(c.Methods, ", "), c.Why)
	}
	return t.Flush()
}

// AboutBefore returns the sentence that introduces Before.
func (e Explanation) AboutBefore() string {
	switch {
	case e.Before == nil:
		return "Guards and middleware are not listed: the program has called Check before the command."
	case len(e.Before) == 0:
		return "No guard and no middleware runs before it."
	}
	return "Before it these run, in this order, and may answer in its place:"
}

// Facts returns the facts about an endpoint, other than its file, with their names.
func (p Endpoint) Facts() []Value {
	facts := []Value{{"URL", p.Pattern}}
	if p.Route.Tree != nil {
		facts = append(facts, Value{"name", cmp.Or(p.Name, "none, since two files share it")}, Value{"handler", cmp.Or(p.Handler, "none: the page is shown as it is")})
	}
	if p.Inside != "" {
		facts = append(facts, Value{"inside", p.Inside})
	}
	return facts
}
