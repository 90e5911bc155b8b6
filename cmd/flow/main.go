// Command flow is the tool for people who write applications with the router flow: "flow
// help" tells its commands.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/dev"
	"example.com/flow/cmd/flow/internal/move"
	"example.com/flow/cmd/flow/internal/scaffold"
	"example.com/flow/cmd/flow/internal/vet"
	"example.com/flow/internal/command"
)

// commands are the commands of the tool, in the order in which its help has them.
var commands = []cli.Command{scaffold.New, scaffold.Add, move.Command, vet.Command, dev.Command}

// main is also the tool of "go vet -vettool".
func main() { os.Exit(run()) }

func run() int {
	vet.AsTool(os.Args[1:])
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "flow:", err)
		return command.Failure
	}
	p := cli.Process{Dir: dir, Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	return cli.Run(context.Background(), p, commands, os.Args[1:])
}
