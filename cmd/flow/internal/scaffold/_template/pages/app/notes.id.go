package app

import (
	"net/http"
	"strconv"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("notes.show").Do(a.showNote) })
}

func (a *App) showNote(req *flow.Request) (flow.Response, error) {
	id, _ := strconv.Atoi(req.Param("id")) // 0, which no note has, if it is no number
	n, ok := a.Notes.Find(id)
	if !ok {
		return flow.Response{}, flow.Error(http.StatusNotFound, "there is no such note")
	}
	return flow.Page(n), nil
}
