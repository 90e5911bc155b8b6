package devpage

import (
	"os"
	"syscall"
)

var setConsoleMode = syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")

// virtualTerminal is ENABLE_VIRTUAL_TERMINAL_PROCESSING, the mode in which a console interprets escape
// sequences.
const virtualTerminal = 0x4

// showsColors reports whether a file is a console that interprets escape sequences. Those of Windows
// Terminal and VS Code do so, others only if a program asks for it. TERM is not set on Windows.
func showsColors(file *os.File, _ string) bool {
	console, mode := syscall.Handle(file.Fd()), uint32(0)
	if syscall.GetConsoleMode(console, &mode) != nil {
		return false
	}
	done, _, _ := setConsoleMode.Call(uintptr(console), uintptr(mode|virtualTerminal))
	return done != 0
}
