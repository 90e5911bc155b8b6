package app

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/app/users"
)

func TestCreateUser(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, body string
		status                  int
		want                    string
	}{
		{"JSON", asJSON, `{"name":"Barbara Liskov","email":"barbara@example.com"}`, 201,
			`{"success":true,"message":"user 4 was created","data":{"email":"barbara@example.com","name":"Barbara Liskov"}}`},
		{"a form", asForm, "name=Barbara&email=b%40example.com", 201,
			`{"success":true,"message":"user 4 was created","data":{"email":"b@example.com","name":"Barbara"}}`},
		{"more fields than asked for", asJSON, `{"name":"B","email":"b@example.com","id":1,"admin":true}`, 201,
			`"data":{"email":"b@example.com","name":"B"}}`},
		{"with the newsletter", asJSON, `{"name":"B","email":"b@example.com","newsletter":true}`, 201, `"newsletter":true`},
		{"no body", "", "", 422, `"email":"is required","name":"is required"`},
		{"blanks", asJSON, `{"name":"  ","email":"b@example.com"}`, 422, `"errors":{"name":"is required"}`},
		{"a long name", asJSON, `{"name":"` + strings.Repeat("é", 81) + `","email":"b@example.com"}`, 422, "more than 80 characters"},
		{"no address", asJSON, `{"name":"B","email":"example.com"}`, 422, `"email":"is not an email address"`},
		{"an address with a name", asForm, "name=B&email=B+%3Cb%40example.com%3E", 422, "is not an email address"},
		{"a number as name", asJSON, `{"name":5,"email":"b@example.com"}`, 422, `"name":"must be text"`},
		{"an address that is taken", asJSON, `{"name":"B","email":"ADA@example.com"}`, 422, "belongs to another user"},
		{"no JSON", asJSON, `{"name":`, 400, "not valid JSON"},
		{"a list", asJSON, `[]`, 400, "not a JSON object"},
		{"another media type", "text/plain", "name=B", 415, "neither JSON nor a form"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			router := newRouter(t, nil)
			got := do(router, newRequest("POST", "/api/users", tt.body, "Content-Type", tt.contentType))
			is.Equal(got.status, tt.status)
			is.True(strings.Contains(got.body, tt.want)) // the body has that piece
			after := do(router, newRequest("GET", "/api/users/4", ""))
			is.Equal(after.status == 200, tt.status == 201) // it was created, or else nothing was
		})
	}
}

func TestUpdateUser(t *testing.T) {
	for _, tt := range []struct {
		name, target, body string
		status             int
		want               string
	}{
		{"both fields", "/api/users/2", `{"name":"Grace M. Hopper","email":"grace@example.org"}`, 200,
			`{"success":true,"message":"user 2 was updated","data":null}`},
		{"the same address", "/api/users/2", `{"name":"Grace","email":"grace@example.com"}`, 200, "user 2 was updated"},
		{"one field", "/api/users/2", `{"name":"Grace"}`, 422, `"errors":{"email":"is required"}`},
		{"the address of another", "/api/users/2", `{"name":"Grace","email":"ada@example.com"}`, 422, "belongs to another user"},
		{"nobody", "/api/users/99", `{"name":"G","email":"g@example.com"}`, 404, "there is no user 99"},
		{"nobody, badly described", "/api/users/99", `{}`, 404, "there is no user 99"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := do(newRouter(t, nil), newRequest("PUT", tt.target, tt.body, "Content-Type", asJSON))
			is.Equal(got.status, tt.status)
			is.True(strings.Contains(got.body, tt.want)) // the body has that piece
		})
	}
}

