package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

type photo struct {
	Title string                `form:"title"`
	Photo *multipart.FileHeader `form:"photo"`
}

func (p photo) Validate() error {
	wrong := flow.Invalid{}
	if p.Title == "" {
		wrong["title"] = "is missing"
	}
	if p.Photo == nil {
		wrong["photo"] = "choose a file"
	}
	return wrong
}

// addPhoto answers with what it has got.
func addPhoto(_ *flow.Request, in flow.Form[photo]) (flow.Response, error) {
	if in.Wrong != nil {
		wrong, err := json.Marshal(in.Wrong)
		return flow.Text(in.Value.Title + " " + string(wrong)).Status(422), err
	}
	return flow.Text(fmt.Sprint(in.Value.Title, " ", in.Value.Photo.Filename, " ", in.Value.Photo.Size)), nil
}

const maxPhoto = 256 << 10

// upload is a form with a photo of that size.
func upload(size int) string { return parts("title=x", "photo@"+strings.Repeat("p", size)) }

// noFilesLeft lets temporary files go to a directory of the test, and says whether there are some.
func noFilesLeft(t *testing.T) func() bool {
	t.Helper()
	dir := t.TempDir()
	flowtest.SetTempDir(t, dir)
	return func() bool {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries) == 0
	}
}

const tooLarge = `422 x {"photo":"is too large"}`

func TestUploads(t *testing.T) {
	is := is.New(t)
	r, _ := lone(addPhoto)
	r.MaxBody = 4 << 20
	w := do(r, sending("POST", "/x", multiMedia, upload(3<<20)))
	is.Equal(w.Body.String(), "x f.txt 3145728")
	w = do(r, sending("POST", "/x", multiMedia, parts("title=", "photo=")))
	is.Equal(w.Body.String(), ` {"photo":"choose a file","title":"is missing"}`)
}

// An upload that is too large is answered by its handler, over a real connection, which is used
// again if the client has sent all of it.
func TestTooLargeUploads(t *testing.T) {
	is := is.New(t)
	isEmpty := noFilesLeft(t)
	r, log := lone(addPhoto)
	r.MaxBody = maxPhoto
	over, outer := flow.New(flowtest.Files("router/index.html")), flow.New(flowtest.Files("router/index.html"))
	inner, _ := lone(addPhoto)
	inner.MaxBody = maxPhoto
	outer.Mount("/inner", inner)
	outer.Use(wrap)
	over.Mount("/outer", outer)
	is.NoErr(over.Check())
	all := http.NewServeMux()
	all.Handle("/x", r)
	all.Handle("/outer/", over)
	plain := servertest.OnLoopback(t, all, nil)
	secure := servertest.OnLoopback(t, all, servertest.Secure)
	for _, to := range []struct {
		name, url string
		site      *servertest.Site
		closes    string // what is said of the connection if the client has sent too much
	}{
		{"HTTP/1.1", "http://" + plain.Addr + "/x", plain, " close"},
		{"HTTP/2", "https://" + secure.Addr + "/x", secure, ""},
		{"mounted", "http://" + plain.Addr + "/outer/inner/x", plain, " close"},
	} {
		for _, announced := range []bool{true, false} {
			for _, times := range []float64{1.1, 1.99, 8} {
				t.Run(fmt.Sprintf("%s, announced %v, %v times", to.name, announced, times), func(t *testing.T) {
					is := is.New(t)
					transport := to.site.Transport()
					client := &http.Client{Transport: transport}
					defer transport.CloseIdleConnections()
					want := tooLarge
					if times > 2 {
						want += to.closes
					}
					for range 5 {
						var body io.Reader = strings.NewReader(upload(int(times * maxPhoto)))
						if !announced {
							body = io.MultiReader(body) // whose length is not known
						}
						resp, err := client.Post(to.url, multiMedia, body)
						is.NoErr(err)
						is.Equal(servertest.SumUp(t, resp), want)
					}
				})
			}
		}
	}
	is.True(isEmpty())
	is.Equal(log.String(), "") // a client cannot fill it
}

// Only a Form with a field for files runs with a body that is too large, and only if that is
// multipart.
func TestTooLargeForOthers(t *testing.T) {
	for _, tt := range []struct {
		name, contentType string
		handler           any
	}{
		{"a struct", multiMedia, func(_ *flow.Request, in photo) (string, error) { return in.Title, nil }},
		{"a Form without files", multiMedia, func(_ *flow.Request, in flow.Form[struct {
			Title string `form:"title"`
		}]) (string, error) {
			return in.Value.Title, nil
		}},
		{"Bind", multiMedia, func(req *flow.Request) (string, error) { return "", req.Bind(&flow.Form[photo]{}) }},
		{"a form", formType, addPhoto},
		{"JSON", jsonMedia, addPhoto},
		{"multipart of another kind", "multipart/mixed; boundary=b", func(req *flow.Request, _ flow.Form[photo]) (string, error) {
			_, err := io.ReadAll(req.Body)
			return "", err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler)
			r.MaxBody = maxPhoto
			code := do(r, sending("POST", "/x", tt.contentType, upload(maxPhoto))).Code
			is.True(code == 413 || code == 415 && strings.HasPrefix(tt.contentType, "multipart/mixed"))
		})
	}
}

