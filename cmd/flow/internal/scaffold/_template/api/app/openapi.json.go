package app

import (
	"example.com/flow"
	"example.com/flow/openapi"
)

// api is described by the types of the handlers, by Validate of their inputs, and by the .http
// files.
var api = openapi.API{}

func init() { flow.GET().Do(api.JSON()) }
