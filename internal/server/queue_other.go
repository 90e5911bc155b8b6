//go:build !unix

package server

import (
	"errors"
	"net"
	"time"
)

// acceptWaiting returns a connection that waits for a listener, or an error if there
// seems to be none. Systems other than Unix cannot be asked whether one waits, so it
// allows 50 milliseconds for one to come.
func acceptWaiting(l net.Listener) (net.Conn, error) {
	d, ok := l.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return nil, errors.ErrUnsupported
	}
	if err := d.SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		return nil, err
	}
	return l.Accept()
}
