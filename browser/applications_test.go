package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// An application is one of this repository, of its documents, or of the tool "flow new". It runs
// as a process of its own, with the files of a directory.
type application struct {
	name   string
	dir    string // of router/ and public/
	binary string
	args   []string
	env    []string
	log    io.Writer // gets what it writes to stderr, if not nil

	values  map[string]string // what is filled into fields, by their names
	foreign string            // the beginning of paths that another handler answers
}

// A build makes a binary of several applications, which reads their route files from a directory
// that it is told.
type build struct {
	dir     string            // of the module
	apps    map[string]string // the package of each, by name
	made    map[string]string // the expression of each Router, if that is not the variable Router
	imports []string          // further packages, which the expressions need
}

// onDisk has an application read the files of a directory in place of those in its binary.
const onDisk = `package %s

import (
	"io/fs"
	"os"
)

func onDisk(embedded fs.FS) fs.FS {
	if dir := os.Getenv("APP_DIR"); dir != "" {
		return os.DirFS(dir)
	}
	return embedded
}
`

// newRouter is where an application makes its Router.
var newRouter = regexp.MustCompile(`flow\.New\(files\b`)

// applications builds the binary and returns the applications in it. Files of the module that are
// different in the binary are given by an overlay, so that the module stays as it is.
func (b build) applications(t *testing.T) []application {
	t.Helper()
	temp, overlay := t.TempDir(), map[string]string{}
	put := func(name, text string) {
		file := filepath.Join(temp, fmt.Sprint(len(overlay), ".go"))
		write(t, file, text)
		overlay[name] = file
	}
	var apps []application
	var imports, routers strings.Builder
	binary := filepath.Join(temp, "applications")
	i := 0
	for name, pkg := range b.apps {
		i++
		dir := b.run(t, "go", "list", "-f", "{{.Dir}}", pkg)
		sources, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			if newRouter.Match(text) {
				put(source, newRouter.ReplaceAllString(string(text), "flow.New(onDisk(files)"))
			}
		}
		put(filepath.Join(dir, "ondisk.go"), fmt.Sprintf(onDisk, path.Base(pkg)))
		expression := fmt.Sprintf("app%d.Router", i)
		if made := b.made[name]; made != "" {
			expression = strings.ReplaceAll(made, "app.", fmt.Sprintf("app%d.", i))
		}
		fmt.Fprintf(&imports, "\tapp%d %q\n", i, pkg)
		fmt.Fprintf(&routers, "\t\t%q: %s,\n", name, expression)
		apps = append(apps, application{name: name, dir: dir, binary: binary, env: []string{"APP=" + name, "WEBHOOK_SECRETS=" + secret}, values: filled[name], foreign: mounted[name]})
	}
	for _, pkg := range b.imports {
		fmt.Fprintf(&imports, "\t%q\n", pkg)
	}
	put(filepath.Join(b.dir, "renderings", "main.go"), "package main\n\nimport (\n\t\"os\"\n\t\"example.com/flow\"\n"+imports.String()+")\n\nfunc main() {\n\tall := map[string]*flow.Router{\n"+routers.String()+"\t}\n\tflow.Main(all[os.Getenv(\"APP\")])\n}\n")
	text, _ := json.Marshal(map[string]any{"Replace": overlay})
	write(t, filepath.Join(temp, "overlay.json"), string(text))
	b.run(t, "go", "build", "-overlay", filepath.Join(temp, "overlay.json"), "-o", binary, "./renderings")
	return apps
}

// run runs a program in the module, and returns what it prints.
func (b build) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	os.Getenv("FLOW_TREE") // see .ci/run: the files that the program reads are not among those of which go test knows
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// secret is one for the recipe of webhooks, which does not start without.
const secret = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

var (
	// filled are the values that fields need, by application and name.
	filled = map[string]map[string]string{"sample": {"name": "ada", "password": "engine"}}
	// mounted are handlers of net/http in an application, whose pages are their own.
	mounted = map[string]string{"portal/app": "/files/"}
)

// A remark is what the command check says of a place.
type remark struct {
	File         string
	Line, Column int
	Text         string
}

func (r remark) String() string { return fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.Text) }

// in returns a copy of the application that reads its files from a directory.
func (a application) in(dir string) application {
	a.env = append([]string{"APP_DIR=" + dir}, a.env...)
	return a
}

