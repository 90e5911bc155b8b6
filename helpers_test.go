package flow

import "os"

// many returns how many cases a test generates: all of them with FLOW_SLOW in the
// environment, as .ci/run has it, and else a quarter.
func many(all int) int {
	if os.Getenv("FLOW_SLOW") == "" {
		return all / 4
	}
	return all
}
