package site

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site/httpfile"
	"example.com/flow/internal/site/reach"
)

// A File is a route file that may have example requests.
type File struct {
	*httpfile.File
	Tree   *routetree.Route
	Prefix string                            // that the paths of the requests leave out
	Open   func(name string) ([]byte, error) // returns the content of a file that a body names
}

// An Example is a request of a route file, with the pattern of what may answer it.
type Example struct {
	*httpfile.Request
	Pattern *pattern.Pattern
}

// ReadFile returns the file of a route of a tree as it is in files, with its faults. Its File is nil if the
// route is a page, and if there is no such file, as in development.
func ReadFile(t *routetree.Tree, files fs.FS, r *routetree.Route) (f File, faults []fault.Fault) {
	if r.Page {
		return f, nil
	}
	text, err := fs.ReadFile(files, r.InTree())
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, []fault.Fault{fault.In(r.File, "cannot be read: %v", err)}
	}
	f.Tree = r
	f.File, faults = httpfile.Parse(r.File, text)
	f.Prefix = prefixOf(f.File, t.Prefix)
	inTree := func(name string) string { return path.Join(path.Dir(r.InTree()), name) }
	f.Open = func(name string) ([]byte, error) { return fs.ReadFile(files, inTree(name)) }
	for _, req := range f.Requests {
		for _, l := range req.Body {
			if l.File == "" {
				continue
			}
			name := inTree(l.File)
			if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() {
				faults = append(faults, fault.InLine(r.File, l.Text.Line, "there is no file %s", name))
			}
		}
	}
	return f, faults
}

// prefixOf returns what the paths of the requests of a file leave out, for a Router that is mounted below
// segments: nothing if one of them is below these, and otherwise their URL.
func prefixOf(f *httpfile.File, below []pattern.Segment) string {
	if len(below) == 0 {
		return ""
	}
	prefix := URL(pattern.New(below))
	of := strings.Split(prefix, "/")
	for _, r := range f.Requests {
		asked, _ := r.Path(pattern.Hole)
		segments := strings.Split(asked, "/")
		if len(segments) >= len(of) && !slices.ContainsFunc(of, func(seg string) bool {
			is := segments[0]
			segments = segments[1:]
			return seg != pattern.Hole && seg != is
		}) {
			return ""
		}
	}
	return prefix
}

// Example returns what may answer a request of the file, with its path, for some values of its holes. ok
// is false if the path has a broken escape, or if only an answer says where the request goes. A hole
// stands for several segments only if nothing matches otherwise.
func (m *Map) Example(f File, r *httpfile.Request) (found []Match, path []reach.HoledSegment, ok bool) {
	asked, ok := r.Path(pattern.Hole)
	path, _, isPath := reach.ParsePath(f.Prefix + asked)
	if !ok || !isPath {
		return nil, path, false
	}
	if found = m.possible(r.Method, path, false); len(found) == 0 {
		found = m.possible(r.Method, path, true)
	}
	return found, path, true
}

// ExamplesOf returns the requests in a file that its route for a method answers.
func (m *Map) ExamplesOf(f File, method string) (own []Example) {
	for _, r := range f.Requests {
		if r.Method != method {
			continue
		}
		found, _, _ := m.Example(f, r)
		if answer := AnswerOf(found, f.Tree); answer != nil {
			own = append(own, Example{r, answer.Pattern})
		}
	}
	return own
}

// AnswerOf returns the route in a file that answers the method of a request, or nil.
func AnswerOf(found []Match, file *routetree.Route) *Route {
	for _, m := range found {
		if m.Answer != nil && m.Answer.Tree == file {
			return m.Answer
		}
	}
	return nil
}