// Guards and middleware see the first values of a form that is too large, in whatever way they
// ask, and the handler still runs.
func TestTooLargeForGuards(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  []any
	}{
		{"Input", []any{func(req *flow.Request) flow.Response {
			return flow.Next().Header("Seen", req.Input("title"))
		}}},
		{"Bind", []any{func(req *flow.Request) flow.Response {
			var p struct {
				Title string `form:"title"`
			}
			err := req.Bind(&p)
			return flow.Next().Header("Seen", fmt.Sprint(p.Title, err))
		}}},
		{"Bind with files", []any{func(req *flow.Request) flow.Response {
			var p photo
			var wrong flow.Invalid
			is := errors.As(req.Bind(&p), &wrong)
			return flow.Next().Header("Seen", fmt.Sprint(p.Title, is, wrong["photo"]))
		}}},
		{"FormValue behind Input", []any{func(req *flow.Request) flow.Response {
			req.Input("")
			_, _, err := req.FormFile("photo")
			return flow.Next().Header("Seen", fmt.Sprint(req.FormValue("title"), err))
		}}},
		{"FormValue", []any{func(req *flow.Request) flow.Response { return flow.Next().Header("Seen", req.FormValue("title")) }}},
		{"middleware", []any{before(func(r *http.Request) { r.FormValue("title") }), func(req *flow.Request) flow.Response {
			return flow.Next().Header("Seen", req.FormValue("title"))
		}}},
		{"From", []any{before(func(r *http.Request) { flow.From(r.Context()).Input("title") }), func(req *flow.Request) flow.Response {
			return flow.Next().Header("Seen", req.FormValue("title"))
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(addPhoto, tt.use...)
			r.MaxBody = maxPhoto
			w := do(r, sending("POST", "/x", multiMedia, upload(maxPhoto)))
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tooLarge)
			is.Equal(w.Header().Get("Seen"), map[string]string{
				"Input": "x", "Bind": "x<nil>", "Bind with files": "xtrueis too large",
				"FormValue behind Input": "xhttp: no such file", "FormValue": "", "middleware": "", "From": "x",
			}[tt.name])
		})
	}
	t.Run("a guard that denies", func(t *testing.T) {
		is := is.New(t)
		r, _ := lone(addPhoto, func(*flow.Request) flow.Response { return flow.Fail(403, "no") })
		r.MaxBody = maxPhoto
		body := strings.NewReader(upload(maxPhoto))
		req := sending("POST", "/x", multiMedia, "")
		req.Body, req.ContentLength = io.NopCloser(body), body.Size()
		is.Equal(do(r, req).Code, 403)
		is.Equal(int64(body.Len()), body.Size()) // nothing was read for it
	})
}

// A client that asks first is told to go on.
func TestTooLargeUploadThatIsExpected(t *testing.T) {
	is := is.New(t)
	r, _ := lone(addPhoto)
	r.MaxBody = maxPhoto
	c := servertest.OnLoopback(t, r, nil).Dial()
	body := upload(maxPhoto)
	c.Send(fmt.Sprintf("POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", multiMedia, len(body)))
	is.Equal(c.Head().StatusCode, 100)
	c.Send(body)
	is.Equal(c.Answer(), tooLarge)
}

// A client that stops sending in the middle is answered when its time is over: 408 within the
// limit, and beyond it as if it had sent all.
func TestTooLargeUploadThatIsSlow(t *testing.T) {
	for _, tt := range []struct {
		name string
		sent int
		want string
	}{
		{"within the limit", maxPhoto / 2, "408"},
		{"beyond the limit", maxPhoto * 3 / 2, tooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				r, _ := lone(addPhoto)
				r.MaxBody = maxPhoto
				c := servertest.InMemory(t, r, nil).Dial()
				body := upload(4 * maxPhoto)
				begin := time.Now()
				c.Send(fmt.Sprintf("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", multiMedia, len(body), body[:tt.sent]))
				is.True(strings.HasPrefix(c.Answer(), tt.want))
				is.True(time.Since(begin) >= time.Second)
			})
		})
	}
}

