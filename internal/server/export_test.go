package server

// What tests look at from the inside.
var (
	ListenOn           = listenOn
	InheritedListeners = inheritedListeners
	URLOf              = urlOf
	IsEventStream      = isEventStream
)

const HeldBack = heldBack

// Kept returns how much a Server remembers of connections and requests.
func (s *Server) Kept() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.watched) + int(s.connections.n.Load()+s.requests.n.Load())
	for range s.fresh.Range {
		n++
	}
	return n
}

// Inherit has a Server take its listeners for those of a service manager.
func (s *Server) Inherit() { s.inherited = true }
