//go:build unix

package server

// The two steps in which a socket in the file system is made.
var (
	BindSocket  = bindSocket
	ListenBound = listenBound
)
