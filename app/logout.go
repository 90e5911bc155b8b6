package app

import "example.com/flow"

func init() { flow.POST().Do(logout) }

func logout(req *flow.Request) flow.Response {
	return flow.Redirect("/").Cookie(endSession(req))
}
