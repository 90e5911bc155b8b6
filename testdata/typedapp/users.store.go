package typedapp

import "example.com/flow"

func init() {
	flow.POST().Do(func(_ *flow.Request, in flow.Form[user]) (flow.Response, error) {
		if in.Wrong != nil {
			return usersPage(usersData{Form: in}).Status(422), nil
		}
		return row(in.Value), nil
	})
}
