package input

import (
	"fmt"
	"strings"
	"time"
)

// Browsers send a date or a time in the layout of the input's type, and without a zone, which
// stands for UTC here. The type of a field does not say which of them its page has, so a text
// tells by its form what it is.

const (
	dateLayout  = time.DateOnly
	monthLayout = "2006-01"
	clockLayout = "15:04"
	localLayout = dateLayout + "T" + clockLayout
	seconds     = ":05" // which parse with a fraction, too
)

// parseTime reads a time in RFC 3339, or as an input of type date, datetime-local, month, time
// or week sends it. A time alone is in the year 0, and a week is its Monday. Package time takes a
// comma before a fraction of a second, which neither RFC 3339 nor HTML knows.
func parseTime(text string) (t time.Time, ok bool) {
	at := func(i int, c byte) bool { return len(text) > i && text[i] == c }
	layout := ""
	switch n := len(text); {
	case strings.Contains(text, ","):
		return t, false
	case at(2, ':') && n == len(clockLayout):
		layout = clockLayout
	case at(2, ':'):
		layout = clockLayout + seconds
	case at(5, 'W'):
		return parseWeek(text)
	case n == len(monthLayout):
		layout = monthLayout
	case n == len(dateLayout):
		layout = dateLayout
	case at(13, ':') && n == len(localLayout):
		layout = localLayout
	case at(13, ':') && text[n-1] != 'Z' && !at(n-6, '+') && !at(n-6, '-'):
		layout = localLayout + seconds
	default:
		return t, t.UnmarshalText([]byte(text)) == nil
	}
	t, err := time.Parse(layout, text)
	return t, err == nil
}

// parseWeek reads an ISO week, such as "2026-W07". Most years have 52 of them.
func parseWeek(text string) (monday time.Time, ok bool) {
	var year, week int
	if n, err := fmt.Sscanf(text, "%4d-W%2d", &year, &week); n != 2 || err != nil || year < 0 {
		return monday, false
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in the first week
	monday = fourth.AddDate(0, 0, 7*(week-1)-(int(fourth.Weekday())+6)%7)
	return monday, formatWeek(monday) == text
}

func formatWeek(t time.Time) string {
	year, week := t.ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, week)
}

// formatTime returns the text of a time, in UTC, for an input of a type. Seconds are left out if
// they are 0, as browsers do. The zero Time has none, since no input shows it. Types that have no
// layout get all of the time, in RFC 3339.
func formatTime(t time.Time, inputType string) string {
	if t.IsZero() {
		return ""
	}
	t = t.UTC()
	layout := ""
	switch inputType {
	case "date":
		return t.Format(dateLayout)
	case "month":
		return t.Format(monthLayout)
	case "week":
		return formatWeek(t)
	case "time":
		layout = clockLayout
	case "datetime-local":
		layout = localLayout
	default:
		return t.Format(time.RFC3339Nano)
	}
	if t.Second() != 0 {
		layout += seconds
	}
	return t.Format(layout)
}
