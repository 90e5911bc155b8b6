package apptest

import (
	"errors"
	"net/http"

	"example.com/flow"
)

// Hello is a handler that answers with a text.
func Hello(*flow.Request) string { return "hello" }

// Std returns a net/http handler that does something with the request, and answers nothing.
func Std(f func(*http.Request)) func(http.ResponseWriter, *http.Request) {
	return func(_ http.ResponseWriter, r *http.Request) { f(r) }
}

// A Marshaler is what MarshalJSON does.
type Marshaler func() ([]byte, error)

func (m Marshaler) MarshalJSON() ([]byte, error) { return m() }

// A Conflict is an error of an application that knows its status.
type Conflict struct{}

func (Conflict) Error() string { return "the row has changed: secret" }

func (Conflict) HTTPStatus() int { return 409 }

// OwnFormat is how an API answers all its errors in a format of its own.
func OwnFormat(_ *flow.Request, err error) flow.Response {
	message := http.StatusText(flow.StatusOf(err))
	if public := (*flow.HTTPError)(nil); errors.As(err, &public) && public.Message != "" {
		message = public.Message
	}
	fields := flow.Invalid{}
	errors.As(err, &fields)
	return flow.JSON(map[string]any{"message": message, "fields": fields})
}
