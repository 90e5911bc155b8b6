package browser

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/flow"
	"example.com/flow/browser/internal/chromium"
	"example.com/flow/internal/testkit/servertest"
)

// browser is the Chromium of all tests, once it runs.
var browser struct {
	start sync.Once
	ctx   context.Context
	stop  func()
	err   error
}

func TestMain(m *testing.M) {
	if r := checkedRouter(os.Getenv(checkVariable)); r != nil {
		os.Args = []string{os.Args[0], "check"}
		flow.Main(r)
	}
	code := m.Run()
	if browser.stop != nil {
		browser.stop()
	}
	os.Exit(code)
}

// missing skips a test that needs a program which is not there, and fails it in CI.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// A tab is one page of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context // for ask
}

// newTab opens a tab, which is closed when the test is over.
func newTab(t *testing.T) *tab {
	t.Helper()
	browser.start.Do(func() { browser.ctx, browser.stop, browser.err = chromium.Start() })
	if browser.err != nil {
		missing(t, browser.err.Error())
	}
	ctx, cancel := chromedp.NewContext(browser.ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // which opens it; a limit on this would close it
		t.Fatal(err)
	}
	return &tab{t, ctx}
}

// ask runs an action on the page. Its limit is for one that would wait for ever, such as for an
// element that does not come, and not for a machine that is busy.
func ask[R any](tb *tab, action chromedp.Action[R]) (R, error) {
	ctx, cancel := context.WithTimeout(tb.ctx, servertest.Patience)
	defer cancel()
	return chromedp.Run(ctx, action)
}

func (tb *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	for _, action := range actions {
		if _, err := ask(tb, action); err != nil {
			tb.t.Fatal(err)
		}
	}
}

func (tb *tab) open(url string) {
	tb.t.Helper()
	tb.run(chromedp.Navigate(url))
}

// do runs JavaScript, and returns its value as JSON.
func (tb *tab) do(script string) string {
	tb.t.Helper()
	text, err := tb.try(script)
	if err != nil {
		tb.t.Fatalf("%s: %v", script, err)
	}
	return text
}

func (tb *tab) try(script string) (string, error) {
	return ask(tb, chromedp.Evaluate[string]("JSON.stringify((() => { "+script+" })()) ?? 'undefined'"))
}

// until waits until a JavaScript expression is true. While a page is loaded again, none is.
func (tb *tab) until(what, expression string) {
	tb.t.Helper()
	for end := time.Now().Add(servertest.Patience); ; time.Sleep(5 * time.Millisecond) {
		text, err := tb.try("return " + expression)
		switch {
		case err == nil && text == "true":
			return
		case time.Now().After(end):
			html, _ := tb.try("return document.body.outerHTML.slice(0, 2000)")
			tb.t.Fatalf("%s: %s is %s (%v) on %s", what, expression, text, err, html)
		}
	}
}

// connected waits until the page listens to the application. Without that a change would
// be noticed as well, but the test would not be of the event.
func (tb *tab) connected() {
	tb.t.Helper()
	tb.until("it is connected", `performance.getEntriesByType("resource").some((e) => e.name.endsWith("/_flow/reload.js"))`)
}

// look sets the width of the page in CSS pixels, and the color scheme.
func (tb *tab) look(width int64, scheme string) {
	tb.t.Helper()
	tb.run(chromium.Look(width, 900, 1, scheme))
}

// A site is an application in development, served from a directory.
type site struct {
	t    *testing.T
	dir  string
	url  string
	stop func() // and waits for the end
	make func(dir string) http.Handler
}

// newSite serves files with what register adds, in development.
func newSite(t *testing.T, files map[string]string, register func(*flow.Router)) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	for file, text := range files {
		s.save(file, text)
	}
	s.make = func(dir string) http.Handler {
		r := flow.New(os.DirFS(dir))
		r.Logger = slog.New(slog.DiscardHandler)
		r.Dev(dir)
		if register != nil {
			register(r)
		}
		return r
	}
	s.start(freeAddr(t))
	t.Cleanup(func() { s.stop() })
	return s
}

