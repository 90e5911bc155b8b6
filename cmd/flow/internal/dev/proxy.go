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

	"example.com/flow/internal/develop/livereload"
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

// answer sends a request to the program, and reports whether that has answered, or has failed
// to. One that does not listen any more has not: another one takes its place, or it has ended.
// Nothing of the body was read then.
func (t *target) answer(w http.ResponseWriter, r *http.Request) (answered bool) {
	answered = true
	proxy := &httputil.ReverseProxy{
		Transport: t.transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = t.url.Scheme, t.url.Host
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
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			var op *net.OpError
			if answered = !errors.As(err, &op) || op.Op != "dial"; answered {
				http.Error(w, "502 Bad Gateway: "+err.Error(), http.StatusBadGateway)
			}
		},
	}
	out := r.WithContext(r.Context())
	if r.Body != nil {
		out.Body = io.NopCloser(r.Body) // for the next program; the server closes it
	}
	proxy.ServeHTTP(w, out)
	return answered
}
