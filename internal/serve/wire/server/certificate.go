package server

import (
	"bytes"
	"crypto/tls"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A certificate is a chain and its key in two files, which others renew while the Server runs.
// During handshakes it looks at the files again. It compares their content: a link to another
// file may lead to one of the same time and size.
//
// One handshake looks, and is served what it finds, so that the first visitor after a quiet
// night does not get a certificate that has ended. Handshakes at the same time do not wait for
// the disk, and get the present pair, unless that has ended.
type certificate struct {
	chainFile, keyFile string
	log                *slog.Logger
	present            atomic.Pointer[tls.Certificate]

	looking sync.Mutex // held by the handshake that looks
	looked  time.Time  // when the last look was over
	seen    pemPair    // what it found
}

// LoadCertificate returns a configuration with the certificate chain and the key that two
// files hold in PEM. When the files change, the configuration has the new pair within
// lookEvery. A new pair that cannot be read, or does not fit, is logged, and the present one
// stays. What is no regular file, such as a pipe, is read once.
func LoadCertificate(chainFile, keyFile string, log *slog.Logger) (*tls.Config, error) {
	c := &certificate{chainFile: chainFile, keyFile: keyFile, log: log}
	c.seen = c.read()
	pair, err := c.seen.parse()
	if err != nil {
		return nil, err
	}
	if !isRegular(chainFile) || !isRegular(keyFile) {
		return &tls.Config{Certificates: []tls.Certificate{*pair}}, nil
	}
	c.present.Store(pair)
	c.looked = time.Now()
	return &tls.Config{GetCertificate: c.get}, nil
}

func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// get is the GetCertificate of the configuration.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if time.Now().After(c.present.Load().Leaf.NotAfter) {
		c.looking.Lock()
	} else if !c.looking.TryLock() {
		return c.present.Load(), nil
	}
	defer c.looking.Unlock()
	if time.Since(c.looked) >= lookEvery {
		c.look()
		c.looked = time.Now()
	}
	return c.present.Load(), nil
}

// look makes what is in the files the present pair, if it is another one than before.
func (c *certificate) look() {
	found := c.read()
	if found == c.seen {
		return
	}
	c.seen = found
	log := c.log.With("certificate", c.chainFile, "key", c.keyFile)
	pair, err := found.parse()
	if err != nil {
		log.Warn("the certificate was not read again: the one before stays", "error", err.Error(), "until", c.present.Load().Leaf.NotAfter)
		return
	}
	c.present.Store(pair)
	log.Info("the certificate was read again", "until", pair.Leaf.NotAfter)
}

// A pemPair is what the two files hold, or why they could not be read.
type pemPair struct{ chain, key, problem string }

func (c *certificate) read() pemPair {
	chain, err := os.ReadFile(c.chainFile)
	if err != nil {
		return pemPair{problem: err.Error()}
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return pemPair{problem: err.Error()}
	}
	return pemPair{chain: string(chain), key: string(key)}
}

// parse returns the certificate of the pair. Package tls ignores what it cannot decode behind
// the first certificate, such as an intermediate one that is being written. Here it is an
// error, since few clients would trust the rest of the chain.
func (p pemPair) parse() (*tls.Certificate, error) {
	if p.problem != "" {
		return nil, errors.New(p.problem)
	}
	chain := []byte(p.chain)
	pair, err := tls.X509KeyPair(chain, []byte(p.key))
	if err != nil {
		return nil, err
	}
	if bytes.Count(chain, []byte("-----BEGIN CERTIFICATE-----")) != len(pair.Certificate) {
		return nil, errors.New("a certificate of the chain is malformed or cut off")
	}
	return &pair, nil
}
