package server

import "time"

// The limits of clients. They limit how long a client makes no progress, not how long
// it takes: a slow line may carry a large file.
const (
	// Those of http.Server.
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

	// writeTime is how long a client may take for a piece of an answer, of pieceSize
	// bytes.
	writeTime = time.Minute
	pieceSize = 64 << 10
)

// What a server that stops takes its time for.
const (
	// DefaultDrain is how long requests may take to end.
	DefaultDrain = 30 * time.Second

	// noticeTime is how long it accepts connections, if load balancers can see by a
	// health check that it stops. What arrives while a listener is closed is lost, also
	// what nobody may repeat: none must come any more by then.
	noticeTime = time.Second

	// lameTime is how long connections without a request stay open: a proxy may be
	// sending a request on one.
	lameTime = time.Second

	// partingTime is for requests to end by themselves when the time to drain is over.
	partingTime = 500 * time.Millisecond
)
