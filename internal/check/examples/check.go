package examples

import (
	"fmt"
	"io/fs"
	"net/http"
	"slices"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
	"example.com/flow/internal/site/reach"
)

// Check returns the faults of the examples in files, which has the route files of a tree. routes are those
// of the outermost Router; they are nil if they are not known, because of other faults.
func Check(tree *routetree.Tree, files fs.FS, routes *site.Map) (faults []fault.Fault) {
	var types Types
	for _, of := range tree.Routes {
		f, wrong := site.ReadFile(tree, files, of)
		faults = append(faults, wrong...)
		if f.File == nil || routes == nil {
			continue
		}
		for _, r := range f.Requests {
			if r.Method == "" || r.Absolute { // where it goes, only the test knows
				continue
			}
			found, path, ok := routes.Example(f, r)
			if !ok {
				faults = append(faults, fault.InLine(f.Name, r.Line, "%s: the path has an escape that is not UTF-8 or malformed", r))
				continue
			}
			answer := site.AnswerOf(found, of)
			if answer == nil {
				if text := misplaced(r, found, path, of, routes); text != "" {
					faults = append(faults, fault.InLine(f.Name, r.Line, "%s: %s", r, text))
					continue
				}
				answer = onlyAnswer(found)
			}
			if answer != nil {
				faults = append(faults, disagreements(f, r, answer.Shape, &types)...)
			}
		}
	}
	return faults
}

// onlyAnswer returns the route that answers an example, which is a step in the file of another route. It returns
// nil if that is a page, or if it depends on the values of holes.
func onlyAnswer(found []site.Match) (only *site.Route) {
	for _, m := range found {
		switch {
		case m.Answer == nil:
		case only != nil || m.Answer.IsPage():
			return nil
		default:
			only = m.Answer
		}
	}
	return only
}

// misplaced returns what is wrong with the URL and the method of an example in a file that does not answer
// it, or "".
func misplaced(r *httpfile.Request, found []site.Match, path []reach.HoledSegment, file *routetree.Route, routes *site.Map) string {
	var own bool          // a pattern of the file matches, with the method or without
	var other *site.Route // of another file, with the method
	for _, m := range found {
		if m.Answer != nil && other == nil {
			other = m.Answer
		}
		own = own || slices.ContainsFunc(m.Routes, func(r *site.Route) bool { return r.Tree == file })
	}
	switch {
	case r.Name != "" && (other != nil || len(found) > 0 && r.Method == http.MethodOptions):
		return ""
	case other != nil:
		return fmt.Sprintf("%s answers it: move the example there, or give it a # @name if it is a step for others", other.File)
	case own && (r.Method == http.MethodOptions || r.Status() == http.StatusMethodNotAllowed):
		return "" // flow answers it
	case own:
		return fmt.Sprintf("the file does not answer %s: register %[1]s()", r.Method)
	case len(found) == 0 && r.Status() == http.StatusNotFound && refused(file, path):
		return ""
	case len(found) > 0:
		return fmt.Sprintf("nothing answers it with this method: the URL is that of %s", found[0].Routes[0].File)
	}
	if near := routes.Nearest(r.Method, path); near != nil {
		return fmt.Sprintf("nothing answers it: did you mean %s?", near.Pattern)
	}
	if why := routes.Refusal(r.Method, path); why != "" {
		return "nothing answers it: " + why
	}
	return fmt.Sprintf("nothing answers it: the file has the URL %s", file.Longest())
}

// refused reports whether a pattern of a route would match a path, but for its matchers.
func refused(r *routetree.Route, path []reach.HoledSegment) bool {
	for _, p := range r.Patterns {
		n := len(p.Segments)
		if len(path) != n && !(p.HasRest() && len(path) > n) {
			continue
		}
		fits := true
		for i, seg := range p.Segments {
			fits = fits && (seg.Kind != pattern.Literal || slices.Equal(path[i], reach.HoledSegment{seg.Text}))
		}
		if fits {
			return true
		}
	}
	return false
}
