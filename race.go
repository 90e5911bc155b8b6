//go:build race

package flow

// raceEnabled: under the race detector no Request is used twice, so that late
// use of one is found.
const raceEnabled = true
