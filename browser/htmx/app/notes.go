package app

import (
	"strings"
	"sync"

	"example.com/flow"
)

func init() {
	flow.GET().Name("notes").Do(showNotes)
	flow.POST().Do(addNote)
}

// notesPage renders the page of this file.
var notesPage = flow.PageOf[notesData]()

type notesData struct {
	Search string
	Notes  []string
	Form   flow.Form[note]
}

type search struct {
	Text string `query:"q"`
}

type note struct {
	Text string `form:"text"`
}

// Validate is called before addNote.
func (n *note) Validate() error {
	if n.Text = strings.TrimSpace(n.Text); n.Text == "" {
		return flow.Invalid{"text": "is required"}
	}
	return nil
}

func showNotes(req *flow.Request, in search) (flow.Response, error) {
	return pageOrPart(req, notesPage(notesData{Search: in.Text, Notes: notes.find(in.Text)}), "list"), nil
}

func addNote(req *flow.Request, in flow.Form[note]) (flow.Response, error) {
	if in.Wrong != nil {
		return pageOrPart(req, notesPage(notesData{Notes: notes.find(""), Form: in}), "list").Status(422), nil
	}
	notes.add(in.Value.Text)
	if wantsPart(req) {
		return showNotes(req, search{})
	}
	return flow.RedirectTo("notes"), nil
}

// notes stands for a database.
var notes store

type store struct {
	mu   sync.Mutex
	list []string
}

func (s *store) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, text)
	changes.announce()
}

func (s *store) find(part string) (found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.list {
		if strings.Contains(text, part) {
			found = append(found, text)
		}
	}
	return found
}
