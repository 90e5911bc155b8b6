//go:build linux || darwin

package server

import (
	"net"
	"runtime"
	"syscall"
)

// unsentMost is how many bytes that it has not sent the system should hold for a connection.
const unsentMost = 64 << 10

// TCP_NOTSENT_LOWAT, which package syscall does not have (linux/tcp.h and netinet/tcp.h).
const (
	notSentLowatLinux  = 25
	notSentLowatDarwin = 0x201
)

// limitUnsent limits what the system holds of a TCP connection before it is sent. Linux may
// hold some megabytes, above all over loopback, and wakes a Write that waits only when a
// third of that is free: a client that takes a little all the time would seem to take
// nothing for minutes. A system that refuses the limit is left as it is, since it only
// matters to slow clients.
func limitUnsent(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	option := notSentLowatLinux
	if runtime.GOOS == "darwin" {
		option = notSentLowatDarwin
	}
	raw.Control(func(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, option, unsentMost) })
}
