package move

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/project"
)

// NEW goes to the directory that is meant, in its groups, as OLD is found in them.
func TestReadTransfer(t *testing.T) {
	const tree = "index.html about.html (staff)/staff/index.html (staff)/staff/[id].html (team)/projects/index.html (team)/projects/(all)/new.html (team)/boards/x.html users/index.html (a)/users/[id].html shop/[id].html shop/[id]/edit.html"
	for _, tt := range []struct{ from, to, want string }{
		{"about", "staff/about", "about.html (staff)/staff/about.html"},
		{"about", "staff/", "about.html (staff)/staff/about.html"},
		{"about", "staff", "about.html (staff)/staff/about.html"},
		{"about", "staff/help/us", "about.html (staff)/staff/help/us.html"},
		{"about", "./staff/about", "about.html staff/about.html"},
		{"about", "./staff/", "about.html staff/about.html"},
		{"about", "app/router/staff/about", "about.html staff/about.html"},
		{"about", "(x)/staff/about", "about.html (x)/staff/about.html"},
		{"about", "us", "about.html us.html"},
		{"about", "about/us", "about.html about/us.html"},
		{"about", "users/about", `users/about may be in several directories: write "(a)/users/about" or ./users/about`},
		{"about", "./users/about", "about.html users/about.html"},
		{"staff/[id]", "staff/[user]", "(staff)/staff/[id].html (staff)/staff/[user].html"},
		{"staff/[id]", "projects/[id]", "(staff)/staff/[id].html (team)/projects/[id].html"}, // which loses a guard, if there is one
		{"staff", "crew", "(staff)/staff (staff)/crew"},
		{"staff", "projects", "(staff)/staff (team)/projects/staff"},
		{"projects/new", "projects/add", "(team)/projects/(all)/new.html (team)/projects/(all)/add.html"},
		{"projects/new", "boards/new", "(team)/projects/(all)/new.html (team)/boards/new.html"},
		{"projects/new", "lists/new", "(team)/projects/(all)/new.html (team)/lists/new.html"},
		{"(staff)/staff", "staff", "(staff)/staff staff"}, // out of the group that OLD names
		{"(staff)/staff/[id]", "projects/", "(staff)/staff/[id].html projects/[id].html"},
		{"shop/[id]/", "shop/[item]/", "shop/[id] shop/[item]"}, // as with mv, this is no directory that takes it in
		{"shop/[id]/", "shop/[item]", "shop/[id] shop/[item]"},
		{"shop/[id]/", "staff/", "shop/[id] (staff)/staff/[id]"},
		{"shop/[id]/", "staff/[item]/", "shop/[id] (staff)/staff/[item]"},
		{"shop/[id].html", "shop/[item]/", "shop/[id].html shop/[item]/[id].html"},
		{"shop/[id]", "shop/[item]", `shop/[id] may be the directory or the file app/router/shop/[id].html: write "shop/[id]/" "shop/[item]" or "shop/[id].html" "shop/[item]"`},
		{"users/index", "users/all", `users/all may be in several directories: write "(a)/users/all" or ./users/all`},
	} {
		t.Run(tt.from+" "+tt.to, func(t *testing.T) {
			is := is.New(t)
			dir, err := filepath.EvalSymlinks(t.TempDir())
			is.NoErr(err)
			t.Chdir(dir)
			for _, name := range strings.Fields(tree) {
				write(t, dir, "app/router/"+name, "")
			}
			app := project.App{Module: project.Module{Dir: dir}, Dir: filepath.Join(dir, "app")}
			l, err := list(app.Dir)
			is.NoErr(err)
			got, err := readTransfer(app, app.Tree(), l, dir, tt.from, tt.to)
			if err != nil {
				is.Equal(err.Error(), tt.want)
				return
			}
			is.Equal(strings.TrimPrefix(got.from, "router/")+" "+strings.TrimPrefix(got.to, "router/"), tt.want)
		})
	}
}
