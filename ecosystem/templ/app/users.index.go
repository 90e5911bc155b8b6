package app

import "example.com/flow"

func init() { flow.GET().Name("users").Do(listUsers) }

type user struct {
	ID   int
	Name string
}

// users stands for a database.
var users = []user{{7, "Ada"}, {8, "<Bob>"}}

func listUsers(req *flow.Request) (flow.Response, error) { return render(req, usersPage(users)) }
