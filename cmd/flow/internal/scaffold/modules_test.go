package scaffold

import (
	"testing"

	"github.com/matryer/is"
)

func TestWithSums(t *testing.T) {
	is := is.New(t)
	// The order of the go command: by path, then by version as a number, then go.mod.
	const want = "example.com/a v1.9.0 h1:x=\nexample.com/a v1.9.0/go.mod h1:y=\nexample.com/a v1.10.0/go.mod h1:z=\nexample.com/a-b v1.0.0 h1:x=\nexample.com/a/b v1.0.0 h1:x=\n"
	is.Equal(string(withSums([]byte("example.com/a v1.10.0/go.mod h1:z=\nexample.com/a-b v1.0.0 h1:x=\nexample.com/a v1.9.0 h1:x=\n"),
		[]byte("example.com/a/b v1.0.0 h1:x=\nexample.com/a v1.9.0/go.mod h1:y=\nexample.com/a v1.9.0 h1:x=\n\n"))), want)
	is.Equal(string(withSums([]byte(want), nil)), want)
}
