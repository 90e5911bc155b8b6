package server_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// far is a time at which the bubbles of these tests, which begin in 2000, have ended.
var far = time.Unix(1<<32, 0)

// A tlsSite serves the certificate that cert.pem and key.pem of a directory hold.
type tlsSite struct {
	*servertest.Site
	line *servertest.Line
}

func serveFiles(t testing.TB, dir string) *tlsSite {
	t.Helper()
	line := servertest.NewLine()
	return &tlsSite{servertest.Serve(t, line, line.Dial, http.NotFoundHandler(), func(s *server.Server) {
		config, err := server.LoadCertificate(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), s.Log)
		if err != nil {
			t.Fatal(err)
		}
		s.TLS = config
	}), line}
}

// handshake connects, and returns the serial number of the certificate that it was shown.
func (s *tlsSite) handshake(config *tls.Config) (serial int64, state tls.ConnectionState, err error) {
	raw, err := s.line.Dial()
	if err != nil {
		return 0, state, err
	}
	defer raw.Close()
	conn := tls.Client(raw, config)
	if err := conn.Handshake(); err != nil {
		return 0, state, err
	}
	if config.ClientSessionCache != nil { // in TLS 1.3 the session comes before the first bytes of HTTP/2
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			return 0, state, err
		}
	}
	state = conn.ConnectionState()
	return state.PeerCertificates[0].SerialNumber.Int64(), state, nil
}

// shown returns what a handshake with a usual client shows: "7", or an error.
func (s *tlsSite) shown() string {
	serial, _, err := s.handshake(&tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(serial)
}

// renewals are the ways in which programs put a certificate, and later the next one, into a
// directory.
var renewals = []struct {
	name string
	put  func(t testing.TB, dir string, cert tls.Certificate)
}{
	{"in place", inPlace},
	{"rename", func(t testing.TB, dir string, cert tls.Certificate) {
		chainFile, keyFile := servertest.WriteCertificate(t, t.TempDir(), cert)
		rename(t, chainFile, filepath.Join(dir, "cert.pem"))
		rename(t, keyFile, filepath.Join(dir, "key.pem"))
	}},
	{"links of certbot", func(t testing.TB, dir string, cert tls.Certificate) {
		version := putVersion(t, dir, cert)
		link(t, version+"/cert.pem", filepath.Join(dir, "cert.pem"))
		link(t, version+"/key.pem", filepath.Join(dir, "key.pem"))
	}},
	{"links of a Kubernetes secret", func(t testing.TB, dir string, cert tls.Certificate) {
		link(t, putVersion(t, dir, cert), filepath.Join(dir, "..data"))
		if _, err := os.Lstat(filepath.Join(dir, "cert.pem")); err != nil {
			link(t, "..data/cert.pem", filepath.Join(dir, "cert.pem"))
			link(t, "..data/key.pem", filepath.Join(dir, "key.pem"))
		}
	}},
}

func inPlace(t testing.TB, dir string, cert tls.Certificate) {
	servertest.WriteCertificate(t, dir, cert)
}

// putVersion puts a certificate into a new directory below dir, and returns its name.
func putVersion(t testing.TB, dir string, cert tls.Certificate) string {
	t.Helper()
	version, err := os.MkdirTemp(dir, "..version")
	if err != nil {
		t.Fatal(err)
	}
	servertest.WriteCertificate(t, version, cert)
	return filepath.Base(version)
}

// link makes or replaces a symbolic link, in one step.
func link(t testing.TB, to, name string) {
	t.Helper()
	flowtest.Symlink(t, to, name+".new")
	rename(t, name+".new", name)
}

// rename puts a file into the place of another one. Windows refuses that while the server reads the
// file, so it is tried again there.
func rename(t testing.TB, from, to string) {
	t.Helper()
	err := os.Rename(from, to)
	for errors.Is(err, fs.ErrPermission) && runtime.GOOS == "windows" {
		time.Sleep(time.Millisecond)
		err = os.Rename(from, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sameTime gives all files below a directory the same time.
func sameTime(t testing.TB, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.Chtimes(path, time.Unix(1<<30, 0), time.Unix(1<<30, 0))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRenewal: ten seconds later the first visitor is served a certificate that was renewed,
// though its files have the same time. That is logged once.
func TestRenewal(t *testing.T) {
	for _, tt := range renewals {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				dir := t.TempDir()
				tt.put(t, dir, servertest.NewCertificate(1, far))
				sameTime(t, dir)
				s := serveFiles(t, dir)
				is.Equal(s.shown(), "1")
				tt.put(t, dir, servertest.NewCertificate(2, far))
				sameTime(t, dir)
				is.Equal(s.shown(), "1") // the files are read every ten seconds at most
				for range 3 {
					time.Sleep(10 * time.Second)
					is.Equal(s.shown(), "2")
				}
				is.Equal(strings.Count(s.Log.String(), "the certificate was read again"), 1)
			})
		})
	}
}

// TestUnfitCertificateIsNotServed: the present certificate stays, and the log says why, once
// for each change. What is right later is served.
func TestUnfitCertificateIsNotServed(t *testing.T) {
	second := servertest.NewCertificate(2, far)
	second.Certificate = append(second.Certificate, servertest.NewCertificate(3, far).Certificate[0])
	chain, key := servertest.PEM(t, second)
	_, otherKey := servertest.PEM(t, servertest.NewCertificate(4, far))
	for _, tt := range []struct {
		name       string
		chain, key []byte // nil for a file that is not there
		want       string
	}{
		{"the key of another one", chain, otherKey, "tls: private key does not match public key"},
		{"the chain was not written yet", nil, key, "no such file"},
		{"the key was not written yet", chain, nil, "no such file"},
		{"empty", []byte{}, []byte{}, "tls: failed to find any PEM data in certificate input"},
		{"half of the first certificate", chain[:200], key, "tls: failed to find any PEM data in certificate input"},
		{"half of the second certificate", chain[:len(chain)-200], key, "a certificate of the chain is malformed or cut off"},
		{"half of the key", chain, key[:100], "tls: failed to find any PEM data in key input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				dir := t.TempDir()
				inPlace(t, dir, servertest.NewCertificate(1, far))
				s := serveFiles(t, dir)
				for name, text := range map[string][]byte{"cert.pem": tt.chain, "key.pem": tt.key} {
					name = filepath.Join(dir, name)
					is.NoErr(os.Remove(name))
					if text != nil {
						is.NoErr(os.WriteFile(name, text, 0o600))
					}
				}
				for range 3 {
					time.Sleep(10 * time.Second)
					is.Equal(s.shown(), "1")
				}
				log := s.Log.String()
				is.Equal(strings.Count(log, "the certificate was not read again"), 1)
				is.True(strings.Contains(log, tt.want) || runtime.GOOS == "windows")
				is.True(strings.Contains(log, "until=2106-02-07T")) // when the one that stays ends
				_, err := server.LoadCertificate(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), slog.Default())
				is.True(err != nil) // nor would a program start with it

				inPlace(t, dir, second)
				time.Sleep(10 * time.Second)
				is.Equal(s.shown(), "2")
			})
		})
	}
}

