package flow

import (
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/routetree"
)

// New returns a Router for a tree of files. It contains a directory router/ and, if there
// are public files, a directory public/. Applications can share layouts and other files whose
// names begin with +: New takes those that files does not have from the first of the shared
// trees that has them. New does not fail; Check reports what is wrong.
//
// The Router also gets the registrations of static calls (GET, With, Use and so on) in the
// directory of the file that calls New, unless that is a test file.
func New(files fs.FS, shared ...fs.FS) *Router {
	shared = slices.Clone(shared)
	for i, f := range shared {
		shared[i] = orNil(f)
	}
	r, dir := &Router{}, ""
	if pos := fault.Caller(0); !strings.HasSuffix(pos.File, "_test.go") {
		r.app = applicationOf(pos)
		r.app.routers.Add(1)
		dir = r.app.shown()
	}
	r.tree = &routetree.Tree{Dir: dir, Files: orNil(files), Shared: shared}
	r.CrossOrigin.SetDenyHandler(http.HandlerFunc(r.denyOrigin))
	return r
}

// parse returns the tree of the Router, below the prefix that it is mounted at, and the faults of
// its formats, whose extensions decide which files are pages.
func (r *Router) parse() (*routetree.Tree, []fault.Fault) {
	formats, faults := templates.Extensions(r.formats())
	return routetree.ParseIn(r.tree.Dir, r.tree.Files, r.tree.Shared, formats).Below(r.prefix()), faults
}

// orNil returns files, or a nil interface if files is a nil pointer in an interface.
func orNil(files fs.FS) fs.FS {
	if forms.IsNil(files) {
		return nil
	}
	return files
}
