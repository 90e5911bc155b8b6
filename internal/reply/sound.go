package reply

import (
	"errors"
	"fmt"
)

// Sound returns an error that can be asked what it is. The methods of one that is a nil
// pointer, or wraps one, may panic: in its place there is one that says so.
func Sound(err error) (sound error) {
	defer func() {
		if v := recover(); v != nil {
			sound = fmt.Errorf("flow: an error cannot be read, since a %T panics: %v", err, v)
		}
	}()
	errors.As(err, new(interface{ nothing() })) // goes through all that it wraps
	_ = err.Error()
	return err
}
