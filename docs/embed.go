// Package docs holds the documentation of flow, for programs that show it, as the one in
// ecosystem/site does. A program that does not import this package has nothing of it.
package docs

import "embed"

// Files are the documents as they stand in the repository: index.md, routes.md,
// recipes/forms.md and so on.
//
//go:embed *.md recipes/*.md
var Files embed.FS
