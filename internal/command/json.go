package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"example.com/flow/internal/fault"
)

// PrintJSON prints a value as JSON, for people as well as for programs: indented, and with < as it is.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(v)
}

// A finding is a fault as programs read it. docs/tools.md describes the form, which the
// command check of an application and flow vet share.
type finding struct {
	File     string `json:"file"`   // "" if the fault belongs to no file
	Line     int    `json:"line"`   // 0 if it belongs to the whole file
	Column   int    `json:"column"` // 0 if it is unknown
	Severity string `json:"severity"`
	Text     string `json:"text"` // without the place
}

// PrintFaults prints faults as JSON: an array of objects, in their order.
func PrintFaults(w io.Writer, faults []fault.Fault) error {
	all := make([]finding, len(faults))
	for i, f := range faults {
		all[i] = finding{f.File, f.Line, f.Column, "error", textOf(f)}
		if f.Warning {
			all[i].Severity = "warning"
		}
	}
	return PrintJSON(w, all)
}

// textOf returns the text of a fault without the place before it, if that is the fault's own place.
// A text that begins with the names of two files stays whole.
func textOf(f fault.Fault) string {
	place := f.File
	if f.Line > 0 {
		place += fmt.Sprintf(":%d", f.Line)
	}
	for _, p := range []string{fmt.Sprintf("%s:%d: ", place, f.Column), place + ": "} {
		if text, ok := strings.CutPrefix(f.Text, p); ok {
			return strings.TrimPrefix(text, "warning: ")
		}
	}
	return f.Text
}
