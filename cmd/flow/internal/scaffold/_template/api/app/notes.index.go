package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/notes"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Name("notes").Do(a.listNotes)
		f.POST().Do(a.addNote)
	})
}

func (a *App) listNotes(*flow.Request) flow.Response {
	return flow.JSON(a.Notes.All())
}

// addNote leaves it to flow to answer a draft that is invalid: 422, with the fields.
func (a *App) addNote(req *flow.Request) (flow.Response, error) {
	var draft notes.Draft
	if err := req.Bind(&draft); err != nil {
		return flow.Response{}, err
	}
	n := a.Notes.Add(draft)
	location, err := req.Route("notes.show", "id", n.ID)
	if err != nil {
		return flow.Response{}, err
	}
	return flow.JSON(n).Status(http.StatusCreated).Header("Location", location), nil
}
