package browser

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"example.com/flow"
)

// TestLog signs up at an application that logs its mails: the link in them is a click away on the
// route map.
func TestLog(t *testing.T) {
	is := is.New(t)
	tb := newTab(t)
	dir := t.TempDir()
	s := &site{t: t, dir: dir}
	s.save("router/index.html", "<!doctype html><h1>home</h1>")
	s.save("router/sign-up.html", "<!doctype html><h1>signed up</h1>")
	s.save("router/confirm.html", `<!doctype html><h1>{{request.Input "token"}}</h1>`)
	build := func(context.Context) (*flow.Router, error) {
		r := flow.New(os.DirFS(dir))
		r.Use(flow.Logger(nil))
		r.At("sign-up").GET().Do(func(*flow.Request) flow.Response {
			slog.Info("mail", "to", "ada@example.com", "subject", "Confirm your address",
				"text", "Somebody has asked the shop for an account with this address. If it was you, follow this link:\n\n"+s.url+"/confirm?token="+strings.Repeat("a1", 16)+"\n\nIt works once, within 24 hours.\n")
			slog.Warn("the mail server is slow", "took", "3s", "password", "s3cret")
			return flow.Page(nil)
		})
		return r, nil
	}
	addr := freeAddr(t)
	s.url = "http://" + addr
	args, before := os.Args, slog.Default()
	os.Args = []string{"app", "serve", "-addr", addr, "-dev=" + dir}
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() { code <- flow.Run(ctx, build) }()
	t.Cleanup(func() {
		stop()
		is.Equal(<-code, 0)
		os.Args = args
		slog.SetDefault(before)
	})
	accepts(t, addr)

	tb.open(s.url + "/sign-up")
	tb.open(s.url + "/_flow")
	for _, scheme := range []string{"light", "dark"} {
		for width, size := range map[int64]string{1280: "wide", 390: "narrow"} {
			tb.look(width, scheme)
			tb.accessible(t)
			is.True(tb.fits())
			tb.picture("log-" + size + "-" + scheme)
		}
	}
	is.Equal(tb.do(`return document.body.innerText.includes("s3cret")`), "false")
	is.Equal(tb.do(`return document.querySelector(".log li").innerText.includes("WARN the mail server is slow")`), "true")              // the newest first
	is.Equal(tb.do(`return document.querySelector(".log .lines").innerText.endsWith("\n\nIt works once, within 24 hours.\n")`), "true") // as lines
	tb.run(chromedp.Click(`a[href="#log"]`), chromedp.Click(`.log a`))
	tb.until("the link is followed", `document.querySelector("h1").textContent === "`+strings.Repeat("a1", 16)+`"`)
}