// A client of HTTP/2 gets the whole answer, and is told then that nobody reads the rest of what it
// sends. The connection goes on.
func TestTooLargeUploadOverHTTP2(t *testing.T) {
	is := is.New(t)
	r, _ := lone(addPhoto)
	r.MaxBody = 20 << 10 // so that all is within the first windows
	c := servertest.NewHTTP2(t, servertest.OnLoopback(t, r, servertest.Secure).Dial().Conn)
	head := servertest.HeaderOf("/x", "content-type", multiMedia)
	head = bytes.Replace(head, []byte("\x03GET"), []byte("\x04POST"), 1)
	const data = 0
	is.NoErr(c.Send(servertest.Headers, servertest.EndHeaders, 1, head))
	for body := upload(50 << 10); body != ""; {
		n := min(len(body), 16<<10)
		is.NoErr(c.Send(data, 0, 1, []byte(body[:n]))) // and never the end of the stream
		body = body[n:]
	}
	is.NoErr(c.Flush())
	var got []string
	text := ""
	for len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "reset") {
		f, err := c.Receive()
		is.NoErr(err)
		switch {
		case f.Stream != 1:
		case f.Kind == data:
			if text += string(f.Payload); f.Flags&servertest.EndStream != 0 {
				got = append(got, "end")
			}
		case f.Kind == servertest.Reset:
			got = append(got, fmt.Sprint("reset ", f.Payload[3]))
		}
	}
	is.Equal(text, strings.TrimPrefix(tooLarge, "422 "))
	is.Equal(got, []string{"end", "reset 0"}) // NO_ERROR
}

// The files of a client that leaves are removed.
func TestFilesOfAClientThatLeaves(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprint("TLS ", secure), func(t *testing.T) {
			is := is.New(t)
			isEmpty := noFilesLeft(t)
			entered, left := make(chan bool, 1), make(chan bool, 1)
			r, _ := lone(func(req *flow.Request, in flow.Form[photo]) (flow.Response, error) {
				entered <- isEmpty()
				<-req.Context().Done()
				left <- true
				return flow.Text(""), nil
			})
			change := servertest.Secure
			scheme := "https://"
			if !secure {
				change, scheme = nil, "http://"
			}
			s := servertest.OnLoopback(t, r, change)
			transport := s.Transport()
			defer transport.CloseIdleConnections()
			req := sending("POST", scheme+s.Addr+"/x", multiMedia, upload(3<<20))
			req.RequestURI = ""
			ctx, cancel := context.WithCancel(t.Context())
			go transport.RoundTrip(req.WithContext(ctx))
			is.True(!servertest.Within(t, "the handler runs", entered)) // with a file on disk
			cancel()
			servertest.Within(t, "it knows that the client has left", left)
			servertest.Until(t, "the file is removed", isEmpty)
		})
	}
}

// TestWarnOfUploads: an application that takes uploads warns when it begins to serve if there is
// no directory for them.
func TestWarnOfUploads(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	is.New(t).NoErr(os.WriteFile(file, nil, 0o600))
	good, missing := filepath.Join(dir, "good"), filepath.Join(dir, "missing")
	is.New(t).NoErr(os.Mkdir(good, 0o700))

	route := func(method string, handler any) *flow.Router {
		r := flow.New(flowtest.Files("router/x.http"))
		r.At("x").Method(method).Do(handler)
		return r
	}
	plain := func(*flow.Request) string { return "" }
	typed := func(_ *flow.Request, in struct{ Title string }) error { return nil }
	small := route("POST", plain)
	small.MaxBody = 1 << 20
	outer := flow.New(flowtest.Files("router/index.html"))
	outer.Mount("/inner", route("POST", addPhoto))
	for _, tt := range []struct {
		name string
		temp string
		r    *flow.Router
		warn bool
	}{
		{"missing", missing, route("POST", addPhoto), true},
		{"a file", file, route("POST", addPhoto), true},
		{"good", good, route("POST", addPhoto), false},
		{"a handler that may call FormFile", missing, route("POST", plain), true},
		{"a mounted Router", missing, outer, true},
		{"all fits in memory", missing, small, false},
		{"no files in the input", missing, route("POST", typed), false},
		{"a net/http handler", missing, route("POST", http.NotFoundHandler()), false},
		{"no body", missing, route("GET", plain), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			t.Setenv("TMPDIR", tt.temp)
			t.Setenv("TMP", tt.temp) // on Windows
			const warning = "uploads above 1 MiB will fail with 500"
			stopped, stop := context.WithCancel(t.Context())
			stop()
			is.True(!strings.Contains(runWith(t.Context(), tt.r, nil, "check").stderr, warning))
			got := runWith(stopped, tt.r, nil, "-addr 127.0.0.1:0")
			is.Equal(got.code, command.OK)
			is.Equal(strings.Count(got.stderr, warning), map[bool]int{true: 1}[tt.warn])
			left, err := os.ReadDir(good)
			is.NoErr(err)
			is.Equal(len(left), 0)
		})
	}
}
