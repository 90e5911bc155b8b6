package browser

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestTimeToAnAccount measures from "flow new -accounts" to the page of an account in the
// browser, with FLOW_MEASURE set: the command, the first build of "flow dev" with the cache of
// the user and with an empty one, and the way of a person whose hands take no time. The modules
// have been downloaded.
func TestTimeToAnAccount(t *testing.T) {
	if os.Getenv("FLOW_MEASURE") == "" {
		t.Skip("it measures: set FLOW_MEASURE to 1")
	}
	tool := filepath.Join(t.TempDir(), "flow")
	build{dir: filepath.Join("..", "cmd", "flow")}.run(t, "go", "build", "-o", tool, ".")
	for _, tt := range []struct{ name, cache string }{
		{"with the cache of the user", ""},
		{"with that cache, again", ""},
		{"with an empty cache", t.TempDir()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := newTab(t)
			forget(tb)
			if tt.cache != "" {
				t.Setenv("GOCACHE", tt.cache)
			}
			dir := filepath.Join(t.TempDir(), "desk")
			begin := time.Now()
			step := func(what string) { t.Logf("%5.1f s: %s", time.Since(begin).Seconds(), what) }
			build{dir: "."}.run(t, tool, "new", "-accounts", dir)
			step("flow new -accounts")

			cmd := exec.Command(tool, "dev", "-addr", "localhost:0")
			cmd.Dir = dir
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said, mails := bufio.NewReader(stderr), make(mailbox, 1)
			t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
			first, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			go io.Copy(mails, said)
			_, url, _ := strings.Cut(strings.TrimSpace(first), " for ")
			for page := ""; !strings.Contains(page, "/sign-up"); time.Sleep(10 * time.Millisecond) {
				answer, err := http.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				page = string(text)
			}
			step("flow dev serves it")

			tb = newTab(t) // the time of the other one may be over
			tb.open(url)
			tb.run(chromedp.Click(`nav a[href="/sign-up"]`), chromedp.SendKeys("#email", "ada@example.com"), chromedp.Click("main button"))
			tb.open(strings.TrimSuffix(url, "/") + <-mails)
			tb.run(chromedp.SendKeys("#password", "correct horse battery"), chromedp.Click("main button"))
			tb.until("the account is shown", `document.querySelector("main p").innerText === "You are signed in as ada@example.com."`)
			step("the page of the account")
		})
	}
}
