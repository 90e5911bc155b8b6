package reply

import (
	"cmp"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Problem is the error that a client gets for a failed request (RFC 9457).
type Problem struct {
	Status int
	Detail string
	Fields map[string]string // messages about invalid fields, by name
}

// Title returns the text of the status: "Not Found".
func (p Problem) Title() string {
	return cmp.Or(http.StatusText(p.Status), "Error "+strconv.Itoa(p.Status))
}

// Render returns the problem as one of three media types, with its Content-Type: a
// built-in HTML page, problem+json (RFC 9457), or text.
func (p Problem) Render(mediaType string) (contentType, body string) {
	switch mediaType {
	case "text/html":
		var b strings.Builder
		if err := problemPage.Execute(&b, p); err != nil {
			return "text/plain; charset=utf-8", p.Title() // does not happen: the templates are fixed
		}
		return "text/html; charset=utf-8", b.String()
	case "text/plain":
		text := p.Title()
		if p.Detail != "" {
			text += ": " + p.Detail
		}
		for _, field := range slices.Sorted(maps.Keys(p.Fields)) {
			text += "\n" + field + ": " + p.Fields[field]
		}
		return "text/plain; charset=utf-8", text + "\n"
	}
	b, err := json.Marshal(problemJSON{"about:blank", p.Title(), p.Status, p.Detail, p.Fields})
	if err != nil {
		return "text/plain; charset=utf-8", p.Title() // does not happen: strings and numbers only
	}
	return "application/problem+json", string(b)
}

type problemJSON struct {
	Type   string            `json:"type"`
	Title  string            `json:"title"`
	Status int               `json:"status"`
	Detail string            `json:"detail,omitempty"`
	Errors map[string]string `json:"errors,omitempty"`
}

var problemPage = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Status}} {{.Title}}</title>
</head>
<body>
<h1>{{.Status}} {{.Title}}</h1>
{{with .Detail}}<p>{{.}}</p>
{{end}}{{with .Fields}}<dl>
{{range $field, $message := .}}<dt>{{$field}}</dt><dd>{{$message}}</dd>
{{end}}</dl>
{{end}}</body>
</html>
`))
