package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

// newForm is a handler for a page with a form that is empty.
func newForm[T any](*flow.Request) (flow.Form[T], error) { return flow.Form[T]{}, nil }

// An emailForm asks for a link.
type emailForm struct {
	Email string `form:"email"`
}

// Validate is called before a handler that takes the form.
func (f *emailForm) Validate() error {
	email, ok := accounts.CleanEmail(f.Email)
	if !ok {
		return flow.Invalid{"email": "must be an address, such as ada@example.com"}
	}
	f.Email = email
	return nil
}

// sendLink returns a handler for forms that ask for a link. It says the same to everybody,
// whether there is an account or not.
func (a *members) sendLink(p accounts.Purpose, page func(flow.Form[emailForm]) flow.Response) any {
	return func(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
		if in.Wrong != nil {
			return page(in).Status(http.StatusUnprocessableEntity), nil
		}
		return flow.RedirectTo("sent"), a.Accounts.SendLink(req.Context(), p, in.Value.Email, a.Accounts.Client(req.Request))
	}
}

// A link is what a link in a mail has. It is followed with GET, and used by a button: programs
// that look for viruses in mails follow links, too, and press no button.
type link struct {
	Token string `query:"token"`
}

// addressee returns a handler that shows what a link is for.
func (a *members) addressee(p accounts.Purpose) any {
	return func(req *flow.Request, in link) (linkData, error) {
		email, err := a.Accounts.Addressee(req.Context(), p, in.Token)
		return linkData{Email: email}, err
	}
}

// linkData is what the page of a link shows.
type linkData struct{ Email string }

// A passwordForm comes with a link.
type passwordForm struct {
	link
	newPassword
}

type newPassword struct {
	Password string `form:"password"`
}

// Validate is called before a handler that takes the form, which knows the address.
func (f newPassword) Validate() error { return f.check("") }

func (f newPassword) check(email string) flow.Invalid {
	if err := accounts.CheckPassword(f.Password, email); err != nil {
		return flow.Invalid{"password": err.Error()}
	}
	return nil
}

// passwordData is what a page with a new password shows. Email is for the password manager of
// the browser.
type passwordData struct {
	Email string
	Form  flow.Form[passwordForm]
}

// choosePassword returns the handlers of a page that a link for a new password leads to.
func (a *members) choosePassword(p accounts.Purpose, page func(passwordData) flow.Response,
	use func(req *flow.Request, in passwordForm) (session string, err error)) (get, post any) {
	show := func(req *flow.Request, form flow.Form[passwordForm], token string) (passwordData, error) {
		email, err := a.Accounts.Addressee(req.Context(), p, token)
		return passwordData{email, form}, err
	}
	get = func(req *flow.Request, in link) (passwordData, error) {
		return show(req, flow.Form[passwordForm]{}, in.Token)
	}
	post = func(req *flow.Request, in flow.Form[passwordForm]) (flow.Response, error) {
		data, err := show(req, in, in.Value.Token)
		if err != nil {
			return flow.Response{}, err
		}
		if data.Form.Wrong == nil {
			data.Form.Wrong = in.Value.check(data.Email)
		}
		if data.Form.Wrong != nil {
			return page(data).Status(http.StatusUnprocessableEntity), nil
		}
		session, err := use(req, in.Value)
		return a.begin(session, ""), err
	}
	return get, post
}
