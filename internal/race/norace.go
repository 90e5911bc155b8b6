//go:build !race

// Package race says whether the program was built with the race detector. Under it the root
// pools no Requests, so that the use of a Request after its response is found. Tests that
// count allocations are skipped, since the race detector allocates:
//
//	if race.Enabled {
//		t.Skip("the race detector allocates")
//	}
package race

// Enabled reports whether the program was built with the race detector.
const Enabled = false
