package main

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"log"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/crypto/acme/autocert"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	certificates := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		HostPolicy: autocert.HostWhitelist("example.com", "www.example.com"),
		Cache:      autocert.DirCache("/var/lib/site/certificates"),
		Email:      "ada@example.com",
	}
	if err := serve(ctx, certificates, ":80", ":443"); err != nil {
		log.Fatal(err)
	}
}

// serve serves the application over HTTPS at the address secure. Who comes to the address
// plain is redirected there.
func serve(ctx context.Context, certificates *autocert.Manager, plain, secure string) error {
	l, err := tls.Listen("tcp", secure, certificates.TLSConfig())
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	redirected := make(chan error, 1)
	go func() {
		defer stop() // if one of the two fails, the other one stops
		redirected <- flow.Serve(ctx, plain, certificates.HTTPHandler(nil))
	}()
	err = flow.ServeListener(ctx, l, flow.New(files))
	stop()
	return errors.Join(err, <-redirected)
}
