// Package app is the site of flow's documentation. The pages below /docs are the files of the
// directory docs/ of the repository, as they are: Markdown, which markdown.go makes HTML of.
package app

import (
	"embed"

	"example.com/flow"
	"example.com/flow/docs"
)

//go:embed all:router all:public
var files embed.FS

// Router serves the site.
var Router = flow.New(union{files, docs.Files, "router/docs"})

func init() {
	Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)}
	Router.ContentSecurityPolicy = "default-src 'none'; script-src 'nonce'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