// start serves a new Router, as a new process would.
func (s *site) start(addr string) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- flow.Serve(ctx, addr, s.make(s.dir)) }()
	s.url = "http://" + addr
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	})
	accepts(s.t, addr)
}

// accepts waits until something accepts connections at an address.
func accepts(t *testing.T, addr string) {
	t.Helper()
	servertest.Until(t, "something accepts connections at "+addr, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// freeAddr returns an address that nobody listens on. Its port is below those that the system gives
// away by itself: nobody else gets it while a site is started again.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 1000 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000)))
		if err == nil {
			l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// restart stops the server and serves again at the same address.
func (s *site) restart() {
	s.t.Helper()
	s.stop()
	s.start(strings.TrimPrefix(s.url, "http://"))
}

// save writes a file of the site.
func (s *site) save(file, text string) {
	s.t.Helper()
	write(s.t, filepath.Join(s.dir, filepath.FromSlash(file)), text)
}

// write writes a file, and makes its directory.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// axeVersion is that of axe-core, which the rules for accessibility are from.
const axeVersion = "4.14.1"

// axe returns the text of axe-core: of the file that AXE_CORE names, or else of npm.
var axe = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("AXE_CORE"); file != "" {
		text, err := os.ReadFile(file)
		return string(text), err
	}
	text, err := npmFile("axe-core", axeVersion, "axe.min.js")
	if err != nil {
		err = fmt.Errorf("there is no axe-core %s: set AXE_CORE to its axe.min.js, or install npm, which fetches it: %w", axeVersion, err)
	}
	return text, err
})

// npmFile returns the text of a file of a package. npm fetches the package, and the file is
// kept in the cache of the user.
func npmFile(name, version, file string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cached := filepath.Join(cache, "flow", name+"-"+version+"-"+path.Base(file))
	if text, err := os.ReadFile(cached); err == nil {
		return string(text), nil
	}
	dir, err := os.MkdirTemp("", "flow-npm-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("npm", "pack", "--silent", name+"@"+version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	packed, err := os.Open(filepath.Join(dir, name+"-"+version+".tgz"))
	if err != nil {
		return "", err
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(plain); ; {
		h, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if h.Name != "package/"+file {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return "", err
		}
		return string(text), keep(cached, text)
	}
}

// keep writes a file at once, so that another process does not read half of it.
func keep(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// accessible reports what axe-core finds wrong about the page.
func (tb *tab) accessible(t *testing.T) {
	t.Helper()
	text, err := axe()
	if err != nil {
		missing(t, err.Error())
	}
	if _, err := ask(tb, chromedp.Evaluate[string](text+"; 'loaded'")); err != nil {
		t.Fatal(err)
	}
	found, err := ask(tb, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map((v) =>
		v.id + ": " + v.help + "\n" + v.nodes.map((n) => "    " + n.target + " " + n.failureSummary).join("\n")).join("\n"))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if found != "" {
		t.Error(found)
	}
}

// refused returns what the Content-Security-Policy of the page has refused.
func (tb *tab) refused() string {
	tb.t.Helper()
	text, err := ask(tb, chromedp.Evaluate[string](violations, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.t.Fatal(err)
	}
	return text
}

// fits reports whether nothing makes the page wider than the window.
func (tb *tab) fits() bool {
	tb.t.Helper()
	return tb.do(`return document.documentElement.scrollWidth <= innerWidth`) == "true"
}

// picture writes a picture of the page to the directory of FLOW_PICTURES, for a person to
// look at.
func (tb *tab) picture(name string) {
	tb.t.Helper()
	dir := os.Getenv("FLOW_PICTURES")
	if dir == "" {
		return
	}
	png, err := ask(tb, chromedp.FullScreenshot(100))
	if err != nil {
		tb.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666); err != nil {
		tb.t.Fatal(err)
	}
}
