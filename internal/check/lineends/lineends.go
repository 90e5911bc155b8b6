// Package lineends finds the files of an application whose lines git may have converted to CRLF.
package lineends

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// endInLF lists the extensions of public files whose lines end in LF, unless git has converted them.
// Formats in which CRLF is right or usual are missing: .ics, .vcf, .csv, .txt.
var endInLF = []string{".css", ".htm", ".html", ".js", ".json", ".map", ".md", ".mjs", ".svg", ".webmanifest", ".xml"}

// Check returns a warning if templates or public files of the trees have lines that end in CRLF. Git may
// have converted them on this machine and not on another one, and the two would build different pages and
// hashed URLs of one version. Check reads all files again.
func Check(trees []*routetree.Tree) []fault.Fault {
	var found []string
	look := func(files fs.FS, name, shown string) {
		text, _ := fs.ReadFile(files, name) // a file that cannot be read is a fault already
		if bytes.Contains(text, []byte("\r\n")) {
			found = append(found, shown)
		}
	}
	for _, t := range trees {
		for _, s := range t.Templates {
			look(s.Files, s.InTree, s.File)
		}
		for _, p := range t.Public {
			if slices.Contains(endInLF, strings.ToLower(path.Ext(p.InTree))) {
				look(t.Files, p.InTree, p.File)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	found = slices.Compact(found) // trees may share files
	more := ""
	if len(found) > 1 {
		more = fmt.Sprintf(" and of %d more", len(found)-1)
	}
	return []fault.Fault{fault.Warn(found[0], 0, "lines of this file%s end in CRLF, and a clone with LF would build other bytes and hashed URLs: add the line * text=auto eol=lf to .gitattributes, run git add --renormalize ., commit, and clone again", more)}
}
