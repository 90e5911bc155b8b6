// Package reports counts the users by the domain of their mail. Its handlers are methods
// of a controller, to which the application sends requests with To.
package reports

import (
	"cmp"
	"slices"
	"strings"

	"example.com/flow"
	"example.com/flow/app/users"
)

// A Controller has the handlers of the reports.
type Controller struct {
	Users *users.Store
}

// Show returns the data of the report's page.
func (c Controller) Show(*flow.Request) (page, error) {
	list := c.Users.List()
	return page{domains(list), len(list)}, nil
}

// JSON returns the report, which is answered as JSON.
func (c Controller) JSON(*flow.Request) ([]Domain, error) {
	return domains(c.Users.List()), nil
}

// A page is what the page of the report shows.
type page struct {
	Domains []Domain
	Users   int
}

// A Domain says how many users have their mail there.
type Domain struct {
	Name  string `json:"name"`
	Users int    `json:"users"`
}

// domains counts users by the domain of their email address, the largest first.
func domains(list []users.User) []Domain {
	counts := map[string]int{}
	for _, u := range list {
		_, domain, _ := strings.Cut(u.Email, "@")
		counts[strings.ToLower(domain)]++
	}
	all := make([]Domain, 0, len(counts)) // not nil, which would be null in JSON
	for name, n := range counts {
		all = append(all, Domain{name, n})
	}
	slices.SortFunc(all, func(a, b Domain) int {
		return cmp.Or(cmp.Compare(b.Users, a.Users), cmp.Compare(a.Name, b.Name))
	})
	return all
}
