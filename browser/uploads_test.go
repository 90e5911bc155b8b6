package browser

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"os"
	"runtime"
	"runtime/metrics"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// maxUpload is the limit of the bodies in the test of uploads, in bytes.
const maxUpload = 2 << 20

type photo struct {
	Title string                `form:"title"`
	Photo *multipart.FileHeader `form:"photo"`
}

// uploadRouter has a page with a form for a file. It looks at each file that it gets, and keeps
// none.
func uploadRouter() *flow.Router {
	r := flow.New(fstest.MapFS{"router/index.html": {Data: []byte(`<!doctype html><title>Upload</title>
<form method="post" enctype="multipart/form-data">
<input name="title" value="{{.Value.Title}}">
<input name="photo" type="file"><p>{{.Wrong.photo}}</p>
<button>Upload</button>
</form>`)}})
	r.Logger = slog.New(slog.DiscardHandler)
	r.MaxBody = maxUpload
	r.At("index").GET().Do(func(*flow.Request) (flow.Form[photo], error) { return flow.Form[photo]{}, nil })
	r.At("index").POST().Do(func(_ *flow.Request, in flow.Form[photo]) (flow.Response, error) {
		if in.Wrong != nil {
			return flow.Page(in).Status(422), nil
		}
		if in.Value.Photo == nil {
			return flow.Text("none"), nil
		}
		f, err := in.Value.Photo.Open()
		if err != nil {
			return flow.Response{}, err
		}
		defer f.Close()
		n, err := io.Copy(io.Discard, f)
		return flow.Text(fmt.Sprint(in.Value.Title, " ", in.Value.Photo.Filename, " ", n)), err
	})
	return r
}

// upload opens the page, and sends the form with a file of that size, or with none if it is
// negative. It returns what the tab shows then: the text and the title that are kept, or the error
// of the browser.
func (tb *tab) upload(url, title string, size int) (shown string) {
	tb.t.Helper()
	tb.open(url)
	tb.do(fmt.Sprintf(`document.querySelector("[name=title]").value = %q;
		if (%d >= 0) {
			const files = new DataTransfer();
			files.items.add(new File([new Uint8Array(%[2]d)], "p.png"));
			document.querySelector("[name=photo]").files = files.files;
		}
		window.old = true;
		document.querySelector("form").requestSubmit();`, title, size))
	servertest.Until(tb.t, "the answer is there", func() bool {
		text, err := tb.try(`if (window.old || document.readyState !== "complete") return "";
			const title = document.querySelector("[name=title]");
			return title ? document.querySelector("p").textContent + ", " + title.value : document.querySelector(".error-code")?.textContent ?? document.body.textContent`)
		shown = text
		return err == nil && text != `""`
	})
	return shown
}

// mostHeap collects the garbage again and again, and returns a function that ends that and returns
// how much more the heap has held at most than at the beginning, in bytes. Garbage that waits for
// its collection does not count, since how much of it there is depends on what else the machine does.
func mostHeap() (stop func() uint64) {
	held := func() uint64 {
		runtime.GC()
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, most := held(), uint64(0)
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
				most = max(most, held())
			}
		}
	}()
	return func() uint64 {
		close(ended)
		<-done
		return most - min(most, before)
	}
}

// TestUploads has a browser send files. One that makes the form too large is answered with the page
// of the form, where the text is kept, up to twice the limit. A larger one may be answered by an
// error of the browser, which the test only tells of.
func TestUploads(t *testing.T) {
	tb := newTab(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir) // after the browser has started
	tb.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
		return chromedp.Void{}, err
	})
	for _, proto := range []struct {
		name, scheme, next string
		change             func(*server.Server)
	}{
		{"HTTP/1.1", "http", "http/1.1", nil},
		{"HTTP/2", "https", "h2", servertest.Secure},
	} {
		url := proto.scheme + "://" + servertest.OnLoopback(t, uploadRouter(), proto.change).Addr + "/"
		for _, tt := range []struct {
			name  string
			size  int
			times int
			want  string
		}{
			{"no choice", -1, 1, "none"},
			{"a file", maxUpload / 2, 1, "%s p.png 1048576"},
			{"1.1 times MaxBody", maxUpload * 11 / 10, 20, "is too large, %s"},
			{"2 times MaxBody", maxUpload * 2, 20, "is too large, %s"},
			{"8 times MaxBody", maxUpload * 8, 5, "is too large, %s"},
		} {
			t.Run(proto.name+", "+tt.name, func(t *testing.T) {
				is := is.New(t)
				grown, others := mostHeap(), []string{}
				for i := range tt.times {
					title := fmt.Sprint("x", i)
					want := tt.want
					if tt.size >= 0 {
						want = fmt.Sprintf(tt.want, title)
					}
					if got := tb.upload(url, title, tt.size); got != fmt.Sprintf("%q", want) {
						others = append(others, got)
					}
				}
				most := grown()
				t.Logf("%d of %d, others: %v; the heap has grown by %d KiB at most", tt.times-len(others), tt.times, others, most>>10)
				if tt.size <= maxUpload*2 { // the browser may show an error of its own for a larger one
					is.Equal(others, []string{})
				}
				if tt.size > maxUpload {
					is.True(most < maxUpload) // nothing of these is kept
				}
				is.Equal(tb.do("return performance.getEntriesByType('navigation')[0].nextHopProtocol"), fmt.Sprintf("%q", proto.next))
				left, err := os.ReadDir(dir)
				is.NoErr(err)
				is.Equal(len(left), 0)
			})
		}
	}
}
