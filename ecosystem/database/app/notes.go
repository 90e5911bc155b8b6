package app

import (
	"strings"

	"example.com/flow"
	"example.com/notes/store"
)

func init() {
	flow.With(func(f *flow.File, s *store.Store) {
		h := noteHandlers{s}
		f.GET().Name("notes").Do(h.list)
		f.POST().Do(h.add)
	})
}

var notesPage = flow.PageOf[notesData]()

type notesData struct {
	Notes []store.Note
	Form  flow.Form[newNote]
}

type newNote struct {
	Text string `form:"text"`
}

// Validate is called before add.
func (n *newNote) Validate() error {
	if n.Text = strings.TrimSpace(n.Text); n.Text == "" {
		return flow.Invalid{"text": "is required"}
	}
	return nil
}

type noteHandlers struct{ store *store.Store }

func (h noteHandlers) list(req *flow.Request) (notesData, error) {
	notes, err := h.store.Notes(req.Context())
	return notesData{Notes: notes}, err
}

func (h noteHandlers) add(req *flow.Request, in flow.Form[newNote]) (flow.Response, error) {
	if in.Wrong != nil {
		notes, err := h.store.Notes(req.Context())
		return notesPage(notesData{notes, in}).Status(422), err
	}
	return flow.RedirectTo("notes"), h.store.AddNote(req.Context(), in.Value.Text)
}
