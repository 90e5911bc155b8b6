// Command newapp serves the application: "go run . help" tells its commands and flags.
package main

import (
	"context"
	"os"

	"example.com/flow"
	"example.com/newapp/app"
)

func main() { os.Exit(flow.Run(context.Background(), build)) }

// build returns the Router. It connects with nothing yet: check and routes need no database.
func build(context.Context) (*flow.Router, error) {
	r := app.New(&app.App{})
	return r, addAccounts(r)
}
