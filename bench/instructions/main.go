// Command instructions counts the instructions that one request over a connection that is
// kept costs in user space, with its client in the same process:
//
//	go run ./instructions
//
// It needs valgrind. What it prints is exact to a few units, however busy the machine is,
// but the kernel is not counted.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/rows"
)

const row = "serve/kept"

func main() {
	log.SetFlags(0)
	var err error
	if len(os.Args) > 1 && os.Args[1] == "pieces" {
		err = rows.Named(row).Build().PrintPieces(row, func(string) bool { return true }, os.Stdout)
	} else {
		err = count(os.Stdout)
	}
	if err != nil {
		log.Fatal("instructions: ", err)
	}
}

// count prints what a request costs with each server.
func count(out io.Writer) error {
	results, err := measure.CountPieces("example.com/flow/bench/instructions", "pieces")
	if err != nil {
		return err
	}
	for _, f := range results[row].Figures {
		fmt.Fprintf(out, "%-46s %7.0f\n", f.Name, f.Min())
	}
	return nil
}
