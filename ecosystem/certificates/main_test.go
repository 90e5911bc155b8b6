package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/matryer/is"
	"github.com/miekg/dns"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// host is the name for which the tests get a certificate.
const host = "site.example.com"

// freePort returns an address that nobody listens at, and its port.
func freePort(t *testing.T) (addr string, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String(), l.Addr().(*net.TCPAddr).Port
}

// resolver answers that every name is this machine, and returns its address.
func resolver(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: l, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		answer := new(dns.Msg).SetReply(question)
		if q := question.Question[0]; q.Qtype == dns.TypeA {
			answer.Answer = append(answer.Answer, &dns.A{
				Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET},
				A:   net.IPv4(127, 0, 0, 1),
			})
		}
		w.WriteMsg(answer)
	})}
	go server.ActivateAndServe()
	t.Cleanup(func() { server.Shutdown() })
	return l.Addr().String()
}

// authority is Pebble, the test authority of Let's Encrypt: it connects to tlsPort to see
// whether who asks for a certificate has the name. It returns a client for its directory, and
// the root of its certificates.
func authority(t *testing.T, tlsPort int) (*acme.Client, *x509.CertPool) {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	validator := va.New(quiet, 1, tlsPort, false, resolver(t), store)
	front := wfe.New(quiet, store, validator, issuer, []string{"pebble.test"}, false, false, 1, 1)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(issuer.GetRootCert(0).Cert)
	return &acme.Client{DirectoryURL: server.URL + wfe.DirectoryPath, HTTPClient: server.Client()}, roots
}

// TestCertificateOfAnAuthority: the first visitor of a name makes the program get a
// certificate, by the challenge tls-alpn-01.
func TestCertificateOfAnAuthority(t *testing.T) {
	is := is.New(t)
	plain, _ := freePort(t)
	secure, port := freePort(t)
	client, roots := authority(t, port)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- serve(ctx, &autocert.Manager{
			Prompt:     autocert.AcceptTOS,
			HostPolicy: autocert.HostWhitelist(host),
			Cache:      autocert.DirCache(t.TempDir()),
			Client:     client,
		}, plain, secure)
	}()
	visitor := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, ServerName: host},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasSuffix(addr, ":443") {
				return dial(ctx, secure)
			}
			return dial(ctx, plain)
		},
	}
	get := func(url string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		is.NoErr(err)
		resp, err := visitor.RoundTrip(req)
		is.NoErr(err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		is.NoErr(err)
		return resp, string(text)
	}
	resp, text := get("https://" + host + "/")
	is.Equal(text, "<p>Hello</p>\n")
	is.Equal(resp.ProtoMajor, 2)
	is.Equal(resp.TLS.PeerCertificates[0].DNSNames, []string{host})

	resp, _ = get("http://" + host + "/a")
	is.Equal(resp.StatusCode, http.StatusFound)
	is.Equal(resp.Header.Get("Location"), "https://"+host+"/a")

	visitor.CloseIdleConnections()
	stop()
	is.NoErr(<-done)
}

// dial connects to a server that is about to listen.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
		time.Sleep(time.Millisecond)
	}
}
