//go:build linux || darwin

package server

import (
	"net"
	"runtime"
	"syscall"
)

// unsentMost is how many unsent bytes the kernel should buffer for a connection.
const unsentMost = 64 << 10

// TCP_NOTSENT_LOWAT, which package syscall does not have (linux/tcp.h and netinet/tcp.h).
const (
	notSentLowatLinux  = 25
	notSentLowatDarwin = 0x201
)

// limitUnsent limits how many unsent bytes the kernel buffers for a TCP connection. Linux may
// buffer some megabytes, above all over loopback, and wakes a waiting Write only when a third
// of the buffer is free. A slow client would then seem to make no progress for minutes. An
// error is ignored, since the limit matters to slow clients only.
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
