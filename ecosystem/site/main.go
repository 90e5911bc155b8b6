// Command site serves the documentation of flow, as a site with a table of contents and a
// search:
//
//	go run .                # on http://localhost:8080
package main

import (
	"example.com/flow"
	"example.com/flow/ecosystem/site/app"
)

func main() { flow.Main(app.Router) }
