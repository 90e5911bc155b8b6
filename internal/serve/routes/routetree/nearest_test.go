package routetree

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// TestNearest: routes and URLs find the same directories, from the inside out.
func TestNearest(t *testing.T) {
	tree := Parse(flowtest.Row("index.html & api/users/[id].http & api/v2/x.http & (site)/shop/a.html & shop/b.html & [org]/api/x.http & api.html"), nil)
	n := NewNearest(tree, map[string]string{"": "root", "api": "api", "api/users": "users", "(site)": "site", "(site)/shop": "(shop)", "[org]/api": "org", "api/users/[id]": "user"})
	for _, tt := range []struct{ file, url, want string }{
		{"index", "", "root"},
		{"api/users/[id]", "", "user users api root"},
		{"api/v2/x", "", "api root"},
		{"api", "", "api root"}, // the file beside the directory
		{"(site)/shop/a", "", "(shop) site root"},
		{"shop/b", "", "root"},
		{"[org]/api/x", "", "org root"},
		{"", "/", "root"},
		{"", "/none", "root"},
		{"", "/api/none", "api root"},
		{"", "/api/users/7/none", "users api root"},
		{"", "/api/v2/none/x", "api root"},
		{"", "/shop/none", "(shop) site root"}, // of the two directories, the one that has something
		{"", "/acme/api/none", "root"},
	} {
		t.Run(tt.file+tt.url, func(t *testing.T) {
			is := is.New(t)
			var route *Route
			for _, r := range tree.Routes {
				if r.Path == tt.file {
					route = r
				}
			}
			is.Equal(route != nil, tt.file != "")
			is.Equal(strings.Join(n.Around(route, strings.Split(strings.Trim(tt.url, "/"), "/")), " "), tt.want)
		})
	}
	is := is.New(t)
	is.Equal(len(n.Around(nil, []string{"api/users"})), 1) // an escaped slash is in no name
	is.Equal(NewNearest(tree, map[string]string{}).Around(nil, []string{"api"}), nil)
}

func TestDirectoriesThatAreMeant(t *testing.T) {
	tree := Parse(flowtest.Row("admin.html & (g)/admin/users.html & admin/(all)/x.html & blog/index.html & (g)/y/(h)/z.html"), nil)
	for _, tt := range []struct{ written, want string }{
		{"", ""},
		{"admin", "(g)/admin admin"},
		{"(g)/admin", "(g)/admin"},
		{"admin/(all)", "admin/(all)"},
		{"blog", "blog"},
		{"y", "(g)/y"},
		{"y/(h)", "(g)/y/(h)"},
		{"y/z", "(g)/y/(h)/z"}, // a file
		{"none", ""},
	} {
		t.Run(tt.written, func(t *testing.T) {
			is.New(t).Equal(strings.Join(tree.Meant(tt.written), " "), tt.want)
		})
	}
}
