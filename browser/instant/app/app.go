package app

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router all:public
var files embed.FS

// Router serves the application.
var Router = flow.New(files)

func init() {
	Router.ContentSecurityPolicy = "default-src 'self'; script-src 'nonce'; object-src 'none'; base-uri 'none'"
}
