package disk

import "sync/atomic"

// A Moment orders requests and snapshots: of two Moments the greater one is later. It counts the
// calls of Now. The time of a clock does not order them, since it can stand still while a file is
// saved: the clock of Windows advances in steps of up to 15 ms.
type Moment uint64

var lastMoment atomic.Uint64

// Now returns a Moment that is later than all before.
func Now() Moment { return Moment(lastMoment.Add(1)) }
