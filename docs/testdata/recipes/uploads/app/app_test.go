package app

import (
	"bytes"
	"mime/multipart"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func get(target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

// upload returns the answer to a form with a title and a file.
func upload(t *testing.T, title, name, content string) *httptest.ResponseRecorder {
	t.Helper()
	is := is.New(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	is.NoErr(form.WriteField("title", title))
	part, err := form.CreateFormFile("file", name)
	is.NoErr(err)
	_, err = part.Write([]byte(content))
	is.NoErr(err)
	is.NoErr(form.Close())
	return post(form.FormDataContentType(), body.String())
}

func post(mediaType, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/files", strings.NewReader(body))
	r.Header.Set("Content-Type", mediaType)
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

// fresh begins with an empty directory and an empty list.
func fresh(t *testing.T) {
	uploadDir, uploads.files = t.TempDir(), nil
}

func TestDownload(t *testing.T) {
	is := is.New(t)
	fresh(t)
	const page = "<script>alert(1)</script>"
	is.Equal(upload(t, "", "../../grüße.html", page).Code, 303)
	is.True(strings.Contains(get("/files").Body.String(), `">grüße.html</a>, 25 bytes`))
	is.Equal(len(uploads.list()), 1)

	at := "/files/" + uploads.list()[0].ID
	w := get(at)
	is.Equal(w.Body.String(), page)
	is.Equal(w.Header().Get("Content-Type"), "application/octet-stream")
	is.Equal(w.Header().Get("Content-Disposition"), "attachment; filename*=utf-8''gr%C3%BC%C3%9Fe.html")
	is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
	w = get(at, "Range: bytes=1-6")
	is.Equal(w.Code, 206)
	is.Equal(w.Body.String(), "script")
	is.Equal(get("/files/..").Code, 404)
	is.Equal(get("/files/%2e%2e%2fapp.go").Code, 404)
}

// TestPictures asks the content what it is, and not the name.
func TestPictures(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n"
	for _, tt := range []struct{ name, content, mediaType string }{
		{"a.txt", png, "image/png"},
		{"a.png", "<svg xmlns='http://www.w3.org/2000/svg'>", "application/octet-stream"},
		{"a.svg", "<?xml version='1.0'?><svg>", "application/octet-stream"},
		{"a.png", "", "application/octet-stream"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			fresh(t)
			is.Equal(upload(t, "Photo", tt.name, tt.content).Code, 303)
			w := get("/files/" + uploads.list()[0].ID)
			is.Equal(w.Header().Get("Content-Type"), tt.mediaType)
			is.Equal(w.Header().Get("Content-Disposition") == "", tt.mediaType == "image/png")
			is.Equal(w.Body.String(), tt.content) // from its first byte
		})
	}
}

func TestWrongFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  *httptest.ResponseRecorder
		message string
		again   bool
	}{
		"no choice":       {upload(t, "My <file>", "", ""), "is required", false},
		"no enctype":      {post("application/x-www-form-urlencoded", "title=My+%3Cfile%3E&file=a"), "must be a file", false},
		"above Validate":  {upload(t, "My <file>", "a.iso", strings.Repeat("x", 5<<20+1)), "may have 5 MB", true},
		"above MaxBody":   {upload(t, "My <file>", "a.iso", strings.Repeat("x", 20<<20)), "is too large", false},
		"and much larger": {upload(t, "My <file>", "a.iso", strings.Repeat("x", 30<<20)), "is too large", false},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(tt.answer.Code, 422)
			page := tt.answer.Body.String()
			is.True(strings.Contains(page, `<span id="file-wrong">File `+tt.message+`.</span>`))
			is.True(strings.Contains(page, `name="title" value="My &lt;file&gt;">`)) // what was typed is kept
			is.Equal(strings.Contains(page, "Please choose a.iso again."), tt.again)
		})
	}
	is := is.New(t)
	fresh(t)
	upload(t, "", "", "")
	entries, err := os.ReadDir(uploadDir)
	is.NoErr(err)
	is.Equal(len(entries), 0)
}
