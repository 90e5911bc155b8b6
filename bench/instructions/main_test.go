package main

import (
	"testing"

	"github.com/matryer/is"
)

// Each server answers as often as it is asked; they end with the test.
func TestServersAnswer(t *testing.T) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(ask(s, 3))
		})
	}
}
