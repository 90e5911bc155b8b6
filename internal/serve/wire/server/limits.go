package server

import "time"

// The limits of clients. They limit how long a client makes no progress, and not how long a
// request takes: a large file may take long on a slow line.
const (
	// headerTime limits how long the header of a request takes, and headerSize its bytes.
	// idleTime limits how long a connection stays open between requests. http.Server
	// enforces these three.
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	headerSize = 64 << 10

	// readTime is the budget of a request body: how long its Reads may wait in all. Each byte
	// adds 1/readRate of a second to the budget, up to readTime. So a client that sends a
	// byte now and then is cut off like one that sends nothing (as with MinRate of Apache's
	// mod_reqtimeout).
	readTime = time.Minute
	readRate = 500 // bytes a second

	// discardTime limits how long net/http reads the rest of a body that the handler did not
	// read. net/http does so to use the connection again.
	discardTime = 5 * time.Second

	// writeTime is the budget of a response: how long its Writes may wait in all. Each piece
	// of pieceSize bytes adds writeTime to the budget, up to writeMost. writeMost is more than
	// a minute for clients that take 2 KiB a second: their system makes room for 128 KiB at a
	// time over loopback, and for 400 KiB if there is a proxy between.
	writeTime = time.Minute
	writeMost = 4 * time.Minute
	pieceSize = 64 << 10

	// slack is how much later than the budget a write deadline may be. All Writes within that
	// time then share one deadline, since setting one costs about as much as finding a route.
	slack = time.Second
)

// lookEvery is how often handshakes look at the files of a certificate at most.
const lookEvery = 10 * time.Second

// The times of a graceful stop, in the order in which they pass.
const (
	// drainNotice is how long the Server goes on to accept connections if it has a health
	// check, so that load balancers send requests elsewhere before the listeners close: a
	// request for which no connection can be made is lost.
	drainNotice = time.Second

	// lameDuck is how long connections without a request stay open after that, since a proxy
	// may be sending a request on one of them.
	lameDuck = time.Second

	// DefaultDrain is how long running requests may take to end. It includes lameDuck.
	DefaultDrain = 30 * time.Second

	// cancelGrace is how long requests that are still running may take to end after their
	// contexts are cancelled. Then their connections are closed.
	cancelGrace = 500 * time.Millisecond

	// stopGrace is how long each function of OnStop has at least, even if requests have used up
	// the time to drain: a store needs a moment to close.
	stopGrace = 5 * time.Second
)
