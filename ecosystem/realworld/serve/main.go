// Serve serves the application, for clients that send the files of its suite.
package main

import (
	"example.com/flow"
	"example.com/flow/ecosystem/realworld"
)

func main() { flow.Main(realworld.New(&realworld.App{})) }
