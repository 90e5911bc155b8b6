package app

import (
	"errors"
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

// A notesPage is what notes/index.html shows: the notes, and the form as it was filled
// in, with what is wrong about it.
type notesPage struct {
	Notes []notes.Note
	Form  notes.Draft
	Wrong flow.Invalid
}

func (a *App) listNotes(*flow.Request) flow.Response {
	return flow.Page(notesPage{Notes: a.Notes.All()})
}

// addNote redirects after success, so that reloading the page adds nothing.
func (a *App) addNote(req *flow.Request) (flow.Response, error) {
	var form notes.Draft // empty, since a browser sends nothing for a checkbox that is not ticked
	err := req.Bind(&form)
	if wrong, ok := errors.AsType[flow.Invalid](err); ok {
		page := notesPage{Notes: a.Notes.All(), Form: form, Wrong: wrong}
		return flow.Page(page).Status(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return flow.Response{}, err
	}
	n := a.Notes.Add(form)
	return flow.RedirectTo("notes.show", "id", n.ID), nil
}
