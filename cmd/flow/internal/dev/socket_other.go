//go:build !unix

package dev

import (
	"errors"
	"net"
	"os"
)

// canPassSockets: a child does not inherit the descriptors of sockets.
const canPassSockets = false

func socketFile(*net.TCPListener) (*os.File, error) { return nil, errors.ErrUnsupported }
