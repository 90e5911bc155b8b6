package app

import "example.com/flow"

func init() {
	flow.ANY().Name("api.echo").Do(echo)
	// ANY answers all methods but those that the file registers by name.
	flow.PATCH().Name("api.echo").Do(echoText)
}

// An echoed is the method and the data of a request.
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
