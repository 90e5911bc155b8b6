package pages

import (
	"path"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
)

// uncalled reports the partials of the application that no template calls. If the name is a
// misspelling of +layout or +error, that is a fault: pages would lack a layout or an error page.
// Otherwise it is a warning, since the program may render the partial by View.
//
// It does not report a partial that ViewOf declares, or whose name appears in a file that
// cannot be parsed.
func (c *Checked) uncalled() (faults []fault.Fault) {
	parsed, unread := c.Views.Parsed, ""
	for _, f := range parsed.Files {
		if f.Broken {
			unread += f.Text + "\n"
		}
	}
	for name, f := range parsed.Files {
		if !templates.IsPartial(name) || f.Shared || parsed.Called[f.File] || len(parsed.Data[f]) > 0 || strings.Contains(unread, path.Base(name)) {
			continue
		}
		base := strings.ToLower(path.Base(name))
		switch {
		case base == "+page":
			faults = append(faults, fault.In(f.File, "no template calls this partial, and it has no URL: a page is called by its URL, and the page of a directory index.html"))
		case fault.IsTypo(base, templates.LayoutName) || fault.IsTypo(base, templates.ErrorName):
			near := fault.Suggest(base, map[string]bool{templates.LayoutName: true, templates.ErrorName: true}, "")
			faults = append(faults, fault.In(f.File, "no template calls this partial%s", near))
		default:
			faults = append(faults, fault.Warn(f.File, 0, "no template calls this partial: delete it, unless flow.View renders it"))
		}
	}
	return faults
}
