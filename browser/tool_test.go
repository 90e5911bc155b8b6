package browser

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/servertest"
)

// TestTool has a page open while "flow dev" runs an application of "flow new" whose build
// breaks and heals, which crashes, and which comes again.
func TestTool(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if runtime.GOOS == "windows" {
		t.Skip("Ctrl-C cannot be sent to another program")
	}
	is := is.New(t)
	tb := newTab(t) // skips first what has no browser
	dir := t.TempDir()
	tool := filepath.Join(dir, "flow")
	command := func(in, name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	command(filepath.Join("..", "cmd", "flow"), "go", "build", "-o", tool, ".")
	command(dir, tool, "new", "hello")
	s := &site{t: t, dir: filepath.Join(dir, "hello")}
	command(s.dir, "go", "build", "-o", os.DevNull, ".") // what flow dev builds is in the cache then

	cmd := exec.Command(tool, "dev", "-addr", "localhost:0")
	cmd.Dir, cmd.WaitDelay = s.dir, 10*time.Second
	stderr, err := cmd.StderrPipe()
	is.NoErr(err)
	is.NoErr(cmd.Start())
	said := make([]byte, 1000)
	n, err := stderr.Read(said)
	is.NoErr(err)
	_, url, _ := strings.Cut(strings.TrimSpace(string(said[:n])), " for ")
	var rest bytes.Buffer
	read := make(chan bool)
	go func() {
		defer close(read)
		rest.ReadFrom(stderr)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		<-read
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the tool has said:\n%s", rest.String())
		}
	})

	s.save("app/router/tool.html", `<input id="field"><p id="version">{{.}}</p>`)
	save := func(code string) {
		s.save("app/tool.go", "package app\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.GET().Do(func(*flow.Request) flow.Response { return flow.Page("+code+") })\n}\n")
	}
	const version = `document.getElementById("version")?.textContent === `
	const typed = `document.getElementById("field")?.value === "typed"`
	save(`"one"`)
	servertest.Until(t, "the page comes", func() bool {
		tb.open(url + "/tool") // which waits for the program
		return tb.do("return "+version+`"one"`) == "true"
	})
	tb.connected()
	tb.do(`window.same = true; document.getElementById("field").value = "typed"`)
	s.save("app/router/notes/+broken.html", "{{if}}")
	tb.until("a template that the page does not need is wrong", overlay+`.includes("missing value for if")`)
	tb.do(`window.before = true`)
	is.NoErr(os.Remove(filepath.Join(s.dir, "app/router/notes/+broken.html")))
	tb.until("it is good again", `!window.before && `+overlay+` === "" && `+version+`"one"`)
	tb.connected()
	tb.do(`window.same = true`)
	is.Equal(tb.do(`return document.getElementById("field").value`), `"typed"`)
	save(`missing`)
	tb.until("the build has failed", overlay+`.includes("undefined: missing")`)
	is.Equal(tb.do(`return window.same && document.getElementById("field").value`), `"typed"`)
	save(`"one"`)
	tb.until("the same program is good", overlay+` === ""`)
	is.Equal(tb.do(`return window.same`), "true") // and no reason to load the page again
	save(`"two"`)
	tb.until("the next program answers", version+`"two"`)
	tb.until("what was typed is there again", typed) // once the script has run
	tb.connected()

	// The route map loads itself again when flow vet has looked at the program that answers.
	tb.open(url + "/_flow")
	save(`"two").Block("nowhere"`)
	tb.until("the route map warns", `document.getElementById("vetted")?.parentElement.innerText.includes('Block("nowhere")')`)
	tb.accessible(t)
	save(`"two"`)
	tb.until("there is no warning any more", `!document.getElementById("vetted") && document.body.innerText.includes("Route map")`)
	tb.open(url + "/tool")
	tb.until("the page is as before", version+`"two"`)
	tb.do(`document.getElementById("field").value = "typed"`)
	tb.connected()

	s.save("app/crash.go", "package app\n\nimport (\n\t\"os\"\n\t\"time\"\n)\n\nfunc init() {\n\ttime.AfterFunc(time.Second, func() { println(\"out of cheese\"); os.Exit(3) })\n}\n")
	tb.until("the program has ended", `document.body.innerText.includes("out of cheese")`)
	is.NoErr(os.Remove(filepath.Join(s.dir, "app", "crash.go")))
	tb.until("a program answers again", version+`"two" && `+typed)
}
