// Command newapp serves the site: "go run . help" tells its commands and flags.
package main

import (
	"example.com/flow"
	"example.com/newapp/app"
)

func main() { flow.Main(app.Router) }
