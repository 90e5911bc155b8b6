package app

import "example.com/flow"

func init() {
	flow.POST().Name("logout").Do(func(req *flow.Request) (flow.Response, error) {
		return flow.RedirectTo("login"), sessions.Destroy(req.Context())
	})
}
