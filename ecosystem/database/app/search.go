package app

import (
	"unicode/utf8"

	"example.com/flow"
	"example.com/notes/store"
)

func init() {
	flow.With(func(f *flow.File, s *store.Store) { f.GET().Name("search").Do(noteHandlers{s}.search) })
}

type search struct {
	Words string `query:"q"`
}

// Validate is called before the handler.
func (s search) Validate() error {
	if len(s.Words) > 200 || !utf8.ValidString(s.Words) {
		return flow.Invalid{"q": "must be a text of up to 200 bytes"}
	}
	return nil
}

type searchData struct {
	search
	Found []store.Found
}

func (h noteHandlers) search(req *flow.Request, in search) (searchData, error) {
	found, err := h.store.Search(req.Context(), in.Words)
	return searchData{in, found}, err
}
