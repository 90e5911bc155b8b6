//go:build !unix

package server

import (
	"io/fs"
	"net"
)

// listenSocket listens on a new socket in the file system. Systems other than Unix have no
// file modes: the directory decides who may connect.
func listenSocket(file string, _ fs.FileMode) (net.Listener, error) {
	return net.Listen("unix", file)
}
