package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/notes"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Do(a.apiListNotes)
		f.POST().Do(a.apiAddNote)
	})
}

func (a *App) apiListNotes(*flow.Request) flow.Response {
	return flow.JSON(a.Notes.All())
}

// apiAddNote leaves it to flow to answer a draft that is invalid: 422, with the fields.
func (a *App) apiAddNote(req *flow.Request) (flow.Response, error) {
	var draft notes.Draft
	if err := req.Bind(&draft); err != nil {
		return flow.Response{}, err
	}
	return flow.JSON(a.Notes.Add(draft)).Status(http.StatusCreated), nil
}
