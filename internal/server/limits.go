package server

import "time"

// The limits of clients. They limit how long a client makes no progress, not how long
// it takes: a slow line may carry a large file.
const (
	// headerTime is for the header of a request, whose size headerSize limits in bytes,
	// and idleTime for a connection without a request. http.Server keeps these.
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	headerSize = 64 << 10

	// readTime is how long a client may keep Reads of one body waiting in all. Each byte
	// earns 1/readRate of a second of it back, so that a client that drips is cut as one
	// that stops (as with MinRate of Apache's mod_reqtimeout).
	readTime = time.Minute
	readRate = 500 // bytes a second

	// discardTime is for the rest of a body that the handler did not read, which
	// net/http reads to use the connection again.
	discardTime = 5 * time.Second

	// writeTime is how long a client may keep writes of one answer waiting in all. Each
	// piece of the answer, of pieceSize bytes, earns that time again, up to writeMost. A
	// client of 2 KiB a second must have more than one minute: over loopback its system
	// makes room for 128 KiB at a time, and with a proxy between for 400 KiB.
	writeTime = time.Minute
	writeMost = 4 * time.Minute
	pieceSize = 64 << 10

	// slack is how much longer it may take, so that one deadline serves all that is written
	// within that time. To set one costs about as much as to find a route.
	slack = time.Second
)

// How long a server takes for what it does when it stops.
const (
	// DefaultDrain is how long requests may take to end.
	DefaultDrain = 30 * time.Second

	// noticeTime is how long it goes on to accept connections, if load balancers can see
	// by a health check that it stops. A request that arrives while the listener is closed
	// is lost, even one that must not be repeated. So clients should be elsewhere by then.
	noticeTime = time.Second

	// lameTime is how long connections without a request stay open: a proxy may be
	// sending a request on one.
	lameTime = time.Second

	// partingTime is how long requests may take to end once their contexts are cancelled,
	// after the time to drain.
	partingTime = 500 * time.Millisecond

	// closingTime is how long each function that stops the application has at least, after
	// requests that have used up the time to drain: a store needs a moment to close.
	closingTime = 5 * time.Second
)
