// Command flow is the tool for people who write applications with the router flow: "flow
// help" tells its commands.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/dev"
)

// commands are the commands of the tool, in the order in which its help has them.
var commands = []cli.Command{
	dev.Command,
}

func main() { os.Exit(run()) }

func run() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "flow:", err)
		return cli.Failure
	}
	p := cli.Process{Dir: dir, Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	return cli.Run(context.Background(), p, commands, os.Args[1:])
}
