// Package realworld is an application with the public API of RealWorld, which many frameworks
// implement: users, articles, comments, tags. Its data are in memory. Its route files are a
// test suite of that API: the tests send them in process, and clients send the same files over
// the wire.
package realworld

import (
	"cmp"
	"crypto/rand"
	"embed"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/flow"
	"example.com/flow/openapi"
)

//go:embed all:router
var files embed.FS

// An App holds the data. Its zero value is ready to use.
type App struct {
	mu       sync.Mutex
	users    []*user
	articles []*article // the newest first
	lastID   int        // of comments
	byToken  sync.Map   // the users; without mu, since Authenticate may be called while a handler holds it
}

type user struct {
	Email, Username, Bio, Image string
	password, token             string
	follows                     map[*user]bool
}

type article struct {
	slug, title, description, body string
	tags                           []string
	created, updated               time.Time
	author                         *user
	favorites                      map[*user]bool
	comments                       []*comment
}

type comment struct {
	id      int
	body    string
	author  *user
	created time.Time
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router {
	r := flow.New(files)
	r.Authenticate = a.authenticate
	r.OnError = answerError
	in := func(path string) *flow.File { return r.At("api/" + path) }
	in("users/store").POST().Status(http.StatusCreated).Do(a.register)
	in("users/login").POST().Do(a.login)
	in("user").GET().Use(signedIn).Do(func(req *flow.Request) (userOut, error) { return showUser(me(req)), nil })
	in("user").PUT().Use(signedIn).Do(a.updateUser)
	in("profiles/[username]/index").GET().Do(a.showProfile)
	in("profiles/[username]/follow").Use(signedIn)
	in("profiles/[username]/follow").POST().Do(a.follow(true))
	in("profiles/[username]/follow").DELETE().Do(a.follow(false))
	in("articles/index").GET().Do(a.listArticles)
	in("articles/store").POST().Use(signedIn).Status(http.StatusCreated).Do(a.addArticle)
	in("articles/feed").GET().Use(signedIn).Do(a.feed)
	in("articles/[slug]/index").GET().Do(a.showArticle)
	in("articles/[slug]/index").PUT().Use(signedIn).Do(a.updateArticle)
	in("articles/[slug]/index").DELETE().Use(signedIn).Do(a.deleteArticle)
	in("articles/[slug]/favorite").Use(signedIn)
	in("articles/[slug]/favorite").POST().Do(a.favorite(true))
	in("articles/[slug]/favorite").DELETE().Do(a.favorite(false))
	in("articles/[slug]/comments/index").GET().Do(a.listComments)
	in("articles/[slug]/comments/store").POST().Use(signedIn).Status(http.StatusCreated).Do(a.addComment)
	in("articles/[slug]/comments/[id=int]").DELETE().Use(signedIn).Do(a.deleteComment)
	in("tags").GET().Do(a.tags)
	in("openapi.json").GET().Do(api.JSON())
	in("docs").GET().Do(api.Page())
	return r
}

var api = openapi.API{
	Version: "1.0",
	Error:   errorsOut{},
	SignIn:  []openapi.SignIn{{Name: "token", Header: "Authorization", Doc: "Token, a space, and the token that users have in answers.", Guards: []any{signedIn}}},
}

// errorsOut is how the API answers errors: {"errors": {"body": ["…"]}}.
type errorsOut struct {
	Errors map[string][]string `json:"errors" doc:"What is wrong, by field, or under the key body."`
}

// answerError answers errors as the API does.
func answerError(req *flow.Request, err error) flow.Response {
	errs := map[string][]string{}
	if wrong, ok := err.(flow.Invalid); ok {
		for field, message := range wrong {
			errs[field[strings.LastIndexByte(field, '.')+1:]] = []string{message}
		}
	} else {
		message := http.StatusText(flow.StatusOf(err))
		if public, ok := errors.AsType[*flow.HTTPError](err); ok {
			message = cmp.Or(public.Message, message)
		}
		errs["body"] = []string{message}
	}
	return flow.JSON(errorsOut{errs}).Status(flow.StatusOf(err))
}

func (a *App) authenticate(req *flow.Request) (any, error) {
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Token ")
	u, known := a.byToken.Load(token)
	if !ok || !known {
		return nil, nil
	}
	return u, nil
}

// me returns the user of a request, or nil.
func me(req *flow.Request) *user { return flow.UserOf[*user](req) }

func signedIn(req *flow.Request) flow.Response {
	if me(req) == nil {
		return flow.Fail(http.StatusUnauthorized, "a token is needed")
	}
	return flow.Next()
}

var (
	errNotFound  = flow.Error(http.StatusNotFound, "not found")
	errForbidden = flow.Error(http.StatusForbidden, "this belongs to somebody else")
)

type newUser struct {
	Username string `json:"username" doc:"Nobody else has it."`
	Email    string `json:"email" doc:"Nobody else has it."`
	Password string `json:"password"`
}

func (n newUser) Validate() error {
	return notBlank(map[string]*string{"username": &n.Username, "email": &n.Email, "password": &n.Password})
}

type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (c credentials) Validate() error {
	return notBlank(map[string]*string{"email": &c.Email, "password": &c.Password})
}

// A userChange has nil for what stays as it is.
type userChange struct {
	Username *string `json:"username"`
	Email    *string `json:"email"`
	Password *string `json:"password"`
	Bio      *string `json:"bio"`
	Image    *string `json:"image" doc:"The URL of a picture; an empty one takes it away."`
}

func (c userChange) Validate() error {
	return notBlank(map[string]*string{"username": c.Username, "email": c.Email, "password": c.Password})
}

// notBlank says which of the texts that are not nil are blank.
func notBlank(texts map[string]*string) error {
	wrong := flow.Invalid{}
	for name, text := range texts {
		if text != nil && strings.TrimSpace(*text) == "" {
			wrong[name] = "can't be blank"
		}
	}
	return wrong
}

type userData struct {
	Email    string  `json:"email"`
	Token    string  `json:"token" doc:"For the header Authorization."`
	Username string  `json:"username"`
	Bio      string  `json:"bio"`
	Image    *string `json:"image"`
}

// userIn is the JSON of requests, which has one key around what they are about.
type userIn[T any] struct {
	User T `json:"user"`
}

type userOut struct {
	User userData `json:"user"`
}

// orNil returns a text, or nil for "".
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func showUser(u *user) userOut {
	return userOut{userData{u.Email, u.token, u.Username, u.Bio, orNil(u.Image)}}
}

func (a *App) register(_ *flow.Request, in userIn[newUser]) (userOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := &user{token: rand.Text(), follows: map[*user]bool{}}
	n := in.User
	if err := a.set(u, userChange{Username: &n.Username, Email: &n.Email, Password: &n.Password}); err != nil {
		return userOut{}, err
	}
	a.users = append(a.users, u)
	a.byToken.Store(u.token, u)
	return showUser(u), nil
}

// set changes a user, unless another one has its name or its address.
func (a *App) set(u *user, c userChange) error {
	next := *u
	change(&next.Username, c.Username)
	change(&next.Email, c.Email)
	change(&next.password, c.Password)
	change(&next.Bio, c.Bio)
	change(&next.Image, c.Image)
	wrong := flow.Invalid{}
	for _, other := range a.users {
		if other != u && other.Username == next.Username {
			wrong["username"] = "has already been taken"
		}
		if other != u && other.Email == next.Email {
			wrong["email"] = "has already been taken"
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	*u = next
	return nil
}

// change sets a text to another one, unless that is nil.
func change(text, to *string) {
	if to != nil {
		*text = *to
	}
}

func (a *App) login(_ *flow.Request, in userIn[credentials]) (userOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.users {
		if u.Email == in.User.Email && u.password == in.User.Password {
			return showUser(u), nil
		}
	}
	return userOut{}, flow.Error(http.StatusUnauthorized, "email or password is invalid")
}

func (a *App) updateUser(req *flow.Request, in userIn[userChange]) (userOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.set(me(req), in.User)
	return showUser(me(req)), err
}

type profile struct {
	Username  string  `json:"username"`
	Bio       string  `json:"bio"`
	Image     *string `json:"image"`
	Following bool    `json:"following"`
}

type profileOut struct {
	Profile profile `json:"profile"`
}

func profileOf(u, of *user) profile {
	return profile{u.Username, u.Bio, orNil(u.Image), of != nil && of.follows[u]}
}

type userRef struct {
	Username string `param:"username"`
}

func (a *App) find(name string) (*user, error) {
	for _, u := range a.users {
		if u.Username == name {
			return u, nil
		}
	}
	return nil, errNotFound
}

func (a *App) showProfile(req *flow.Request, in userRef) (profileOut, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	u, err := a.find(in.Username)
	if err != nil {
		return profileOut{}, err
	}
	return profileOut{profileOf(u, me(req))}, nil
}

func (a *App) follow(on bool) func(*flow.Request, userRef) (profileOut, error) {
	return func(req *flow.Request, in userRef) (profileOut, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		u, err := a.find(in.Username)
		if err != nil {
			return profileOut{}, err
		}
		set(me(req).follows, u, on)
		return profileOut{profileOf(u, me(req))}, nil
	}
}

func set(m map[*user]bool, u *user, on bool) {
	if delete(m, u); on {
		m[u] = true
	}
}
