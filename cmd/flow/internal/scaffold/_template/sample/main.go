// Command newapp serves the application: "go run . help" tells its commands and flags.
package main

import (
	"example.com/flow"
	"example.com/newapp/app"
)

func main() { flow.Main(app.New(&app.App{})) }
