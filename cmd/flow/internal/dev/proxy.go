package dev

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"example.com/flow/internal/dev/livereload"
)

// A target is a program that a proxy sends requests to.
type target struct {
	url       *url.URL
	transport *http.Transport
}

func newTarget(at string) (*target, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	return &target{u, &http.Transport{
		DisableCompression:  true, // what a client does not ask for it does not get
		MaxIdleConnsPerHost: 100,
		// The program is on this machine, and its certificate is for another name.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext:     (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
	}}, nil
}

// leave closes the connections that no request uses.
func (t *target) leave() { t.transport.CloseIdleConnections() }

// errNoProgram is the error of a request that no program can answer.
var errNoProgram = errors.New("there is no program")

// A holder sends requests to the program that there is, and holds them while there is
// none but one may come.
type holder struct{ standIn *standIn }

// RoundTrip implements http.RoundTripper.
func (h holder) RoundTrip(r *http.Request) (*http.Response, error) {
	for {
		now := h.standIn.look()
		switch {
		case now.report != nil:
			return nil, errNoProgram
		case now.target != nil:
			out := r.Clone(r.Context())
			out.URL.Scheme, out.URL.Host = now.target.url.Scheme, now.target.url.Host
			if r.Body != nil {
				out.Body = io.NopCloser(r.Body) // for another round; who has called closes it
			}
			resp, err := now.target.transport.RoundTrip(out)
			if !isDial(err) {
				return resp, err
			}
			// The program does not listen any more: another one takes its place, or it has ended.
			// Nothing of the body was read.
		}
		select {
		case <-now.over:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// isDial reports whether a request failed before there was a connection.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// forward answers a request as a proxy.
func (s *standIn) forward(w http.ResponseWriter, r *http.Request) {
	proxy := &httputil.ReverseProxy{
		Transport: holder{s},
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "http", r.Host
			p.Out.URL.RawQuery = p.In.URL.RawQuery // also what is malformed in it is for the program
			for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
				if values, ok := p.In.Header[name]; ok {
					p.Out.Header[name] = values
				}
			}
			if !livereload.IsLocal(p.In) { // the program must not take it for a local one
				p.SetXForwarded()
			}
		},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			now := s.look()
			if errors.Is(err, errNoProgram) && now.report != nil {
				now.answer(w, r)
				return
			}
			http.Error(w, "502 Bad Gateway: "+err.Error(), http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}
