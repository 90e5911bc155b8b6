// Package generated is the page with data of package rows, as generators of Go code have it:
// page.templ for templ, page.qtpl for quicktemplate. What they make of it is committed;
// "go generate" makes it anew.
package generated

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.977 generate
//go:generate go run github.com/valyala/quicktemplate/qtc@v1.8.0 -file=page.qtpl
//go:generate gofmt -w page.qtpl.go

// A List is what the page shows.
type List struct {
	Title string
	Users []User
}

// A User is a row of it.
type User struct {
	ID          int
	Name, Email string
}
