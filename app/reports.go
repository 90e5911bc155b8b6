package app

import (
	"example.com/flow"
	"example.com/flow/app/reports"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().To(reports.Controller{Users: a.Users}, "Show") })
}
