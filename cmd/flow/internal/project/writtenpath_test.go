package project

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

func TestWithGroups(t *testing.T) {
	const staff = "(staff)/staff/index.html (staff)/staff/[id=int].html"
	for _, tt := range []struct{ files, written, want string }{
		{staff, "staff/reports", "(staff)/staff/reports"},
		{staff, "staff/reports/[id]/edit", "(staff)/staff/reports/[id]/edit"},
		{staff, "staff/+row", "(staff)/staff/+row"},
		{staff, "staff/store", "(staff)/staff/store"},
		{staff, "staff", "(staff)/staff"},
		{staff, "staff/[id]/edit", "(staff)/staff/[id=int]/edit"},
		{staff, "staff/[id]", "(staff)/staff/[id]"}, // another file
		{staff, "staffing", "staffing"},
		{staff, "reports/staff", "reports/staff"},
		{staff, "(x)/staff/reports", "(x)/staff/reports"},
		{staff, "index", "index"},
		{staff, "+nav", "+nav"},
		{"about.html", "staff/reports", "staff/reports"},
		{"(staff)/staff.html", "staff/reports", "(staff)/staff/reports"}, // a file is a directory, too
		{"(staff)/staff.html", "staff/reports/x", "(staff)/staff/reports/x"},
		{"(staff)/staff/+layout.html", "staff/reports", "(staff)/staff/reports"}, // without a route
		{"users/index.html users/(all)/list.html", "users/x", "users/x"},
		{"users/(all)/list.html", "users/x", "users/x"},
		{"(a)/users/(all)/list.html", "users/x", "(a)/users/x"},
		{"(a)/(b)/users/[id].html (a)/(b)/users/[id]/edit.html", "users/[id]/show", "(a)/(b)/users/[id]/show"},
		{"(a)/x/index.html (b)/y/index.html", "x/y", "(a)/x/y"},
		{"users/index.html (a)/users/[id].html", "users/x", `users/x may be in several directories: write "(a)/users/x" or ./users/x`},
		{"(b)/users/index.html (a)/users/[id].html (c)/users/+row.html", "users/+x", `users/+x may be in several directories: write "(a)/users/+x", "(b)/users/+x" or "(c)/users/+x"`},
		{"users/index.html (a)/users/[id]/x.html", "users/[id]/edit", "(a)/users/[id]/edit"}, // the nearest one counts
	} {
		t.Run(tt.written+" beside "+tt.files, func(t *testing.T) {
			is := is.New(t)
			var names []string
			for _, name := range strings.Fields(tt.files) {
				names = append(names, "router/"+name)
			}
			tree := routetree.Parse(flowtest.Files(names...), nil)
			got, err := WithGroups(tree, tt.written)
			if err != nil {
				got = err.Error()
			}
			is.Equal(got, tt.want)
			if err == nil && strings.Contains(got, "(") {
				again, err := WithGroups(tree, got)
				is.NoErr(err)
				is.Equal(again, got)
			}
		})
	}
}
