package servertest

import (
	"os"
	"testing"
	"time"
)

// Patience is how long a test waits for what should come at once, or, in a bubble, as
// soon as a server closes a connection that nobody uses.
const Patience = 5 * time.Minute

// Within waits for a channel to be closed, or to give something.
func Within[T any](t testing.TB, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(Patience):
		t.Fatalf("it did not happen: %s", what)
		panic("unreachable")
	}
}

// Until waits for a condition.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen: %s", what)
		}
	}
}

// Slow skips a test that takes its time, unless it is asked for.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("FLOW_SLOW") == "" {
		t.Skip("it takes seconds: set FLOW_SLOW=1 in the environment to run it")
	}
}
