package callgrind

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestCount(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("there is no valgrind")
	}
	is := is.New(t)
	const pieces = "example.com/flow/bench/callgrind/testdata/pieces"
	printed, counts, err := Count(pieces)
	is.NoErr(err)
	is.Equal(string(printed), "1000\n2000\n")
	is.Equal(len(counts), 2)
	// A few instructions for each addition, and nothing of what is done between the pieces.
	more := counts[1] - counts[0]
	is.True(more >= 2000 && more < 20_000)
	is.True(counts[0] < 2*more)

	_, _, err = Count(pieces, "one")
	is.True(err != nil && strings.Contains(err.Error(), "no arguments, please"))
	_, _, err = Count(pieces + "/missing")
	is.True(err != nil && strings.Contains(err.Error(), "go build "))
}
