package app

import (
	"slices"

	"example.com/flow"
)

func init() { flow.GET().Name("reports.show").Do(showReport) }

type report struct {
	ID          int
	Title, Text string
}

// reports stands for a database.
var reports = []report{{1, "January", "Cold."}, {2, "February", "Colder."}, {3, "March", "Better."}}

type reportRef struct {
	ID int `param:"id"`
}

func showReport(_ *flow.Request, in reportRef) (report, error) {
	i := slices.IndexFunc(reports, func(r report) bool { return r.ID == in.ID })
	if i < 0 {
		return report{}, flow.Error(404, "there is no such report")
	}
	return reports[i], nil
}
