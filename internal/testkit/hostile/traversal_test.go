package hostile_test

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

var traversals = flag.Int("traversals", 8000, "how many requests TestTraversal makes")

// A maze is an application of mounts, route files and public files that overlap. What is
// mounted reads files by the decoded path of a URL, and could read those of all others.
type maze struct {
	*mazeKind
	reading string
	router  *flow.Router
	read    []string // for the request that is answered: paths of files, which are those of their URLs
}

type mazeKind struct {
	name    string
	targets []string
	build   func(*maze) *flow.Router
	// guard says which guard has to have run before a file is read, so that the judge
	// need not believe the Router.
	guard func(method, file string) string
}

// nobody reads files that are out of all mounts, or that a route answers.
const nobody = "nobody"

var mazeKinds = []*mazeKind{
	{
		name:    "files",
		targets: []string{"/files/a.txt", "/files/private/s.txt", "/files/private/", "/files/files/s.txt", "/files/any", "/files/page/", "/files/x/deep", "/files/pub.txt", "/admin", "/a.txt"},
		build: func(s *maze) *flow.Router {
			r := flow.New(flowtest.Files("router/files/any.http", "router/files/page.html", "router/files/[x]/deep.http", "router/admin.http", "public/files/pub.txt"))
			for _, file := range []string{"files/any", "files/[x]/deep", "admin"} {
				r.At(file).ANY().Use(guarding("route")).Do(apptest.Hello)
			}
			r.At("files/page").Use(guarding("page"))
			s.mount(r, "", "/files/", "")
			s.mount(r, "", "/files/private/", "private")
			s.mount(r, "", "/files/files", "twice")
			return r
		},
		guard: func(method, file string) string {
			deep, _ := path.Match("/files/*/deep", file)
			switch {
			case below(file, "/files/private"):
				return "private"
			case below(file, "/files/files"):
				return "twice"
			case !below(file, "/files"), deep, file == "/files/any":
				return nobody
			case isGET(method) && (file == "/files/page" || file == "/files/pub.txt"):
				return nobody
			}
			return ""
		},
	},
	{
		name:    "root",
		targets: []string{"/a.txt", "/admin/s.txt", "/admin", "/docs/a/b", "/de/secret", "/a/", "/", "/pub.txt"},
		build: func(s *maze) *flow.Router {
			r := flow.New(flowtest.Files("router/docs/[...rest].http", "router/[lang]/secret.http", "public/pub.txt"))
			r.At("docs/[...rest]").ANY().Use(guarding("docs")).Do(apptest.Hello)
			r.At("[lang]/secret").ANY().Use(guarding("lang")).Do(apptest.Hello)
			s.mount(r, "", "/", "")
			s.mount(r, "", "/admin", "admin")
			return r
		},
		guard: func(method, file string) string {
			secret, _ := path.Match("/*/secret", file)
			switch {
			case below(file, "/admin"):
				return "admin"
			case secret, below(file, "/docs") && file != "/docs", isGET(method) && file == "/pub.txt":
				return nobody
			}
			return ""
		},
	},
	{
		name:    "inside",
		targets: []string{"/in/files/a.txt", "/in/files/private/s.txt", "/in/files/secret", "/in/files/deep/x/a.txt", "/in/files/deep/x/s", "/in/none", "/in", "/a.txt", "/in/files", "/z"},
		build: func(s *maze) *flow.Router {
			deep := flow.New(flowtest.Files("router/x/s.http"))
			deep.At("x/s").ANY().Use(guarding("deep")).Do(apptest.Hello)
			s.mount(deep, "/in/files/deep", "/x", "")
			inner := flow.New(flowtest.Files("router/index.http", "router/files/secret.http"))
			inner.At("index").ANY().Do(apptest.Hello)
			inner.At("files/secret").ANY().Use(guarding("route")).Do(apptest.Hello)
			inner.Mount("/files/deep", deep)
			s.mount(inner, "/in", "/files/", "")
			r := flow.New(flowtest.Files("router/z.http"))
			r.At("z").GET().Do(apptest.Hello)
			r.Mount("/in", inner)
			s.mount(r, "", "/in/files/private/", "outer")
			s.mount(r, "", "/", "")
			return r
		},
		guard: func(method, file string) string {
			switch {
			case below(file, "/in/files/private"):
				return "outer"
			case file == "/in/files/secret", file == "/in/files/deep/x/s", isGET(method) && file == "/z":
				return nobody
			case below(file, "/in/files/deep") && !below(file, "/in/files/deep/x"), below(file, "/in") && !below(file, "/in/files"):
				return nobody // a Router answers 404 there
			}
			return ""
		},
	},
	{
		name:    "parameters",
		targets: []string{"/orgs/a/s.txt", "/orgs/b/s.txt", "/orgs/a/files/s.txt", "/orgs/b/files/s.txt", "/orgs/b/files/5/page", "/orgs/admin/s.txt", "/orgs/b/", "/z"},
		build: func(s *maze) *flow.Router {
			inner := flow.New(flowtest.Files("router/[id]/page.http"))
			inner.At("[id]/page").ANY().Do(apptest.Hello)
			s.mount(inner, "/orgs/[org]/files", "/", "of ")
			r := flow.New(flowtest.Files("router/z.http"))
			r.At("z").GET().Do(apptest.Hello)
			s.mount(r, "", "/orgs/[org]", "of ")
			s.mount(r, "", "/orgs/admin", "admin")
			r.Mount("/orgs/[org]/files", inner)
			return r
		},
		guard: func(_, file string) string {
			segments := strings.Split(file, "/")
			page, _ := path.Match("/orgs/*/files/*/page", file)
			switch {
			case below(file, "/orgs/admin"):
				return "admin"
			case page, len(segments) < 3, segments[1] != "orgs":
				return nobody
			}
			return "of " + strconv.Quote(segments[2])
		},
	},
}

