package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// ask returns the answer to a request with headers as "Name: value". A body is a form.
func ask(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

// has reports texts that an answer lacks.
func has(t *testing.T, w *httptest.ResponseRecorder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("%d, without %s:\n%s", w.Code, text, w.Body)
		}
	}
}

func TestForm(t *testing.T) {
	is := is.New(t)
	w := ask("POST", "/notes", "text=++")
	is.Equal(w.Code, 422)
	has(t, w, `<input type="text" id="text" name="text" required aria-invalid="true" aria-describedby="text-wrong" value="  ">`, `<p class="wrong" id="text-wrong">Note is required.</p>`)
	is.Equal(len(w.Result().Cookies()), 0)

	w = ask("POST", "/notes", "text=%3Cmilk%3E%3B")
	is.Equal(w.Code, http.StatusSeeOther)
	is.Equal(w.Header().Get("Location"), "/notes")
	flash := w.Result().Cookies()[0]
	is.True(flash.HttpOnly && flash.MaxAge == 60)
	header := "Cookie: " + flash.Name + "=" + flash.Value

	is.Equal(len(ask("HEAD", "/notes", "", header).Result().Cookies()), 0) // it shows nothing
	w = ask("GET", "/notes", "", header)
	is.True(strings.Contains(w.Body.String(), `<p role="status">“&lt;milk&gt;;” was added.</p>`))
	is.True(w.Result().Cookies()[0].MaxAge < 0)
	is.Equal(w.Header().Get("Cache-Control"), "no-store")
	is.True(!strings.Contains(ask("GET", "/notes", "").Body.String(), "was added"))
}

func TestCheckboxesAndSelects(t *testing.T) {
	is := is.New(t)
	has(t, ask("GET", "/settings", ""), `<option selected>English`, `<option>Deutsch`, `type="radio" name="format" value="HTML" checked>`, `value="news" checked>`, `value="offers">`, `name="weekly" checked>`)

	w := ask("POST", "/settings", "language=Klingon&topics=offers&topics=events&hour=24")
	is.Equal(w.Code, 422)
	has(t, w, `<select id="language" name="language" required aria-invalid="true" aria-describedby="language-wrong">`, "Language is required.", `<option>English`,
		`aria-describedby="format-wrong"`, "Format is required.", `value="HTML">`, `value="news">`, `value="offers" checked>`, `value="events" checked>`, `name="weekly">`,
		`name="hour" aria-invalid="true" aria-describedby="hour-wrong" value="24">`, "Hour must be from 0 to 23.")
	for _, wrong := range []string{"topics=war", "format=PDF", "hour=-1", "hour=soon", "language="} {
		is.Equal(ask("POST", "/settings", wrong+"&language=Deutsch&format=text").Code, 422) // the first of a key counts
	}

	is.Equal(ask("POST", "/settings", "language=Deutsch&format=text&hour=").Code, 303) // no box is ticked
	has(t, ask("GET", "/settings", ""), `<option selected>Deutsch`, `value="text" checked>`, `value="news">`, `name="weekly">`, `name="hour">`)
	is.Equal(ask("POST", "/settings", "language=Deutsch&format=text&topics=events&weekly=on&hour=0").Code, 303)
	has(t, ask("GET", "/settings", ""), `value="news">`, `value="events" checked>`, `name="weekly" checked>`, `name="hour" value="0">`)
}

func TestEditing(t *testing.T) {
	is := is.New(t)
	is.True(strings.Contains(ask("GET", "/links/7/edit", "").Body.String(), `value="Go"`))
	w := ask("POST", "/links/7/edit", "title=+&read=on")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), "Title is required."))
	is.Equal(ask("POST", "/links/7/edit", "title=Gopher&ID=8").Code, 303)
	is.Equal(links.list(), []link{{7, linkForm{"Gopher", false}}})
	is.Equal(ask("POST", "/links/8/edit", "title=Gopher").Code, 404)
	is.Equal(ask("POST", "/links/x/edit", "title=Gopher").Code, 404)
	is.Equal(ask("GET", "/links/7/delete", "").Code, 405)
	is.Equal(ask("POST", "/links/7/delete", "", "Origin: https://other.example").Code, 403)
	is.Equal(ask("POST", "/links/7/delete", "").Code, 303)
	is.Equal(len(links.list()), 0)
}

// TestTwoEdit has two people save what they have made of the same text.
func TestTwoEdit(t *testing.T) {
	is := is.New(t)
	was := house.now
	t.Cleanup(func() { house.now = was })
	has(t, ask("GET", "/rules", ""), `name="version" value="1"`, "Be kind.")
	is.Equal(ask("POST", "/rules", "version=1&text=Be+quiet.").Code, 303)

	w := ask("POST", "/rules", "version=1&text=%0D%0ABe+%3Cloud%3E.")
	is.Equal(w.Code, 409)
	has(t, w, `role="alert"`, "<blockquote>Be quiet.</blockquote>", ">\n\r\nBe &lt;loud&gt;.</textarea>", `name="version" value="2"`)
	is.Equal(house.read(), rules{2, "Be quiet."}) // nothing was lost

	is.Equal(ask("POST", "/rules", "version=2&text=Be+loud.").Code, 303) // and it may be replaced by intention
	is.Equal(house.read(), rules{3, "Be loud."})

	w = ask("POST", "/rules", "version=3&text=+")
	is.Equal(w.Code, 422)
	has(t, w, "Text is required.", `name="version" value="3"`)
	is.Equal(ask("POST", "/rules", "text=Mine.").Code, 409) // without a version
	is.Equal(ask("POST", "/rules", "version=x&text=Mine.").Code, 422)
	is.Equal(house.read(), rules{3, "Be loud."})
}
