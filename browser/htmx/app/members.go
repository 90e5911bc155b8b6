package app

import "example.com/flow"

func init() { flow.In("(members)").Use(membersOnly) }

func membersOnly(req *flow.Request) (flow.Response, error) {
	if req.IsAuthenticated() {
		return flow.Next().Header("Cache-Control", "no-store"), nil
	}
	login, err := req.Route("login")
	if req.Header.Get("HX-Request") == "true" {
		return flow.Fail(401, "sign in first").Header("HX-Redirect", login), err
	}
	return flow.Redirect(login), err
}

// authenticate stands for the one of "Signing in".
func authenticate(*flow.Request) (any, error) { return nil, nil }
