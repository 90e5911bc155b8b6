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

// notesData is what notes/index.html shows: the notes, and the form as it was filled in,
// with what is wrong about it.
type notesData struct {
	Notes []notes.Note
	Form  flow.Form[notes.Draft]
}

// notesPage renders notes/index.html, which Check holds against notesData.
var notesPage = flow.PageOf[notesData]()

func (a *App) listNotes(*flow.Request) (notesData, error) {
	return notesData{Notes: a.Notes.All()}, nil
}

// addNote redirects after success, so that reloading the page adds nothing.
func (a *App) addNote(_ *flow.Request, in flow.Form[notes.Draft]) (flow.Response, error) {
	if in.Wrong != nil {
		return notesPage(notesData{a.Notes.All(), in}).Status(http.StatusUnprocessableEntity), nil
	}
	n := a.Notes.Add(in.Value)
	return flow.RedirectTo("notes.show", "id", n.ID), nil
}
