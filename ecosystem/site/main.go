// Command site serves the documentation of flow, as a site with a tree, a trail and a search. It can
// also write the site as files:
//
//	go run .                # on http://localhost:8080
//	go run . export DIR     # for a server of files
//
// The documents are those of the binary. Development, with -dev, does not know them, since they do
// not stand below app/.
package main

import (
	"example.com/flow"
	"example.com/flow/ecosystem/site/app"
	_ "example.com/flow/export" // the command export
)

func main() { flow.Main(app.Router) }
