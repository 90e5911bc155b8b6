package app

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// uploadRequest returns what a browser sends for a file of that name.
func uploadRequest(t testing.TB, field, name, mediaType, content string) *http.Request {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf("form-data; name=%q; filename=%q", field, name)},
		"Content-Type":        {mediaType},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/upload", &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return r
}

func TestUpload(t *testing.T) {
	const wrong = `<input id="file" name="file" type="file" required aria-invalid="true" aria-describedby="file-wrong">`
	for _, tt := range []struct {
		name    string
		request *http.Request
		status  int
		pieces  []string
	}{
		{"text", uploadRequest(t, "file", "notes.txt", "text/plain", "hello"), 200,
			[]string{"<dd>notes.txt</dd>", "<dd>5 B</dd>", "<dd>text/plain; charset=utf-8</dd>"}},
		{"what it is, not what it is called", uploadRequest(t, "file", "photo.jpg", "image/jpeg", "%PDF-1.7"), 200,
			[]string{"<dd>photo.jpg</dd>", "<dd>application/pdf</dd>"}},
		{"as large as may be", uploadRequest(t, "file", "big", "text/plain", strings.Repeat("x", maxFile)), 200,
			[]string{"<dd>1.0 MiB</dd>"}},
		{"nothing in it", uploadRequest(t, "file", "empty", "text/plain", ""), 200, []string{"<dd>0 B</dd>"}},
		{"a path as name", uploadRequest(t, "file", "../../etc/passwd", "text/plain", "x"), 200, []string{"<dd>passwd</dd>"}},
		{"markup as name", uploadRequest(t, "file", "<b>", "text/plain", "x"), 200, []string{"<dd>&lt;b&gt;</dd>"}},
		{"a byte too many", uploadRequest(t, "file", "big", "text/plain", strings.Repeat("x", maxFile+1)), 422,
			[]string{`role="alert"`, wrong, ">File has more than 1.0 MiB.</span>"}},
		{"more than the form may have", uploadRequest(t, "file", "big", "text/plain", strings.Repeat("x", 2*maxFile)), 422,
			[]string{`role="alert"`, wrong, ">File is too large.</span>"}},
		{"no file chosen", uploadRequest(t, "file", "", "application/octet-stream", ""), 422, []string{wrong, ">File is required.</span>"}},
		{"another field", uploadRequest(t, "photo", "a.txt", "text/plain", "x"), 422, []string{wrong, ">File is required.</span>"}},
		{"no multipart form", newRequest("POST", "/upload", "file=a", "Content-Type", asForm), 422, []string{wrong, ">File must be a file.</span>"}},
		{"more than the form may have, without a file", newRequest("POST", "/upload", "file="+strings.Repeat("x", 2*maxFile), "Content-Type", asForm), 413, []string{"the body is too large"}},
		{"a truncated form", newRequest("POST", "/upload", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhel", "Content-Type", "multipart/form-data; boundary=x"), 400, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := do(newRouter(t, nil), tt.request)
			is.Equal(got.status, tt.status)
			is.Equal(got.header.Get("Content-Type"), textHTML)
			for _, piece := range tt.pieces {
				is.True(strings.Contains(got.body, piece)) // the page says what arrived
			}
		})
	}
}
