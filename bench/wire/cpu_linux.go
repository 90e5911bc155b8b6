package wire

import (
	"runtime"
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

// onOneProcessor calls a function that starts a process, so that all of the process stays
// on one processor: a child takes over where the thread that starts it may run.
func onOneProcessor(start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var allowed, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return err
	}
	for cpu := range 1024 { // the size of a CPUSet
		if allowed.IsSet(cpu) {
			one.Set(cpu)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	defer unix.SchedSetaffinity(0, &allowed)
	return start()
}
