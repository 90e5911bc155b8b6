package flow

import (
	"cmp"
	"log/slog"
	"net/http"

	"example.com/flow/internal/pages/csp"
)

// settings are the fields of a Router that a request on its way needs. The table has them
// in place of the Router. Router.begin reads them before the first request, since an
// application may set the fields until it serves.
type settings struct {
	authenticate func(*Request) (user any, err error) // may be nil
	onError      onErrorFunc                          // may be nil
	logger       *slog.Logger                         // may be nil
	crossOrigin  *http.CrossOriginProtection
	policy       *csp.Template // nil if there is none
	dev          development   // nil in production
}

// onErrorFunc is the type of Router.OnError.
type onErrorFunc = func(*Request, error) Response

// settings returns the settings as the fields of r have them now.
func (r *Router) settings() settings {
	s := settings{authenticate: r.Authenticate, onError: r.OnError, logger: r.Logger, crossOrigin: &r.CrossOrigin}
	if r.dev != nil { // a nil *routerInDev would be an interface that is not nil
		s.dev = r.dev
	}
	return s
}

// readSettings stores the settings of a compiled Router, and of those mounted inside it, in
// their tables. It leaves dev alone, which cannot change any more: Router.Asset may read it
// meanwhile.
func (r *Router) readSettings() {
	for _, r := range r.withMounted() {
		s := &r.table.Load().settings
		s.authenticate, s.onError, s.logger = r.Authenticate, r.OnError, r.Logger
	}
}

// log returns the logger: Router.Logger, or slog.Default.
func (s *settings) log() *slog.Logger { return cmp.Or(s.logger, slog.Default()) }
