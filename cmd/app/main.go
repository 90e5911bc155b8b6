// Command app is the sample application of flow: "app help" tells what it can do.
//
// APP_SECRET signs the session cookies. Without it a random one does, and everyone is
// signed out when the program stops.
package main

import (
	"os"

	"example.com/flow"
	"example.com/flow/app"
)

func main() { flow.Main(app.New(&app.App{Secret: []byte(os.Getenv("APP_SECRET"))})) }
