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
		return usersPage(data), nil
	})
}
