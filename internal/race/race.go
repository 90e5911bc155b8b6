//go:build race

// Package race says whether the race detector runs. Under it no Request is used
// twice, so that late use of one is found, and tests do not count allocations.
package race

// Enabled reports whether the race detector runs.
const Enabled = true
