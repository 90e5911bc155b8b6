//go:build !linux && !darwin

package server

import "net"

// limitUnsent does nothing on systems that have no such limit.
func limitUnsent(net.Conn) {}
