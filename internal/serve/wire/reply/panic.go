package reply

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// A PanicError is the error for a panic of a handler, a guard or middleware.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error, for errors.As in OnError.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recovered returns the error for a recovered panic. It panics again with
// http.ErrAbortHandler, with which a handler asks the server to abort the connection.
func Recovered(v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	return &PanicError{v, debug.Stack()}
}
