package reply

import (
	"errors"
	"fmt"
)

// SafeError returns err, or an error in its place if a method of err panics. That happens if
// err is a nil pointer in the interface, or wraps one.
func SafeError(err error) (safe error) {
	defer func() {
		if v := recover(); v != nil {
			safe = fmt.Errorf("flow: an error cannot be read, since a %T panics: %v", err, v)
		}
	}()
	errors.As(err, new(interface{ nothing() })) // calls the Unwrap and As methods of all wrapped errors
	_ = err.Error()
	return err
}
