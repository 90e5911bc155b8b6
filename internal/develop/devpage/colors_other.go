//go:build !windows

package devpage

import "os"

// showsColors reports whether a terminal shows colors, given the variable TERM.
func showsColors(_ *os.File, term string) bool { return term != "" }
