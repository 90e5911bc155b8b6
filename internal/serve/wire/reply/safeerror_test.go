package reply

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/matryer/is"
)

func TestSafeError(t *testing.T) {
	is := is.New(t)
	for _, err := range []error{errors.New("x"), fmt.Errorf("x: %w", fs.ErrNotExist), errors.Join(fs.ErrExist, errors.New("y"))} {
		is.Equal(SafeError(err), err)
	}
	var none *fs.PathError
	for _, err := range []error{none, fmt.Errorf("x: %w", none), errors.Join(errors.New("y"), none)} {
		safe := SafeError(err)
		is.Equal(safe.Error(), fmt.Sprintf("flow: an error cannot be read, since a %T panics: runtime error: invalid memory address or nil pointer dereference", err))
		is.Equal(errors.Unwrap(safe), nil)
	}
}
