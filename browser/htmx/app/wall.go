package app

import "example.com/flow"

func init() { flow.GET().Name("wall").Do(showWall) }

var wallPage = flow.PageOf[wallData]()

type wallData struct {
	Version string // what is shown is at least as new
	Notes   []string
}

func showWall(req *flow.Request) (flow.Response, error) {
	version, _ := changes.now() // before the notes: a change in between is told twice, and not lost
	return pageOrPart(req, wallPage(wallData{version, notes.find("")}), "all"), nil
}
