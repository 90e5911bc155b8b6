package flow

import (
	"cmp"
	"log/slog"
	"net/http"
	"sync"

	"example.com/flow/internal/serve/pages/csp"
)

// settings are what a request on its way needs of the fields of a Router.
type settings struct {
	// These are read before the first request, since an application may set the fields until it
	// serves. Each may be nil.
	authenticate func(*Request) (user any, err error)
	onError      onErrorFunc
	translate    func(*Request, Message) string
	logger       *slog.Logger

	// These are set when the Router is compiled.
	crossOrigin *http.CrossOriginProtection
	policy      *csp.Template // nil if there is none
	dev         *routerInDev  // nil in production

	untranslated sync.Once // a panic of Translate is logged once
}

// onErrorFunc is the type of Router.OnError.
type onErrorFunc = func(*Request, error) Response

// readSettings reads the fields that may be set until r serves, of r and of the Routers mounted
// inside it, into their tables.
func (r *Router) readSettings() {
	for _, r := range r.withMounted() {
		s := &r.table.Load().settings
		s.authenticate, s.onError, s.translate, s.logger = r.Authenticate, r.OnError, r.Translate, r.Logger
	}
}

// log returns the logger: Router.Logger, or slog.Default.
func (s *settings) log() *slog.Logger { return cmp.Or(s.logger, slog.Default()) }
