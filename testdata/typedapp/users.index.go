package typedapp

import "example.com/flow"

type user struct {
	Name string `json:"name"`
}

func (u *user) Validate() error {
	if u.Name == "" {
		return flow.Invalid{"name": "is required"}
	}
	return nil
}

type usersData struct {
	Users []user
	Form  flow.Form[user]
}

var (
	usersPage = flow.PageOf[usersData]()
	counted   = flow.PageOf[usersData]("count")
	row       = flow.ViewOf[user]("users/+row")
)

func init() {
	flow.GET().Do(func(req *flow.Request) (flow.Response, error) {
		data := usersData{Users: []user{{"Ada"}}}
		switch req.Input("part") {
		case "list":
			return usersPage(data).Block("list"), nil
		case "count":
			return counted(data), nil
		case "row":
			return row(data.Users[0]).Header("X-Row", "1"), nil
		}
		if other, ok := others[req.Input("other")]; ok {
			return other(data), nil
		}
		return usersPage(data), nil
	})
}

// likeUsers is not declared, and has what the page shows.
type likeUsers usersData

// others answer without what PageOf and ViewOf returned.
var others = map[string]func(usersData) flow.Response{
	"same":                func(data usersData) flow.Response { return flow.Page(data) },
	"pointer":             func(data usersData) flow.Response { return flow.Page(&data) },
	"type":                func(data usersData) flow.Response { return flow.Page(likeUsers(data)) },
	"nil":                 func(usersData) flow.Response { return flow.Page(nil) },
	"block":               func(data usersData) flow.Response { return flow.Page(likeUsers(data)).Block("list") },
	"declared block":      func(data usersData) flow.Response { return flow.Page(data).Block("count") },
	"declared block type": func(data usersData) flow.Response { return flow.Page(likeUsers(data)).Block("count") },
	"view":                func(data usersData) flow.Response { return flow.View("users/+row", data.Users[0]) },
	"view type":           func(data usersData) flow.Response { return flow.View("users/+row", struct{ Name string }{"Ada"}) },
}
