package reply

import (
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Problem is the error that a client gets for a failed request (RFC 9457).
type Problem struct {
	Status int
	Detail Message           // its English is "" if there is none
	Fields map[string]string // messages about invalid fields, by name
	Codes  map[string]string // the codes of those that are flow's own
	// Translate returns the text of a message with a code. nil stands for the English one.
	Translate func(Message) string
}

// text returns the text of a message.
func (p Problem) text(m Message) string {
	if p.Translate == nil || m.Code == "" {
		return m.English
	}
	return p.Translate(m)
}

// Texts returns the name of the status, such as "Not Found", and the detail.
func (p Problem) Texts() (title, detail string) { return p.text(TitleOf(p.Status)), p.text(p.Detail) }

// Render returns the problem as one of three media types, with its Content-Type: a
// built-in HTML page, problem+json (RFC 9457), or text.
func (p Problem) Render(mediaType string) (contentType, body string) {
	title, detail := p.Texts()
	switch mediaType {
	case "text/html":
		return "text/html; charset=utf-8", p.html(title, detail)
	case "text/plain":
		var b strings.Builder
		b.WriteString(title)
		if detail != "" {
			b.WriteString(": " + detail)
		}
		for _, field := range slices.Sorted(maps.Keys(p.Fields)) {
			b.WriteString("\n" + field + ": " + p.Fields[field])
		}
		b.WriteByte('\n')
		return "text/plain; charset=utf-8", b.String()
	}
	b, err := json.Marshal(ProblemJSON{"about:blank", title, p.Status, detail, p.Fields, p.Codes})
	if err != nil {
		return "text/plain; charset=utf-8", title // does not happen: strings and numbers only
	}
	return "application/problem+json", string(b)
}

// A ProblemJSON is an error as problem+json (RFC 9457).
type ProblemJSON struct {
	Type   string            `json:"type"`
	Title  string            `json:"title"`
	Status int               `json:"status"`
	Detail string            `json:"detail,omitempty"`
	Errors map[string]string `json:"errors,omitempty"`
	Codes  map[string]string `json:"codes,omitempty"`
}

// lang returns the attribute lang of a page with a title. A page whose title is translated is
// not said to be in English.
func (p Problem) lang(title string) string {
	lang := p.text(Lang)
	if lang == Lang.English && title != TitleOf(p.Status).English {
		return ""
	}
	return ` lang="` + template.HTMLEscapeString(lang) + `"`
}

// html returns the page about a problem. It is written without html/template, which would take
// a third of the time of a request that fails.
func (p Problem) html(title, detail string) string {
	lang := p.lang(title)
	title = template.HTMLEscapeString(strconv.Itoa(p.Status) + " " + title)
	var b strings.Builder
	b.WriteString(`<!doctype html>
<html` + lang + `>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>` + title + `</title>
</head>
<body>
<h1>` + title + `</h1>
`)
	if detail != "" {
		b.WriteString("<p>" + template.HTMLEscapeString(detail) + "</p>\n")
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
