package server

// What tests look at from the inside.
var (
	ListenOn           = listenOn
	InheritedListeners = inheritedListeners
	URLOf              = urlOf
	URLAt              = urlAt
	IsEventStream      = isEventStream
)

const (
	HeldBack  = heldBack
	WriteMost = writeMost
	Slack     = slack
)

// A RequestContext is the context of a request of a Server.
type RequestContext = requestContext

// Cancel does what a Server does that stops.
func (c *requestContext) Cancel() { c.cancel() }

// Kept returns how much a Server remembers of connections and requests.
func (s *Server) Kept() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.watched) + int(s.connections.n.Load()+s.requests.n.Load())
	for range s.newConns.conns.Range {
		n++
	}
	return n + int(s.newConns.n.Load())
}

// Inherit has a Server take its listeners for those of a service manager.
func (s *Server) Inherit() { s.inherited = true }
