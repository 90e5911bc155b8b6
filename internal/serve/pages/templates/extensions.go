package templates

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"example.com/flow/internal/fault"
)

// extension matches the extensions that a Format may have.
var extension = regexp.MustCompile(`^\.[a-z0-9_-]+$`)

// Extensions returns the extensions of the formats of a Router, and reports those that cannot be.
func Extensions(formats map[string]Format) (extensions []string, faults []fault.Fault) {
	report := func(ext, format string, args ...any) {
		faults = append(faults, fault.Fault{Text: fmt.Sprintf("Router.Formats[%q]: ", ext) + fmt.Sprintf(format, args...)})
	}
	var first string
	for _, ext := range slices.Sorted(maps.Keys(formats)) {
		f := formats[ext]
		switch {
		case ext == ".html" || ext == ".http":
			report(ext, "flow itself reads these files: give the format another extension, such as .md")
			continue
		case !extension.MatchString(ext):
			report(ext, "this is no extension: it is a dot and lower-case letters, as in .md")
			continue
		case f.Convert == nil:
			report(ext, "the format has no function: make it with flow.FormatOf")
		case first == "":
			first = ext
		case f.Front != formats[first].Front:
			report(ext, "its pages have %v as their data, and those of %s have %v: give all formats of a Router one type", f.Front, first, formats[first].Front)
		}
		extensions = append(extensions, ext)
	}
	return extensions, faults
}
