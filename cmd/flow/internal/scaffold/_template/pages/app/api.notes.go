package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/notes"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Do(a.apiListNotes)
		f.POST().Status(http.StatusCreated).Do(a.apiAddNote)
	})
}

func (a *App) apiListNotes(*flow.Request) ([]notes.Note, error) {
	return a.Notes.All(), nil
}

// apiAddNote gets a draft that is valid: flow answers any other with 422 and its fields.
func (a *App) apiAddNote(_ *flow.Request, draft notes.Draft) (notes.Note, error) {
	return a.Notes.Add(draft), nil
}
