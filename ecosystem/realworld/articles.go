package realworld

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/flow"
)

// A listed article is one in a list, which does not have the bodies.
type listed struct {
	Slug           string    `json:"slug" doc:"The title, as it stands in URLs."`
	Title          string    `json:"title"`
	Description    string    `json:"description"`
	TagList        []string  `json:"tagList"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`
	Favorited      bool      `json:"favorited" doc:"By who asks."`
	FavoritesCount int       `json:"favoritesCount"`
	Author         profile   `json:"author"`
}

type articleData struct {
	listed
	Body string `json:"body"`
}

type articleOut struct {
	Article articleData `json:"article"`
}

type articlesOut struct {
	Articles      []listed `json:"articles"`
	ArticlesCount int      `json:"articlesCount" doc:"Of all pages."`
}

func (x *article) listed(of *user) listed {
	return listed{x.slug, x.title, x.description, append([]string{}, x.tags...), x.created, x.updated, of != nil && x.favorites[of], len(x.favorites), profileOf(x.author, of)}
}

func (x *article) out(of *user) articleOut { return articleOut{articleData{x.listed(of), x.body}} }

// A pageIn says which part of a list is wanted.
type pageIn struct {
	Limit  int `query:"limit" doc:"How many articles there are at most."`
	Offset int `query:"offset" doc:"How many articles are left out before them."`
}

func (in *pageIn) Default() { in.Limit = 20 }

func (in pageIn) Validate() error {
	wrong := flow.Invalid{}
	if in.Limit < 0 || in.Limit > 100 {
		wrong["limit"] = "must be from 0 to 100"
	}
	if in.Offset < 0 {
		wrong["offset"] = "must not be negative"
	}
	return wrong
}

// page returns the articles of a page that a function chooses, the newest first.
func (a *App) page(req *flow.Request, in pageIn, has func(*article) bool) articlesOut {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := articlesOut{Articles: []listed{}}
	for _, x := range a.articles {
		if !has(x) {
			continue
		}
		if out.ArticlesCount >= in.Offset && len(out.Articles) < in.Limit {
			out.Articles = append(out.Articles, x.listed(me(req)))
		}
		out.ArticlesCount++
	}
	return out
}

type listIn struct {
	pageIn
	Tag       string `query:"tag"`
	Author    string `query:"author" doc:"The name of a user."`
	Favorited string `query:"favorited" doc:"The name of a user."`
}

func (a *App) listArticles(req *flow.Request, in listIn) (articlesOut, error) {
	return a.page(req, in.pageIn, func(x *article) bool {
		favorited := in.Favorited == ""
		for u := range x.favorites {
			favorited = favorited || u.Username == in.Favorited
		}
		return favorited && (in.Tag == "" || slices.Contains(x.tags, in.Tag)) && (in.Author == "" || x.author.Username == in.Author)
	}), nil
}

func (a *App) feed(req *flow.Request, in pageIn) (articlesOut, error) {
	return a.page(req, in, func(x *article) bool { return me(req).follows[x.author] }), nil
}

type newArticle struct {
	Title       string   `json:"title" doc:"No other article has it."`
	Description string   `json:"description"`
	Body        string   `json:"body"`
	TagList     []string `json:"tagList"`
}

func (n newArticle) Validate() error {
	return notBlank(map[string]*string{"title": &n.Title, "description": &n.Description, "body": &n.Body})
}

type newArticleIn struct {
	Article newArticle `json:"article"`
}

// An articleChange has nil for what stays as it is.
type articleChange struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
	Body        *string `json:"body"`
}

func (c articleChange) Validate() error {
	return notBlank(map[string]*string{"title": c.Title, "description": c.Description, "body": c.Body})
}

type articleChangeIn struct {
	articleRef
	Article articleChange `json:"article"`
}

var noWord = regexp.MustCompile(`[^a-z0-9]+`)

func (x *article) set(c articleChange) {
	change(&x.title, c.Title)
	change(&x.description, c.Description)
	change(&x.body, c.Body)
	x.slug, x.updated = strings.Trim(noWord.ReplaceAllString(strings.ToLower(x.title), "-"), "-"), time.Now().UTC()
}

func (a *App) addArticle(req *flow.Request, in newArticleIn) (articleOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := in.Article
	x := &article{author: me(req), favorites: map[*user]bool{}, created: time.Now().UTC(), tags: n.TagList}
	x.set(articleChange{&n.Title, &n.Description, &n.Body})
	if _, err := a.article(x.slug); err == nil {
		return articleOut{}, flow.Invalid{"title": "has already been taken"}
	}
	a.articles = append([]*article{x}, a.articles...)
	return x.out(me(req)), nil
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
	return x.out(me(req)), nil
}

func (a *App) updateArticle(req *flow.Request, in articleChangeIn) (articleOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.own(req, in.Slug)
	if err != nil {
		return articleOut{}, err
	}
	x.set(in.Article)
	return x.out(me(req)), nil
}

func (a *App) deleteArticle(req *flow.Request, in articleRef) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.own(req, in.Slug)
	if err == nil {
		a.articles = slices.DeleteFunc(a.articles, func(other *article) bool { return other == x })
	}
	return err
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
		return x.out(me(req)), nil
	}
}

type tagsOut struct {
	Tags []string `json:"tags"`
}

func (a *App) tags(*flow.Request) (tagsOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := []string{}
	for _, x := range a.articles {
		all = append(all, x.tags...)
	}
	slices.Sort(all)
	return tagsOut{slices.Compact(all)}, nil
}

type commentData struct {
	ID        int       `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	Body      string    `json:"body"`
	Author    profile   `json:"author"`
}

type newComment struct {
	Body string `json:"body"`
}

func (n newComment) Validate() error { return notBlank(map[string]*string{"body": &n.Body}) }

type newCommentIn struct {
	articleRef
	Comment newComment `json:"comment"`
}

type commentRef struct {
	articleRef
	ID int `param:"id"`
}

type commentOut struct {
	Comment commentData `json:"comment"`
}

type commentsOut struct {
	Comments []commentData `json:"comments"`
}

func (c *comment) data(of *user) commentData {
	return commentData{c.id, c.created, c.created, c.body, profileOf(c.author, of)}
}

func (a *App) listComments(req *flow.Request, in articleRef) (commentsOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	if err != nil {
		return commentsOut{}, err
	}
	all := []commentData{}
	for _, c := range x.comments {
		all = append(all, c.data(me(req)))
	}
	return commentsOut{all}, nil
}

func (a *App) addComment(req *flow.Request, in newCommentIn) (commentOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	if err != nil {
		return commentOut{}, err
	}
	a.lastID++
	c := &comment{a.lastID, in.Comment.Body, me(req), time.Now().UTC()}
	x.comments = append(x.comments, c)
	return commentOut{c.data(me(req))}, nil
}

func (a *App) deleteComment(req *flow.Request, in commentRef) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, err := a.article(in.Slug)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(x.comments, func(c *comment) bool { return c.id == in.ID })
	switch {
	case i < 0:
		return errNotFound
	case x.comments[i].author != me(req):
		return errForbidden
	}
	x.comments = slices.Delete(x.comments, i, i+1)
	return nil
}
