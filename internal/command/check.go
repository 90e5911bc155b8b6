package command

import (
	"io"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/fault"
)

// Report prints the faults of an error of Router.Check, and warnings: as JSON, or each with its line of
// the source, if that is below one of some directories. It returns ErrReported if there are faults, or
// warnings that are to count as such, and an error that holds none as it is.
func (f Check) Report(p Process, err error, warnings []fault.Fault, dirs []string) error {
	found := fault.Of(err)
	if err != nil && len(found) == 0 {
		return err
	}
	found = append(found, fault.Of(fault.Warnings(warnings))...)
	if f.JSON {
		if err := PrintFaults(p.Stdout, found); err != nil {
			return err
		}
	} else {
		var all []devpage.Fault
		for _, one := range found {
			all = append(all, devpage.Parse(one.Text, dirs...)...)
		}
		io.WriteString(p.Stderr, devpage.ColorsOf(p.Stderr, p.Getenv).Faults(devpage.Red, all))
	}
	if err != nil || f.WarningsFail && len(found) > 0 {
		return ErrReported
	}
	return nil
}