// TestUserLife goes through the API as a client does.
func TestUserLife(t *testing.T) {
	router := newRouter(t, nil)
	for _, tt := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"POST", "/api/users", `{"name":"Barbara","email":"b@example.com"}`, 201, "user 4"},
		{"GET", "/api/users/4", "", 200, `{"id":4,"name":"Barbara"}`},
		{"PUT", "/api/users/4", `{"name":"Barbara Liskov","email":"b@example.com"}`, 200, "user 4"},
		{"GET", "/api/users/4", "", 200, `{"id":4,"name":"Barbara Liskov"}`},
		{"GET", "/users", "", 200, "Barbara Liskov"},
		{"DELETE", "/api/users/4", "", 200, `{"success":true,"message":"user 4 was deleted","data":null}`},
		{"GET", "/api/users/4", "", 404, "there is no user 4"},
		{"DELETE", "/api/users/4", "", 404, "there is no user 4"},
		{"POST", "/api/users", `{"name":"Barbara","email":"b@example.com"}`, 201, "user 5"},
	} {
		ok := t.Run(tt.method+" "+tt.target+" "+tt.want, func(t *testing.T) {
			is := is.New(t)
			got := do(router, newRequest(tt.method, tt.target, tt.body, "Content-Type", asJSON))
			is.Equal(got.status, tt.status)
			is.True(strings.Contains(got.body, tt.want)) // the body has that piece
		})
		if !ok {
			return // each step needs the one before
		}
	}
}

