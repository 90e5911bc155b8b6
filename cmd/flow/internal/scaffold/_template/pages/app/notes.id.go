package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/notes"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("notes.show").Do(a.showNote) })
}

type showNoteIn struct {
	ID int `param:"id"` // what is no number is answered with 404
}

func (a *App) showNote(_ *flow.Request, in showNoteIn) (notes.Note, error) {
	n, ok := a.Notes.Find(in.ID)
	if !ok {
		return n, flow.Error(http.StatusNotFound, "there is no such note")
	}
	return n, nil
}
