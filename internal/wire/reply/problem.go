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
		return "text/html; charset=utf-8", p.html()
	case "text/plain":
		var b strings.Builder
		b.WriteString(p.Title())
		if p.Detail != "" {
			b.WriteString(": " + p.Detail)
		}
		for _, field := range slices.Sorted(maps.Keys(p.Fields)) {
			b.WriteString("\n" + field + ": " + p.Fields[field])
		}
		b.WriteByte('\n')
		return "text/plain; charset=utf-8", b.String()
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

// html returns the page about a problem. It is written without html/template, which would take
// a third of the time of a request that fails.
func (p Problem) html() string {
	title := template.HTMLEscapeString(strconv.Itoa(p.Status) + " " + p.Title())
	var b strings.Builder
	b.WriteString(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>` + title + `</title>
</head>
<body>
<h1>` + title + `</h1>
`)
	if p.Detail != "" {
		b.WriteString("<p>" + template.HTMLEscapeString(p.Detail) + "</p>\n")
	}
	if len(p.Fields) > 0 {
		b.WriteString("<dl>\n")
		for _, field := range slices.Sorted(maps.Keys(p.Fields)) {
			b.WriteString("<dt>" + template.HTMLEscapeString(field) + "</dt><dd>" + template.HTMLEscapeString(p.Fields[field]) + "</dd>\n")
		}
		b.WriteString("</dl>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}
