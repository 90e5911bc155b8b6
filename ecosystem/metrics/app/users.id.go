package app

import "example.com/flow"

func init() { flow.GET().Do(showUser) }

type userRef struct {
	ID int `param:"id"`
}

func showUser(_ *flow.Request, in userRef) (userRef, error) {
	if in.ID == 0 {
		return in, flow.Error(404, "there is no such user")
	}
	return in, nil
}
