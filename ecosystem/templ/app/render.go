package app

import (
	"context"
	"html/template"
	"strings"

	"github.com/a-h/templ"

	"example.com/flow"
)

type requestKey struct{}

// render renders a component before anything is sent, so that its error is a whole answer.
func render(req *flow.Request, c templ.Component) (flow.Response, error) {
	var text strings.Builder
	err := c.Render(context.WithValue(req.Context(), requestKey{}, req), &text)
	return flow.HTML(template.HTML(text.String())), err
}

// requestOf returns the Request that a component is rendered for.
func requestOf(ctx context.Context) *flow.Request { return ctx.Value(requestKey{}).(*flow.Request) }

// route returns the URL of a named route.
func route(ctx context.Context, name string, params ...any) (templ.SafeURL, error) {
	u, err := requestOf(ctx).Route(name, params...)
	return templ.SafeURL(u), err
}

// asset returns the URL of a public file.
func asset(ctx context.Context, name string) (templ.SafeURL, error) {
	u, err := requestOf(ctx).Asset(name)
	return templ.SafeURL(u), err
}
