package app

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
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

func TestForm(t *testing.T) {
	is := is.New(t)
	w := ask("POST", "/notes", "text=++")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), `value="" aria-invalid="true"`))
	is.True(strings.Contains(w.Body.String(), "Note is required."))
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
	has := func(w *httptest.ResponseRecorder, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%d, without %s:\n%s", w.Code, text, w.Body)
			}
		}
	}
	has(ask("GET", "/settings", ""), `value="English" selected>`, `value="news" checked>`, `value="offers">`, `name="weekly" checked>`)

	w := ask("POST", "/settings", "language=Klingon&topics=offers&topics=events")
	is.Equal(w.Code, 422)
	has(w, `<option value="English">`, `aria-invalid="true"`, "Language is required.", `value="news">`, `value="offers" checked>`, `value="events" checked>`, `name="weekly">`)
	is.Equal(ask("POST", "/settings", "language=Deutsch&topics=war").Code, 422)

	is.Equal(ask("POST", "/settings", "language=Deutsch").Code, 303) // no box is ticked
	has(ask("GET", "/settings", ""), `value="Deutsch" selected>`, `value="news">`, `name="weekly">`)
	is.Equal(ask("POST", "/settings", "language=Deutsch&topics=events&weekly=on").Code, 303)
	has(ask("GET", "/settings", ""), `value="news">`, `value="events" checked>`, `name="weekly" checked>`)
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

// upload returns the answer to a form with a file.
func upload(t *testing.T, name, content string) *httptest.ResponseRecorder {
	t.Helper()
	is := is.New(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	is.NoErr(err)
	_, err = part.Write([]byte(content))
	is.NoErr(err)
	is.NoErr(form.Close())
	r := httptest.NewRequest("POST", "/files", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestUploadAndDownload(t *testing.T) {
	is := is.New(t)
	uploadDir = t.TempDir()
	const page = "<script>alert(1)</script>"
	is.Equal(upload(t, "../../grüße.html", page).Code, 303)
	is.True(strings.Contains(ask("GET", "/files", "").Body.String(), `">grüße.html</a>, 25 bytes`))
	is.Equal(len(uploads.list()), 1)

	at := "/files/" + uploads.list()[0].ID
	w := ask("GET", at, "")
	is.Equal(w.Body.String(), page)
	is.Equal(w.Header().Get("Content-Type"), "application/octet-stream")
	is.Equal(w.Header().Get("Content-Disposition"), "attachment; filename*=utf-8''gr%C3%BC%C3%9Fe.html")
	is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
	w = ask("GET", at, "", "Range: bytes=1-6")
	is.Equal(w.Code, 206)
	is.Equal(w.Body.String(), "script")
	is.Equal(ask("GET", "/files/..", "").Code, 404)
	is.Equal(ask("GET", "/files/%2e%2e%2fapp.go", "").Code, 404)

	for name, w := range map[string]*httptest.ResponseRecorder{
		"no choice": upload(t, "", ""), "no file": ask("POST", "/files", "file=a"), "no body": ask("POST", "/files", ""),
	} {
		if w.Code != 422 || !strings.Contains(w.Body.String(), "Choose a file first.") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	is.Equal(upload(t, "large", strings.Repeat("x", 20<<20)).Code, 413)
	entries, err := os.ReadDir(uploadDir)
	is.NoErr(err)
	is.Equal(len(entries), 1)
}

// TestTwoEdit has two people save what they have made of the same text.
func TestTwoEdit(t *testing.T) {
	is := is.New(t)
	was := house.now
	t.Cleanup(func() { house.now = was })
	has := func(w *httptest.ResponseRecorder, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%d, without %s:\n%s", w.Code, text, w.Body)
			}
		}
	}
	has(ask("GET", "/rules", ""), `name="version" value="1"`, "Be kind.")
	is.Equal(ask("POST", "/rules", "version=1&text=Be+quiet.").Code, 303)

	w := ask("POST", "/rules", "version=1&text=Be+%3Cloud%3E.")
	is.Equal(w.Code, 409)
	has(w, `role="alert"`, "<blockquote>Be quiet.</blockquote>", ">Be &lt;loud&gt;.</textarea>", `name="version" value="2"`)
	is.Equal(house.read(), rules{2, "Be quiet."}) // nothing was lost

	is.Equal(ask("POST", "/rules", "version=2&text=Be+loud.").Code, 303) // and it may be replaced by intention
	is.Equal(house.read(), rules{3, "Be loud."})

	w = ask("POST", "/rules", "version=3&text=+")
	is.Equal(w.Code, 422)
	has(w, "Text is required.", `name="version" value="3"`)
	is.Equal(ask("POST", "/rules", "text=Mine.").Code, 409) // without a version
	is.Equal(ask("POST", "/rules", "version=x&text=Mine.").Code, 422)
	is.Equal(house.read(), rules{3, "Be loud."})
}
