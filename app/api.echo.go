package app

import "example.com/flow"

func init() {
	flow.ANY().Name("api.echo").Do(echo)
	// A method that the file registers itself does not reach ANY.
	flow.PATCH().Name("api.echo").Do(echoText)
}

// An echoed request is what the client sent, as the handler sees it.
type echoed struct {
	Method string    `json:"method"`
	Data   flow.Data `json:"data"`
}

func echo(req *flow.Request) flow.Response {
	return flow.JSON(echoed{req.Method, req.All()})
}

func echoText(req *flow.Request) string {
	return req.Method + " " + req.Input("name") + "\n"
}
