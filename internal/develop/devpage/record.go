package devpage

import (
	"log/slog"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Record is a record of a log, as the route map shows it. Values are masked if their names
// are those of secrets. A group is a part of names: "user.id".
type Record struct {
	Time    time.Time  `json:"time"`
	Level   slog.Level `json:"level"`
	Message string     `json:"message"`
	Values  []Value    `json:"values,omitempty"`
}

// maxLogged is how many bytes of each value of a record are kept: enough for the text of a mail.
const maxLogged = 4000

// RecordOf returns a record of a log. before holds the values of its logger, and group is the
// beginning of the names of its own values, "" or "user.".
func RecordOf(r slog.Record, before []Value, group string) Record {
	values := before[:len(before):len(before)]
	r.Attrs(func(a slog.Attr) bool {
		values = AppendAttr(values, group, a)
		return true
	})
	return Record{r.Time, r.Level, visible(cut(r.Message, maxValue)), values}
}

// AppendAttr appends an attribute of a log. It is text then, since what it points to may change.
func AppendAttr(values []Value, group string, a slog.Attr) []Value {
	switch v := a.Value.Resolve(); {
	case v.Kind() == slog.KindGroup:
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, a := range v.Group() {
			values = AppendAttr(values, group, a)
		}
	case a.Key != "" || !v.Equal(slog.Value{}): // handlers ignore the empty attribute
		values = appendShort(values, visible(group+a.Key), visible(v.String()), maxLogged)
	}
	return values
}

// visible returns a text with its control characters written out, "\x1b", as in a terminal: some
// would change how the text around them looks. It keeps the ends of lines, and tabs.
func visible(text string) string {
	if strings.IndexFunc(text, isInvisible) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if isInvisible(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isInvisible(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsPrint(r) }

// Size returns roughly how many bytes of memory the record needs.
func (r Record) Size() int {
	size := 100 + len(r.Message)
	for _, v := range r.Values {
		size += 50 + len(v.Name) + len(v.Text)
	}
	return size
}

// HasLines reports whether the value has more than one line, as the text of a mail.
func (v Value) HasLines() bool { return strings.Contains(strings.TrimRight(v.Text, "\n"), "\n") }

// A Part is a part of the text of a value: the URL of a page, or what stands between URLs.
type Part struct {
	Text  string
	IsURL bool
}

// webURL is what looks like the URL of a page. A sentence may go on behind it.
var webURL = regexp.MustCompile(`(?i)\bhttps?://[^\s"<>\p{C}\p{Z}]+`)

// Parts returns the parts of the text of the value.
func (v Value) Parts() (parts []Part) {
	rest := v.Text
	for {
		at := webURL.FindStringIndex(rest)
		if at == nil {
			return append(parts, Part{Text: rest})
		}
		text := strings.TrimRight(rest[at[0]:at[1]], ".,;:!?'")
		if !strings.Contains(text, "(") {
			text = strings.TrimRight(text, ".,;:!?')")
		}
		before, after := rest[:at[0]], rest[at[0]+len(text):]
		u, err := url.Parse(text)
		isURL := err == nil && u.Host != "" && !strings.HasPrefix(rest[at[1]:], " …") // what is cut off leads elsewhere
		parts, rest = append(parts, Part{Text: before}, Part{text, isURL}), after
	}
}
