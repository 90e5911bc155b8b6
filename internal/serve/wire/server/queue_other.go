//go:build !unix

package server

import (
	"errors"
	"net"
	"time"
)

// acceptWaiting returns a connection that is queued for a listener, or an error if there
// seems to be none. Systems other than Unix cannot be asked whether there is one, so it waits
// 50 milliseconds for one.
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
