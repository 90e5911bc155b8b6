package flow

import (
	"log/slog"
	"net/http"
)

// settings are the fields of a Router that answering a request asks for. begin reads them,
// since an application may set them until it serves.
type settings struct {
	authenticate func(*Request) (user any, err error) // may be nil
	onError      onErrorFunc                          // may be nil
	logger       *slog.Logger                         // may be nil
	crossOrigin  *http.CrossOriginProtection
	dev          development // nil in production
}

func (r *Router) settings() settings {
	s := settings{authenticate: r.Authenticate, onError: r.OnError, logger: r.Logger, crossOrigin: &r.CrossOrigin}
	if r.dev != nil {
		s.dev = r.dev
	}
	return s
}

// readSettings reads the settings of a compiled Router and of those inside it, other than dev:
// it cannot change any more, and Router.Asset may ask for it meanwhile.
func (r *Router) readSettings() {
	s := &r.table.Load().settings
	s.authenticate, s.onError, s.logger = r.Authenticate, r.OnError, r.Logger
	for _, m := range r.mounts {
		if m.inner != nil && !m.refused {
			m.inner.readSettings()
		}
	}
}

// log returns the logger for what clients must not see.
func (s *settings) log() *slog.Logger {
	if s.logger == nil {
		return slog.Default()
	}
	return s.logger
}
