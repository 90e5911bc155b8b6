// Command pieces has two pieces of work, of 1,000 and of 2,000 additions.
package main

import (
	"fmt"
	"os"

	"example.com/flow/bench/callgrind"
)

var sum int

//go:noinline
func add(n int) {
	for i := range n {
		sum += i
	}
}

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "no arguments, please")
		os.Exit(1)
	}
	add(5000)
	for _, n := range []int{1000, 2000} {
		fmt.Println(n)
		callgrind.Mark()
		add(n)
		callgrind.Mark()
		add(7000)
	}
}