// TestNoHandshakeFailsDuringRenewals renews a certificate in all ways while clients connect,
// some of them at the same moment.
func TestNoHandshakeFailsDuringRenewals(t *testing.T) {
	for _, tt := range renewals {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				const last = 21 // 20 renewals
				dir := t.TempDir()
				tt.put(t, dir, servertest.NewCertificate(1, far))
				s := serveFiles(t, dir)
				var clients sync.WaitGroup
				for range 3 {
					clients.Go(func() {
						var shown string
						for range 90 { // half a minute longer than the renewals
							shown = s.shown()
							if _, err := strconv.Atoi(shown); err != nil {
								t.Error(shown)
							}
							time.Sleep(time.Second)
						}
						if shown != strconv.Itoa(last) {
							t.Errorf("in the end %s was served", shown)
						}
					})
				}
				for serial := int64(2); serial <= last; serial++ {
					time.Sleep(time.Duration(serial%3+2) * time.Second) // often as clients connect
					tt.put(t, dir, servertest.NewCertificate(serial, far))
				}
				clients.Wait()
				is.True(strings.Count(s.Log.String(), "the certificate was read again") > 3)
			})
		})
	}
}

// TestSessionsOutliveRenewals: a client that comes back goes on with its session of TLS, and
// with HTTP/2.
func TestSessionsOutliveRenewals(t *testing.T) {
	for name, version := range map[string]uint16{"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				dir := t.TempDir()
				inPlace(t, dir, servertest.NewCertificate(1, far))
				s := serveFiles(t, dir)
				client := &tls.Config{InsecureSkipVerify: true, MaxVersion: version, NextProtos: []string{"h2"}, ClientSessionCache: tls.NewLRUClientSessionCache(1), ServerName: "a"}
				_, state, err := s.handshake(client)
				is.NoErr(err)
				is.True(!state.DidResume)
				inPlace(t, dir, servertest.NewCertificate(2, far))
				time.Sleep(10 * time.Second)
				is.Equal(s.shown(), "2")
				_, state, err = s.handshake(client)
				is.NoErr(err)
				is.True(state.DidResume)
				is.Equal(state.NegotiatedProtocol, "h2")
			})
		})
	}
}
