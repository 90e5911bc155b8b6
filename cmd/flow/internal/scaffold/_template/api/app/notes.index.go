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

func (a *App) listNotes(*flow.Request) ([]notes.Note, error) {
	return a.Notes.All(), nil
}

// addNote gets a draft that is valid: flow answers any other with 422 and its fields.
func (a *App) addNote(req *flow.Request, draft notes.Draft) (flow.Response, error) {
	n := a.Notes.Add(draft)
	location, err := req.Route("notes.show", "id", n.ID)
	return flow.JSON(n).Status(http.StatusCreated).Header("Location", location), err
}
