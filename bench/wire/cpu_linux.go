package wire

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the time of the processor's that a process has taken, by its own clock
// (clock_getcpuclockid(3)): to the nanosecond, where /proc/PID/stat counts hundredths of a
// second.
func cpuTime(pid int) (time.Duration, error) {
	const sched = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
