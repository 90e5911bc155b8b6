// Package app is the site: each file below router/ is a URL, and a Go file here, called like
// it, has its handlers. markdown.go makes pages of Markdown.
package app

import (
	"cmp"
	"embed"
	"os"

	"example.com/flow"
)

//go:embed all:router all:public
var files embed.FS

// Router serves the site.
var Router = flow.New(files)

// site is the beginning of all URLs in the feed and the sitemap. It is a setting, since a
// request could name any host.
var site = cmp.Or(os.Getenv("SITE_URL"), "http://localhost:8080")

func init() {
	Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)}
	Router.ContentSecurityPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	Router.Use(flow.RequestID, flow.Logger(nil))
}
