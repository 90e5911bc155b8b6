package app

import (
	"strings"

	"example.com/board/store"
	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Do(a.show)
		f.POST().Use(signedIn).Do(a.add)
	})
}

var board = flow.PageOf[boardData]()

type boardData struct {
	Posts []store.Post
	Form  flow.Form[newPost]
}

// Last returns the id of the last post that the page shows.
func (d boardData) Last() int64 {
	if len(d.Posts) == 0 {
		return 0
	}
	return d.Posts[len(d.Posts)-1].ID
}

type newPost struct {
	Text string `form:"text"`
}

// Validate is called before add.
func (p *newPost) Validate() error {
	if p.Text = strings.TrimSpace(p.Text); p.Text == "" {
		return flow.Invalid{"text": "is required"}
	}
	return nil
}

func (a *App) show(req *flow.Request) (boardData, error) {
	posts, err := a.Store.Latest(req.Context())
	return boardData{Posts: posts}, err
}

func (a *App) add(req *flow.Request, in flow.Form[newPost]) (flow.Response, error) {
	if in.Wrong != nil {
		posts, err := a.Store.Latest(req.Context())
		return board(boardData{posts, in}).Status(422), err
	}
	return flow.RedirectTo("index"), a.Store.Add(req.Context(), in.Value.Text)
}
