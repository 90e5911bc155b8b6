package devpage

import (
	"log/slog"
	"net/url"
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

// RecordOf returns a record of a log. before holds the values of its logger, and group is the
// beginning of the names of its own values, "" or "user.".
func RecordOf(r slog.Record, before []Value, group string) Record {
	values := before[:len(before):len(before)]
	r.Attrs(func(a slog.Attr) bool {
		values = AppendAttr(values, group, a)
		return true
	})
	return Record{r.Time, r.Level, cut(r.Message, maxValue), values}
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
		values = appendValue(values, group+a.Key, v.String())
	}
	return values
}

// Size returns roughly how many bytes of memory the record needs.
func (r Record) Size() int {
	size := 100 + len(r.Message)
	for _, v := range r.Values {
		size += 50 + len(v.Name) + len(v.Text)
	}
	return size
}

// Link returns the text of the value if that is the URL of a page, and otherwise "".
func (v Value) Link() string {
	u, err := url.Parse(v.Text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Contains(v.Text, " ") {
		return ""
	}
	return v.Text
}
