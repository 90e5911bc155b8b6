//go:build !unix

package server

import (
	"io/fs"
	"net"
)

// listenSocket listens on a new socket in the file system. Systems other than Unix have
// no modes: who may connect is for the directory to say.
func listenSocket(file string, _ fs.FileMode) (net.Listener, error) {
	return net.Listen("unix", file)
}
