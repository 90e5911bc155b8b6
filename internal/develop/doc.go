// Package develop is the floor of development: live reload, the pages that show mistakes and routes,
// files that are read from disk, and the link to the tool "flow dev".
package develop
