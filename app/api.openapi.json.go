package app

import (
	"example.com/flow"
	"example.com/flow/openapi"
)

// api describes what is below router/api/. The rest is in the types of the handlers and in the
// .http files.
var api = openapi.API{Version: "1.0"}

func init() { flow.GET().Do(api.JSON()) }
