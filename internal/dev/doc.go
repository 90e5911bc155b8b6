// Package dev is the wing for development: live reload, the pages that show mistakes and
// routes, files that are read from disk, and the link to the tool "flow dev".
package dev
