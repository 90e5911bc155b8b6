package app

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router all:public
var files embed.FS

// Router serves the site.
var Router = flow.New(files)

func init() { Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)} }