func below(file, dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") }

func isGET(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// readings are the ways from the decoded path of a URL to that of a file.
var readings = map[string]func(prefix, path string) string{
	"clean":                 func(_, p string) string { return path.Clean(p) },
	"slashes, clean":        func(_, p string) string { return path.Clean(slashed(p)) },
	"clean, slashes, clean": func(_, p string) string { return path.Clean(slashed(path.Clean(p))) },
	"strip, join":           func(prefix, p string) string { return path.Join(prefix, slashed(strings.TrimPrefix(p, prefix))) },
	"strip, clean, join": func(prefix, p string) string {
		return path.Join(prefix, path.Clean("/"+slashed(strings.TrimPrefix(p, prefix))))
	},
	"FileServer": nil, // net/http's: it knows no prefix with parameters
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// filesOf has a file for each target, which says its path.
func filesOf(targets []string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, target := range targets {
		file := strings.Trim(target, "/")
		if path.Ext(file) == "" {
			file = path.Join(file, "index.html") // which FileServer serves for the directory
		}
		files[file] = &fstest.MapFile{Data: []byte("/" + file)}
	}
	return files
}

// mount mounts what reads files, behind a guard, in a Router that is itself mounted at
// outer.
func (s *maze) mount(r *flow.Router, outer, prefix, guard string) {
	whole := strings.TrimRight(outer+prefix, "/")
	read, depth := readings[s.reading], strings.Count(whole, "/")
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		segments := strings.Split(req.URL.Path, "/")
		s.read = append(s.read, read(strings.Join(segments[:depth+1], "/"), req.URL.Path))
	})
	if read == nil {
		files, err := fs.Sub(filesOf(s.targets), cmp.Or(strings.TrimPrefix(whole, "/"), "."))
		if err != nil {
			panic(err)
		}
		h = http.StripPrefix(whole, http.FileServerFS(files))
	}
	r.Mount(prefix, h).Use(guarding(guard))
}

// guarding returns a guard that lets everything pass, and says that it ran.
func guarding(name string) func(*flow.Request) flow.Response {
	return func(req *flow.Request) flow.Response {
		if org := req.Param("org"); org != "" {
			return flow.Next().Header("Guard", name+strconv.Quote(org))
		}
		return flow.Next().Header("Guard", name)
	}
}

// Parts of payloads.
var (
	oddSegments   = []string{"", ".", "..", "%2e", "%2E", "%2e%2e", ".%2E", "%2E.", "...", "%252e%252e", "%00", "x", "..;", "%2e%2e%00", "files", "private", "a", "in"}
	oddSeparators = []string{"/", "//", "%2f", "%2F", "%5c", "%5C", `\`, "/./", "%2f.%2f", "%2f..%2f", "/../", "%5c..%5c", "%252f", "/%2e/", "/x/%2e%2e/", "/x/../", "%2fx%2f..%2f"}
)

// payload spells a URL in an odd way, or takes it as the way to another one.
func payload(rnd *rand.Rand, targets []string) string {
	pick := func(from []string) string { return from[rnd.IntN(len(from))] }
	segments := strings.Split(pick(targets)[1:], "/")
	if rnd.IntN(3) == 0 { // down, up, and down again
		for range 1 + rnd.IntN(len(segments)+1) {
			segments = append(segments, pick([]string{"..", "%2e%2e", ".%2e"}))
		}
		segments = append(segments, strings.Split(pick(targets)[1:], "/")...)
	}
	for range rnd.IntN(4) {
		segments = slices.Insert(segments, rnd.IntN(len(segments)+1), pick(oddSegments))
	}
	odd := rnd.IntN(4)
	var b strings.Builder
	for _, segment := range segments {
		if b.Len() > 0 && rnd.IntN(4) < odd {
			b.WriteString(pick(oddSeparators))
		} else {
			b.WriteByte('/')
		}
		for _, c := range []byte(segment) {
			switch {
			case c == '%' || rnd.IntN(40) > 0:
				b.WriteByte(c)
			case rnd.IntN(2) == 0:
				fmt.Fprintf(&b, "%%%02x", c)
			default:
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	return b.String()
}

// An outcome is what a request led to.
type outcome struct {
	code     int
	location string
	owner    string // the pattern of what answers
	guard    string
	read     []string
	missing  bool // the Router has nothing there
}

func (s *maze) ask(method, target string) outcome {
	s.read = nil
	req, w := apptest.Request(method, target), httptest.NewRecorder()
	s.router.ServeHTTP(w, req)
	if body := w.Body.String(); s.reading == "FileServer" && w.Code == http.StatusOK && strings.HasPrefix(body, "/") {
		s.read = []string{cmp.Or(strings.TrimSuffix(body, "/index.html"), "/")}
	}
	h := w.Header()
	return outcome{w.Code, h.Get("Location"), req.Pattern, h.Get("Guard"), s.read, w.Code == http.StatusNotFound && strings.HasPrefix(h.Get("Content-Type"), "application/problem+json")}
}

// asPlain asks for a decoded path in its plain spelling.
func (s *maze) asPlain(method, file string) outcome {
	return s.ask(method, (&url.URL{Path: file}).EscapedPath())
}

// judge returns what is wrong about an answer.
func (s *maze) judge(method, target string, got outcome) string {
	for _, file := range got.read {
		if want := s.guard(method, file); want != got.guard {
			return fmt.Sprintf("%q is read behind the guard %q, not %q", file, got.guard, want)
		}
		if plain := s.asPlain(method, file); plain.owner != got.owner || plain.guard != got.guard {
			return fmt.Sprintf("%q is read by %s, and is of %s", file, got.owner, plain.owner)
		}
	}
	if got.code != http.StatusPermanentRedirect {
		return ""
	}
	u := apptest.Request(method, target).URL
	led, plain := s.ask(method, got.location), s.asPlain(method, path.Clean(u.Path))
	if bySegments := s.ask(method, path.Clean(u.EscapedPath())); plain.owner != led.owner && len(bySegments.read) == 0 {
		plain = bySegments // a route file reads no decoded paths
	}
	switch {
	case led.missing:
		return fmt.Sprintf("it is redirected to %q, where nothing is", got.location)
	case led.owner != plain.owner:
		return fmt.Sprintf("it is redirected to %q of %s, and is of %s", got.location, led.owner, plain.owner)
	case led.code == http.StatusPermanentRedirect && (led.location != got.location+"/" || plain.code != led.code):
		return fmt.Sprintf("it is redirected to %q, and that to %q", got.location, led.location)
	}
	return ""
}

// TestTraversal asks for paths in odd spellings. What is mounted reads nothing that it is
// not asked for in the plain spelling, nor what needs another guard, and a redirect leads
// to what answers the plain spelling.
func TestTraversal(t *testing.T) {
	is := is.New(t)
	var all []*maze
	for _, kind := range mazeKinds {
		for _, reading := range slices.Sorted(maps.Keys(readings)) {
			if reading == "FileServer" && kind.name == "parameters" {
				continue
			}
			s := &maze{mazeKind: kind, reading: reading}
			s.router = kind.build(s)
			is.NoErr(s.router.Check())
			all = append(all, s)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	methods := []string{"GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PURGE"}
	read, redirected, refused := 0, 0, 0
	for range *traversals {
		s, method := all[rnd.IntN(len(all))], methods[rnd.IntN(len(methods))]
		target := payload(rnd, s.targets)
		if _, err := url.ParseRequestURI(target); err != nil {
			continue // a server refuses it
		}
		got := s.ask(method, target)
		if fault := s.judge(method, target, got); fault != "" {
			t.Errorf("%s, read by %q: %s %q: %s", s.name, s.reading, method, target, fault)
		}
		switch {
		case len(got.read) > 0:
			read++
		case got.code == http.StatusPermanentRedirect:
			redirected++
		case got.missing:
			refused++
		}
	}
	t.Logf("%d requests: %d read, %d redirected, %d not found", *traversals, read, redirected, refused)
	is.True(min(read, redirected, refused) > *traversals/10) // or the payloads try nothing
}
