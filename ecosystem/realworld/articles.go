package realworld

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/flow"
)

type articleData struct {
	Slug           string    `json:"slug"`
	Title          string    `json:"title"`
	Description    string    `json:"description"`
	Body           string    `json:"body,omitempty"`
	TagList        []string  `json:"tagList"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`
	Favorited      bool      `json:"favorited"`
	FavoritesCount int       `json:"favoritesCount"`
	Author         profile   `json:"author"`
}

type articleOut struct {
	Article articleData `json:"article"`
}

type articlesOut struct {
	Articles      []articleData `json:"articles"`
	ArticlesCount int           `json:"articlesCount"`
}

func (x *article) data(of *user) articleData {
	return articleData{x.slug, x.title, x.description, x.body, append([]string{}, x.tags...), x.created, x.updated, of != nil && x.favorites[of], len(x.favorites), profileOf(x.author, of)}
}

// page returns the articles of a page that a function chooses, without their bodies.
func (a *App) page(req *flow.Request, limit, offset int, has func(*article) bool) articlesOut {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := articlesOut{Articles: []articleData{}}
	for _, x := range a.articles {
		if !has(x) {
			continue
		}
		if out.ArticlesCount >= offset && len(out.Articles) < limit {
			data := x.data(me(req))
			data.Body = ""
			out.Articles = append(out.Articles, data)
		}
		out.ArticlesCount++
	}
	return out
}

type listIn struct {
	Tag       string `query:"tag"`
	Author    string `query:"author"`
	Favorited string `query:"favorited"`
	Limit     *int   `query:"limit"`
	Offset    int    `query:"offset"`
}

func (in listIn) limit() int {
	if in.Limit == nil {
		return 20
	}
	return *in.Limit
}

func (a *App) listArticles(req *flow.Request, in listIn) (articlesOut, error) {
	return a.page(req, in.limit(), in.Offset, func(x *article) bool {
		favorited := in.Favorited == ""
		for u := range x.favorites {
			favorited = favorited || u.Username == in.Favorited
		}
		return favorited && (in.Tag == "" || slices.Contains(x.tags, in.Tag)) && (in.Author == "" || x.author.Username == in.Author)
	}), nil
}

func (a *App) feed(req *flow.Request, in listIn) (articlesOut, error) {
	return a.page(req, in.limit(), in.Offset, func(x *article) bool { return me(req).follows[x.author] }), nil
}

type articleIn struct {
	Article struct {
		Title       *string  `json:"title"`
		Description *string  `json:"description"`
		Body        *string  `json:"body"`
		TagList     []string `json:"tagList"`
	} `json:"article"`
}

var noWord = regexp.MustCompile(`[^a-z0-9]+`)

// set sets the fields of an article. required says that none may be missing.
func (x *article) set(in articleIn, required bool) error {
	wrong, next := flow.Invalid{}, *x
	for _, field := range []struct {
		name     string
		from, to *string
	}{{"title", in.Article.Title, &next.title}, {"description", in.Article.Description, &next.description}, {"body", in.Article.Body, &next.body}} {
		switch {
		case field.from != nil && strings.TrimSpace(*field.from) != "":
			*field.to = *field.from
		case field.from != nil || required:
			wrong[field.name] = "can't be blank"
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	next.slug, next.updated = strings.Trim(noWord.ReplaceAllString(strings.ToLower(next.title), "-"), "-"), time.Now().UTC()
	*x = next
	return nil
}

func (a *App) addArticle(req *flow.Request, in articleIn) (articleOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := &article{author: me(req), favorites: map[*user]bool{}, created: time.Now().UTC(), tags: in.Article.TagList}
	if err := x.set(in, true); err != nil {
		return articleOut{}, err
	}
	if _, err := a.article(x.slug); err == nil {
		return articleOut{}, flow.Invalid{"title": "has already been taken"}
	}
	a.articles = append([]*article{x}, a.articles...)
	return articleOut{x.data(me(req))}, nil
}

type articleRef struct {
	Slug string `param:"slug"`
}

// article returns an article. The caller holds the lock.
func (a *App) article(slug string) (*article, error) {
	i := slices.IndexFunc(a.articles, func(x *article) bool { return x.slug == slug })
	if i < 0 {
		return nil, errNotFound
	}
	return a.articles[i], nil
}

// own is article for what only its author may do.
func (a *App) own(req *flow.Request, slug string) (*article, error) {
	x, err := a.article(slug)
	if err == nil && x.author != me(req) {
		err = errForbidden
	}
	return x, err
}

func (a *App) showArticle(req *flow.Request, in articleRef) (articleOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	if err != nil {
		return articleOut{}, err
	}
	return articleOut{x.data(me(req))}, nil
}

func (a *App) updateArticle(req *flow.Request, in articleIn) (articleOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.own(req, req.Param("slug"))
	if err != nil {
		return articleOut{}, err
	}
	err = x.set(in, false)
	return articleOut{x.data(me(req))}, err
}

func (a *App) deleteArticle(req *flow.Request, in articleRef) (flow.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.own(req, in.Slug)
	if err == nil {
		a.articles = slices.DeleteFunc(a.articles, func(other *article) bool { return other == x })
	}
	return flow.Response{}, err
}

func (a *App) favorite(on bool) func(*flow.Request, articleRef) (articleOut, error) {
	return func(req *flow.Request, in articleRef) (articleOut, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		x, err := a.article(in.Slug)
		if err != nil {
			return articleOut{}, err
		}
		set(x.favorites, me(req), on)
		return articleOut{x.data(me(req))}, nil
	}
}

func (a *App) tags(*flow.Request) (map[string][]string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := []string{}
	for _, x := range a.articles {
		all = append(all, x.tags...)
	}
	slices.Sort(all)
	return map[string][]string{"tags": slices.Compact(all)}, nil
}

type commentData struct {
	ID        int       `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	Body      string    `json:"body"`
	Author    profile   `json:"author"`
}

type commentIn struct {
	Slug    string `param:"slug" json:"-"`
	Comment struct {
		Body string `json:"body"`
	} `json:"comment"`
}

func (c *comment) data(of *user) commentData {
	return commentData{c.id, c.created, c.created, c.body, profileOf(c.author, of)}
}

func (a *App) listComments(req *flow.Request, in articleRef) (map[string][]commentData, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	if err != nil {
		return nil, err
	}
	all := []commentData{}
	for _, c := range x.comments {
		all = append(all, c.data(me(req)))
	}
	return map[string][]commentData{"comments": all}, nil
}

func (a *App) addComment(req *flow.Request, in commentIn) (map[string]commentData, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(in.Comment.Body) == "":
		return nil, flow.Invalid{"body": "can't be blank"}
	}
	a.lastID++
	c := &comment{a.lastID, in.Comment.Body, me(req), time.Now().UTC()}
	x.comments = append(x.comments, c)
	return map[string]commentData{"comment": c.data(me(req))}, nil
}

func (a *App) deleteComment(req *flow.Request, in struct {
	Slug string `param:"slug"`
	ID   int    `param:"id"`
}) (flow.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	if err != nil {
		return flow.Response{}, err
	}
	i := slices.IndexFunc(x.comments, func(c *comment) bool { return c.id == in.ID })
	switch {
	case i < 0:
		return flow.Response{}, errNotFound
	case x.comments[i].author != me(req):
		return flow.Response{}, errForbidden
	}
	x.comments = slices.Delete(x.comments, i, i+1)
	return flow.Response{}, nil
}
