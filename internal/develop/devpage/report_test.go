package devpage_test

import (
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
)

// panicked returns the stack of what f panics with.
func panicked(f func()) (stack []byte) {
	defer func() {
		if recover() != nil {
			stack = debug.Stack()
		}
	}()
	f()
	return nil
}

func own(f devpage.Frame) bool {
	return strings.HasPrefix(f.Package(), "example.com/flow/internal/develop/devpage")
}

type thing struct{ next *thing }

//go:noinline
func (t *thing) name() *thing { return t.next }

func TestStack(t *testing.T) {
	var list []int
	for _, tt := range []struct {
		name, want string
		f          func()
	}{
		{"a value", "TestStack", func() { panic("no") }},
		{"a nil pointer", "(*thing).name", func() { (*thing)(nil).name() }},
		{"an index", "TestStack", func() { _ = list[len(t.Name())] }},
		{"again in a deferred function", "TestStack", func() {
			defer func() { panic("two") }()
			panic("one")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			frames := devpage.Stack(panicked(tt.f), own)
			is.True(len(frames) > 2)
			is.True(frames[0].Own)
			is.True(strings.Contains(frames[0].Function, tt.want)) // the call that panicked is the first
			is.True(strings.HasSuffix(frames[0].File, "/report_test.go"))
			is.True(!frames[len(frames)-1].Own) // testing.tRunner, or what created it
			is.Equal(frames[len(frames)-1].Package(), "testing")
			f := devpage.FaultOf("panic: no", frames)
			is.Equal(f.Line, frames[0].Line)
			is.True(len(f.Source) > 5)
		})
	}
	is := is.New(t)
	for _, text := range []string{"", "goroutine 1 [running]:", "f()\n\tx", "f()\n\tx.go:y", "\n\n\t\n"} {
		is.Equal(len(devpage.Stack([]byte(text), own)), 0)
	}
	is.Equal(devpage.Frame{Function: "gopkg.in/yaml%2ev3.(*T).F"}.Package(), "gopkg.in/yaml.v3")
}

func TestSecretsAreMasked(t *testing.T) {
	is := is.New(t)
	r := httptest.NewRequest("POST", "/reset/s3cret-1/7?q=shown&access_token=s3cret-2&code=s3cret-3&b", nil)
	r.Header.Set("Authorization", "Bearer s3cret-4")
	r.Header.Set("Cookie", "sid=s3cret-5; theme=s3cret-6")
	r.Header.Set("X-Api-Key", "s3cret-7")
	r.Header.Set("Referer", "http://u:s3cret-8@localhost/x?token=s3cret-9&y=shown#s3cret-10")
	r.Header.Set("HX-Current-URL", "http://localhost/x?token=s3cret-11")
	r.Header.Set("Accept", "text/html")
	d := devpage.Describe(r, []devpage.Value{{Name: "token", Text: "s3cret-1"}, {Name: "id", Text: "7"}}, map[string]any{
		"password": "s3cret-11", "author": "shown", "user": map[string]any{"new_password": "s3cret-12", "name": "shown"},
		"list": []any{map[string]any{"pin": "s3cret-13"}, 5}, "tags": []string{"a", "b"}, "long": strings.Repeat("x", 600),
	})
	page := string((&devpage.Report{Title: "It failed", Status: "500 Internal Server Error", Request: d}).Render())
	is.True(!strings.Contains(page, "s3cret"))
	for _, want := range []string{
		"/reset/•••/7?q=shown&amp;access_token=•••&amp;code=•••&amp;b", "http://localhost/x?token=•••&amp;y=shown",
		"<dt>author</dt><dd>shown", "<dt>user.name</dt><dd>shown", "<dt>list.1</dt><dd>5", "<dt>theme</dt>", "<dt>X-Api-Key</dt>", "<dt>Accept</dt><dd>text/html", "xx … (600 bytes)",
	} {
		is.True(strings.Contains(page, want)) // names stay, and what is no secret
	}
}

