package reply

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("x") }

// TestJSON: the buffers that are used again change no text that was returned.
func TestJSON(t *testing.T) {
	is := is.New(t)
	large := strings.Repeat("x", 2*maxBuffer)
	var texts []string
	for range 3 {
		for _, data := range []any{"a", []int{1}, large, "<b>"} {
			text, err := JSON(data)
			is.NoErr(err)
			texts = append(texts, text)
		}
		_, err := JSON([]any{"begun", make(chan int)})
		is.True(err != nil)
		func() {
			defer func() { is.Equal(recover(), "x") }()
			JSON([]any{"begun", panicking{}})
		}()
	}
	want := "\"a\"\n[1]\n\"" + large + "\"\n\"\\u003cb\\u003e\"\n"
	is.Equal(strings.Join(texts, ""), strings.Repeat(want, 3))
}
