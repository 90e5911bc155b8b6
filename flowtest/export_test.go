package flowtest

import "time"

// SetTimeout sets how long an answer may take.
func SetTimeout(d time.Duration) { timeout = d }