func TestReport(t *testing.T) {
	is := is.New(t)
	dir := files(t, "app/a.html")
	r := &devpage.Report{
		Title: "<It> failed", Status: "500 Internal Server Error",
		Faults: devpage.Parse("app/a.html:3: <b>\nthe second line\napp/a.html: another", dir),
		Stack: []devpage.Frame{{Function: "runtime.main", File: "/go/proc.go", Line: 3},
			{Function: "app.show", File: "/src/app/x.go", Line: 7, Own: true, Editor: "vscode://file/src/app/x.go:7:1"}},
	}
	page := string(r.Render())
	for _, want := range []string{
		"<title>2 faults in app/a.html – &lt;It&gt; failed</title>", "<h1>2 faults in app/a.html</h1>", "&lt;It&gt; failed <span>500 Internal Server Error</span>",
		"<h2>&lt;b&gt;\nthe second line</h2>\n<p class=\"place\"><a href=\"vscode://file/", "<code>app/a.html:3</code></a></p>",
		`data-fault="app/a.html:3: &lt;b&gt;`,
		`<span class="row marked" data-line="3"><span>line 3`, "<h2>another</h2>",
		"<li><code>app.show</code> <span class=\"place\"><a href=\"vscode://file/src/app/x.go:7:1\"><code>/src/app/x.go:7</code></a></span></li>",
		"<li><code>runtime.main</code> <span class=\"place\"><code>/go/proc.go:3</code></span></li>", "1 frame of",
	} {
		is.True(strings.Contains(page, want))
	}
	is.Equal(strings.Count(page, "<h1"), 1)
	is.True(strings.Index(page, "app.show") < strings.Index(page, "runtime.main")) // the application's are first
	is.True(!strings.Contains(page, "<h2>Request"))
}

func FuzzStack(f *testing.F) {
	f.Add(string(panicked(func() { panic(1) })))
	f.Add("panic(\n\tx:1\n)\n\t:2\nf.g()\n\t/a.go:3 +0x1")
	f.Fuzz(func(t *testing.T, text string) {
		for _, frame := range devpage.Stack([]byte(text), own) {
			if frame.File+frame.Package()+frame.Place() == "" {
				t.Error("a frame without a place")
			}
		}
	})
}

// TestOutput: what a program has printed stands below its fault, as it is.
func TestOutput(t *testing.T) {
	is := is.New(t)
	r := devpage.Report{Title: "The program has ended", Status: "503", NoMap: true, Faults: []devpage.Fault{{Text: "panic: <1>", Output: "panic: <1>\n\n\tx"}}}
	page := string(r.Render())
	is.True(strings.Contains(page, "<h1>panic: &lt;1&gt;</h1>"))
	is.True(strings.Contains(page, "<code>panic: &lt;1&gt;\n\n\tx</code></pre>"))
	is.True(!strings.Contains(page, `href="/_flow"`)) // nobody would answer
	r.NoMap, r.Faults[0].Output = false, ""
	page = string(r.Render())
	is.True(!strings.Contains(page, `class="output"`))
	is.True(strings.Contains(page, `href="/_flow"`))
}

// TestHeaderIsFolded: the query is seldom long, and the header always is.
func TestHeaderIsFolded(t *testing.T) {
	is := is.New(t)
	req := httptest.NewRequest("GET", "/?q=1", nil)
	req.Header.Set("Accept", "text/plain")
	r := devpage.Report{Title: "x", Status: "500", Request: devpage.Describe(req, nil, nil)}
	page := string(r.Render())
	before, folded, ok := strings.Cut(page, "<details>\n<summary>2 header fields</summary>") // Host is the other
	is.True(ok)
	is.True(strings.Contains(before, "<h3>Query</h3>"))
	is.True(strings.Contains(folded, "text/plain"))
}
