package app

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestRows sends the form with each of its buttons.
func TestRows(t *testing.T) {
	const two = "customer=Ada&lines.0.article=tea&lines.0.count=few&lines.1.article=+&lines.1.count=2"
	for _, tt := range []struct {
		name, body string
		status     int
		shows      []string
		not        string
	}{
		{"a new one", "", 200, []string{`name="lines.0.article" required>`, `name="lines.0.count" required>`, "Remove line 1<"}, "lines.1."},
		{"add", two + "&add=true", 200, []string{`value="Ada"`, `name="lines.0.count" value="few"`, `name="lines.1.article" value=" "`, `name="lines.2.article" required autofocus>`, `name="lines.2.count" required>`, "Remove line 3<"}, "wrong"},
		{"add to none", "add=true", 200, []string{`name="lines.0.article" required autofocus>`, `name="customer" required>`}, "wrong"},
		{"remove the first", two + "&remove=1", 200, []string{`name="lines.1.article" value=" "`, `name="lines.1.count" value="2"`, `value="1" formnovalidate>Remove line 1<`}, "lines.0."},
		{"remove the last", two + "&remove=2", 200, []string{`name="lines.0.count" value="few"`}, "lines.1."},
		{"remove behind a gap", "lines.4.article=tea&lines.9.article=milk&remove=2", 200, []string{`name="lines.0.article" value="tea"`}, "milk"},
		{"remove the only one", "lines.0.article=tea&remove=1", 200, []string{"Add a line"}, "Remove line"},
		{"remove what is not there", two + "&remove=7", 200, []string{"Remove line 2<"}, "Remove line 3"},
		{"order", two, 422, []string{`<span id="lines--0--count-wrong">Count must be a whole number.</span>`, `<span id="lines--1--article-wrong">Article is required.</span>`, `name="lines.0.count" value="few"`}, "customer-wrong"},
		{"order behind a gap", "customer=Ada&lines.4.article=tea&lines.4.count=1&lines.9.article=milk&lines.9.count=0", 422, []string{`<span id="lines--1--count-wrong">Count must be at least 1.</span>`, `name="lines.1.count" value="0"`}, "lines.9"},
		{"order nothing", "customer=Ada", 422, []string{"An order has at least one line."}, "lines.0"},
		{"order too much", "customer=Ada" + lines(51), 422, []string{"An order has at most 50 lines."}, "count-wrong"},
		{"order what is right", "customer=Ada&lines.1.article=+tea&lines.1.count=2&lines.3.article=milk&lines.3.count=1", 303, nil, "wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var w *httptest.ResponseRecorder
			if w = ask("GET", "/orders", ""); tt.body != "" {
				w = ask("POST", "/orders", tt.body)
			}
			is.Equal(w.Code, tt.status)
			page := w.Body.String()
			for _, text := range tt.shows {
				if !strings.Contains(page, text) {
					t.Errorf("without %s:\n%s", text, page)
				}
			}
			if strings.Contains(page, tt.not) {
				t.Errorf("with %s:\n%s", tt.not, page)
			}
		})
	}
	is := is.New(t)
	is.Equal(orders.all(), []order{{"Ada", []line{{"tea", 2}, {"milk", 1}}}})
	orders.list = nil
}

// lines returns as many lines of a form.
func lines(n int) string {
	var form strings.Builder
	for i := range n {
		fmt.Fprintf(&form, "&lines.%d.article=tea&lines.%[1]d.count=1", i)
	}
	return form.String()
}