// TestUsersForm fills in the form of the users page.
func TestUsersForm(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
		location   string
		pieces     []string
	}{
		{"all is well", "name=Barbara&email=b%40example.com", 303, "/users/4", nil},
		{"empty", "name=&email=", 422, "", []string{"Name is required.", "Email is required.", `role="alert"`, "Grace Hopper"}},
		{"one mistake", "name=Barbara&email=b", 422, "", []string{`value="Barbara"`, `value="b"`, "Email is not an email address.", `type="checkbox">`}},
		{"a tick and a mistake", "name=Barbara&email=b&newsletter=on", 422, "", []string{`type="checkbox" checked>`}},
		{"no box", "name=Ada&email=b%40example.com&newsletter=maybe", 422, "", []string{
			`type="checkbox" aria-invalid="true" aria-describedby="newsletter-wrong">`,
			`<span class="wrong" id="newsletter-wrong">Gets the newsletter must be true or false.</span>`}},
		{"as it was typed", "name=+Ada+&email=b", 422, "", []string{`value=" Ada "`, `value="b" autocomplete="off" required aria-invalid="true" aria-describedby="email-wrong">`}},
		{"a taken address", "name=Ada&email=ada%40example.com", 422, "", []string{"Email belongs to another user."}},
		{"markup", "name=%22%3E%3Cscript%3E&email=b", 422, "", []string{`value="&#34;&gt;&lt;script&gt;"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := do(newRouter(t, nil), newRequest("POST", "/users", tt.body, "Content-Type", asForm))
			is.Equal(got.status, tt.status)
			is.Equal(got.header.Get("Location"), tt.location)
			for _, piece := range tt.pieces {
				is.True(strings.Contains(got.body, piece)) // the page says what was entered and what is wrong
			}
		})
	}
}

// TestEditUser fills in the form of a user's page. For a box without a tick, a browser
// sends nothing.
func TestEditUser(t *testing.T) {
	const ticked = `<input id="newsletter" name="newsletter" type="checkbox" checked>`
	for _, tt := range []struct {
		name, target, body string
		status             int
		piece              string
		form, stored       bool // whether the box is ticked in the answer, and on the page afterwards
	}{
		{"tick", "/users/2", "name=Grace&email=grace%40example.com&newsletter=on", 303, "", false, true},
		{"untick", "/users/1", "name=Ada&email=ada%40example.com", 303, "", false, false},
		{"keep the tick", "/users/1", "name=Ada+King&email=ada%40example.com&newsletter=on", 303, "", false, true},
		{"tick, with a mistake", "/users/2", "name=&email=grace%40example.com&newsletter=on", 422, "Name is required.", true, false},
		{"untick, with a mistake", "/users/1", "name=&email=ada%40example.com", 422, "Name is required.", false, true},
		{"untick, with a taken address", "/users/1", "name=Ada&email=grace%40example.com", 422, "Email belongs to another user.", false, true},
		{"a mistake", "/users/1", "name=Ada&email=%22%3E", 422, `value="&#34;&gt;"`, false, true},
		{"nobody", "/users/99", "name=&email=", 404, "there is no user 99", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			router := newRouter(t, nil)
			before := do(router, newRequest("GET", tt.target, ""))
			got := do(router, newRequest("POST", tt.target, tt.body, "Content-Type", asForm))
			is.Equal(got.status, tt.status)
			is.True(strings.Contains(got.body, tt.piece)) // the page says what was entered or is wrong
			is.Equal(strings.Contains(got.body, ticked), tt.form)
			after := do(router, newRequest("GET", tt.target, ""))
			is.Equal(strings.Contains(after.body, ticked), tt.stored)
			is.Equal(strings.Contains(after.body, "<dd>yes</dd>"), tt.stored)
			if tt.status == 303 {
				is.Equal(got.header.Get("Location"), tt.target)
				return
			}
			is.Equal(after.body, before.body) // nothing was changed
		})
	}
}

// TestReplaceUser changes a user with the API, where PUT replaces the whole user.
func TestReplaceUser(t *testing.T) {
	is := is.New(t)
	router := newRouter(t, nil)
	is.True(strings.Contains(do(router, newRequest("GET", "/users/1", "")).body, "<dd>yes</dd>"))
	got := do(router, newRequest("PUT", "/api/users/1", `{"name":"Ada","email":"ada@example.com"}`, "Content-Type", asJSON))
	is.Equal(got.status, 200)
	is.True(strings.Contains(do(router, newRequest("GET", "/users/1", "")).body, "<dd>no</dd>"))
}

// TestHandlers calls handlers by themselves, without a Router.
func TestHandlers(t *testing.T) {
	create := newRequest("POST", "/", `{"name":"B","email":"b@example.com","id":7}`, "Content-Type", asJSON)
	edit := flow.Form[userEdit]{Value: userEdit{userRef{2}, userForm{Name: "B", Email: "c@example.com"}}}
	for _, tt := range []struct {
		name    string
		handler func(*App, *flow.Request) (flow.Response, error)
		status  int
		want    string
	}{
		{"create", func(a *App, req *flow.Request) (flow.Response, error) {
			return a.apiCreateUser(req, userForm{Name: "B", Email: "b@example.com"})
		}, 201, `{"success":true,"message":"user 4 was created","data":{"email":"b@example.com","name":"B"}}` + "\n"},
		{"update", func(a *App, req *flow.Request) (flow.Response, error) { return a.apiUpdateUser(req, edit) },
			200, `{"success":true,"message":"user 2 was updated","data":null}` + "\n"},
		{"delete", func(a *App, req *flow.Request) (flow.Response, error) { return a.apiDeleteUser(req, userRef{2}) },
			200, `{"success":true,"message":"user 2 was deleted","data":null}` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			req := flow.NewRequest(create)
			resp, err := tt.handler((&App{}).withDefaults(), req)
			is.NoErr(err)
			w := httptest.NewRecorder()
			resp.Write(w, req)
			is.Equal(w.Code, tt.status)
			is.Equal(w.Body.String(), tt.want)
		})
	}
	is := is.New(t)
	record, err := (&App{}).withDefaults().apiShowUser(nil, userRef{3})
	is.NoErr(err)
	is.Equal(record, userRecord{3, "Edsger Dijkstra"})
}

func TestHandlerErrors(t *testing.T) {
	a := (&App{}).withDefaults()
	wrong := flow.Form[userEdit]{Value: userEdit{userRef: userRef{9}}, Wrong: flow.Invalid{"name": "is required"}}
	for _, tt := range []struct {
		name string
		call func() error
		want string
	}{
		{"show nobody", func() error { _, err := a.apiShowUser(nil, userRef{9}); return err }, "404 there is no user 9"},
		{"update nobody", func() error { _, err := a.apiUpdateUser(nil, wrong); return err }, "404 there is no user 9"},
		{"delete nobody", func() error { _, err := a.apiDeleteUser(nil, userRef{9}); return err }, "404 there is no user 9"},
		{"page of nobody", func() error { _, err := a.showUser(nil, userRef{9}); return err }, "404 there is no user 9"},
		{"change nobody", func() error { _, err := a.saveUser(nil, wrong); return err }, "404 there is no user 9"},
		{"an unknown post", func() error { _, err := findPost("1999", "x"); return err }, "404 the blog has no such post"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := tt.call()
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestUserError(t *testing.T) {
	is := is.New(t)
	is.NoErr(userError(nil, 1))
	is.Equal(userError(users.ErrUnknown, 1).Error(), "404 there is no user 1")
	is.Equal(userError(users.ErrTaken, 1).Error(), "invalid input: email: belongs to another user")
	other := errors.New("the disk is full")
	is.Equal(userError(other, 1), other)
}
