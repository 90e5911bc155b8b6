package reply

import (
	"errors"
	"fmt"
)

// SafeError returns an error whose methods do not panic. The methods of one that is a nil
// pointer, or wraps one, may panic: in its place there is one that says so.
func SafeError(err error) (safe error) {
	defer func() {
		if v := recover(); v != nil {
			safe = fmt.Errorf("flow: an error cannot be read, since a %T panics: %v", err, v)
		}
	}()
	errors.As(err, new(interface{ nothing() })) // goes through all that it wraps
	_ = err.Error()
	return err
}