// check returns what the command check says of the application.
func (a application) check(t *testing.T) []remark {
	t.Helper()
	cmd := exec.Command(a.binary, "check", "-json")
	cmd.Env = append(os.Environ(), a.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // it fails if there are faults
	var remarks []remark
	if err := json.Unmarshal(out, &remarks); err != nil {
		t.Fatalf("%s: %v: %s%s", a.name, err, out, stderr.Bytes())
	}
	return remarks
}

// serve starts the application, and returns a client that asks it whatever the host of the URL is.
func (a application) serve(t *testing.T) (client *http.Client, stop func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "flow")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(a.binary, append([]string{"-addr", "unix:" + socket, "-drain", "0s"}, a.args...)...)
	cmd.Env = append(os.Environ(), a.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if a.log != nil {
		cmd.Stderr = io.MultiWriter(&stderr, a.log)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for listens := false; !listens; time.Sleep(5 * time.Millisecond) {
		select {
		case <-done:
			t.Fatalf("%s does not start: %s", a.name, stderr.Bytes())
		default:
		}
		conn, err := net.Dial("unix", socket)
		if listens = err == nil; listens {
			conn.Close()
		}
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	client = &http.Client{Transport: transport, Timeout: 5 * time.Second}
	return client, func() {
		cmd.Process.Kill()
		<-done
		os.RemoveAll(dir)
	}
}

var (
	shownFile  = regexp.MustCompile(`^(?://|<!--|/\*|--|#) (\S+\.\w+)(?: -->| \*/)?\n\n?`)
	shownEmpty = regexp.MustCompile(`(?m)^touch '(.*)'$`)
	shownOwn   = regexp.MustCompile(`"example\.com/(\w+)(?:/\w+)*"`)
	shownMade  = regexp.MustCompile(`(?m)^var Router = flow\.New\(files`)
)

// documented writes the applications that the documents show into a module, and returns the
// package of each. Those with files of another module are left out: see docs/docs_test.go.
func documented(t *testing.T, dir string) map[string]string {
	t.Helper()
	apps := map[string]string{}
	if err := os.CopyFS(dir, os.DirFS("../docs/testdata")); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pattern := range []string{"../docs/*.md", "../docs/recipes/*.md", "../README.md"} {
		found, _ := filepath.Glob(pattern)
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		root := strings.TrimPrefix(strings.TrimSuffix(filepath.ToSlash(name), ".md"), "../docs/")
		root = strings.TrimPrefix(root, "../")
		blocks := strings.Split(string(text), "\n```")
		files, made, named := map[string]string{}, []string{}, false
		for i := 1; i < len(blocks); i += 2 {
			language, block, _ := strings.Cut(blocks[i], "\n")
			block += "\n"
			for _, m := range shownOwn.FindAllStringSubmatch(block, -1) {
				if language == "go" && m[1] != "flow" && !named {
					root, named = m[1], true
				}
			}
			if m := shownFile.FindStringSubmatch(block); m != nil && filepath.IsLocal(m[1]) {
				files[m[1]] = block
				if shownMade.MatchString(block) {
					made = append(made, path.Dir(m[1]))
				}
			}
			if language == "sh" {
				for _, m := range shownEmpty.FindAllStringSubmatch(block, -1) {
					files[m[1]] = ""
				}
			}
		}
		if elsewhere[path.Base(name)] {
			continue
		}
		for file, text := range files {
			write(t, filepath.Join(dir, root, file), text)
		}
		for _, pkg := range made {
			apps[path.Join(root, pkg)] = path.Join("example.com", root, pkg)
		}
	}
	return apps
}

// elsewhere are the documents whose files are in another module.
var elsewhere = map[string]bool{
	"certificates.md": true, "content.md": true, "database.md": true, "documentation.md": true, "htmx.md": true, "instant-pages.md": true, "metrics.md": true, "rows.md": true, "sessions.md": true, "several-processes.md": true, "templ.md": true,
}

// madeByNew is how the applications of "flow new", and the sample, make their Router.
const madeByNew = "app.New(&app.App{})"

// ownApplications are those that need no library: the sample, what flow new writes, and what the
// documents show. One binary holds them all.
func ownApplications(t *testing.T) []application {
	t.Helper()
	dir := t.TempDir()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(checkout, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			text = fmt.Appendf(bytes.Replace(text, []byte("module example.com/flow"), []byte("module example.com"), 1),
				"\nrequire example.com/flow v0.0.0\n\nreplace example.com/flow => %q\n", checkout)
		}
		write(t, filepath.Join(dir, name), string(text))
	}
	b := build{dir: dir, apps: documented(t, dir), made: map[string]string{}}
	for name, args := range map[string][]string{"scaffold": nil, "scaffoldapi": {"-api"}} {
		tool := build{dir: filepath.Join("..", "cmd", "flow")}
		made := filepath.Join(dir, name)
		tool.run(t, "go", append(append([]string{"run", ".", "new"}, args...), "-module", "example.com/"+name, made)...)
		for _, own := range []string{"go.mod", "go.sum"} { // it is a package here, and no module
			if err := os.Remove(filepath.Join(made, own)); err != nil {
				t.Fatal(err)
			}
		}
		b.apps[name], b.made[name] = "example.com/"+name+"/app", madeByNew
	}
	b.apps["sample"], b.made["sample"] = "example.com/flow/app", madeByNew
	return b.applications(t)
}

// browserApplications are the recipes of this module.
func browserApplications(t *testing.T) []application {
	t.Helper()
	return build{dir: ".", apps: map[string]string{"htmx": "example.com/flow/browser/htmx/app", "instant": "example.com/flow/browser/instant/app"}}.applications(t)
}

// ecosystemApplications are the recipes that need libraries.
func ecosystemApplications(t *testing.T) []application {
	t.Helper()
	const module = "example.com/flow/ecosystem/"
	return build{dir: filepath.Join("..", "ecosystem"), apps: map[string]string{"content": module + "content/app", "sessions": module + "sessions/app", "metrics": module + "metrics/app", "templ": module + "templ/app"}}.applications(t)
}

// pages returns paths of the pages of the application, with values for their parameters.
func (a application) pages(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command(a.binary, "routes", "-json")
	cmd.Env = append(os.Environ(), a.env...)
	out, err := cmd.Output()
	var routes []struct{ Method, Pattern, File string }
	if err == nil {
		err = json.Unmarshal(out, &routes)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", a.name, err, out)
	}
	paths := []string{"/nothing/is/here"}
	for _, r := range routes {
		if r.Method == "GET" || r.Method == "ANY" {
			paths = append(paths, parameter.ReplaceAllString(r.Pattern, "1"))
		}
	}
	return paths
}

// parameter is one of a pattern.
var parameter = regexp.MustCompile(`\{[^}]*\}`)
