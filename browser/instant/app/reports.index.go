package app

import "example.com/flow"

func init() { flow.GET().Name("reports").Do(listReports) }

func listReports(*flow.Request) ([]report, error) { return reports, nil }
