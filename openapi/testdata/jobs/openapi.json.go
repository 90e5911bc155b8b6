package jobs

import (
	"example.com/flow"
	"example.com/flow/openapi"
)

func init() { flow.GET().Do(openapi.API{Version: "1"}.JSON()) }
