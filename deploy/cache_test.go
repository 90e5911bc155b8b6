//go:build linux

package deploy_test

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
)

// cacheOfNginx is what the test adds to nginx.conf: a cache for everybody, which keeps what
// nobody forbids it to keep. For nginx, no-cache forbids it, too. Browsers may keep such a page,
// and their If-None-Match has to reach the application.
var cacheOfNginx = map[string]string{
	"proxy_buffering off;": `proxy_buffering on;
		proxy_cache shared;
		proxy_cache_valid 200 404 1m;
		proxy_set_header If-None-Match $http_if_none_match;
		add_header X-Cache $upstream_cache_status always;`,
}

// TestSharedCache has nginx keep answers for a minute, and asks for them as different people.
func TestSharedCache(t *testing.T) {
	i := slices.IndexFunc(proxies, func(p proxy) bool { return p.program == "nginx" })
	nginx := proxies[i]
	needs(t, nginx.program)
	nginx.edits = maps.Clone(nginx.edits)
	maps.Copy(nginx.edits, cacheOfNginx)
	nginx.around[0] += "proxy_cache_path DIR/cache keys_zone=shared:1m;\n"

	addrs := freeAddrs(t, 4)
	for _, addr := range addrs[1:] {
		served(t, addr, withUsers())
	}
	nginx.started(t, addrs[0], addrs[1:])
	ask := func(path, name string, headers ...string) answer {
		if name != "" {
			headers = append(headers, "Cookie: name="+name)
		}
		return fetch(t, "GET", "http://"+addrs[0]+path, nil, headers...)
	}

	t.Run("the cache keeps what it may", func(t *testing.T) {
		is := is.New(t)
		first := ask("/count", "Ada").body
		again := ask("/count", "Bob")
		is.Equal(again.body, first) // the application was not asked
		is.Equal(again.Header.Get("X-Cache"), "HIT")
	})
	// For each page the first who asks is somebody else.
	people := []string{"Ada", "Bob", "", "Ada"}
	for i, path := range []string{"/greeting", "/called", "/data", "/missing"} {
		t.Run(path, func(t *testing.T) {
			is := is.New(t)
			for range 2 {
				for n := range people {
					name := people[(i+n)%len(people)]
					a := ask(path, name, "Accept: text/html")
					is.True(strings.Contains(a.body, "["+name+"]")) // and nobody else
					is.Equal(a.Header.Get("X-Cache"), "MISS")
					is.Equal(a.Header.Get("Cache-Control"), "private, no-cache")
				}
			}
		})
	}
	t.Run("a page that is rendered once", func(t *testing.T) {
		is := is.New(t)
		a := ask("/about", "Ada")
		is.Equal(a.StatusCode, 200)
		is.Equal(a.Header.Get("Cache-Control"), "no-cache") // any cache may keep it, and asks
		is.True(a.Header.Get("ETag") != "")
		for _, name := range people {
			is.Equal(ask("/about", name, "If-None-Match: "+a.Header.Get("ETag")).StatusCode, 304)
		}
	})
	t.Run("a file that only another version has", func(t *testing.T) {
		is := is.New(t)
		for i := range 2 {
			a := ask("/app.aaaaaaaaaaaaaaaa.css", "")
			is.Equal(a.StatusCode, 404)
			is.Equal(a.Header.Get("X-Cache"), "MISS")
			is.Equal(ask("/nothing.css", "").Header.Get("X-Cache"), []string{"MISS", "HIT"}[i]) // unlike others
		}
	})
}

// withUsers returns an application whose pages name who asks for them.
func withUsers() *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/index.html":    {Data: []byte("<p>home")},
		"router/about.html":    {Data: []byte("<p>the same for everybody")},
		"router/greeting.html": {Data: []byte("<p>[{{with user}}{{.Name}}{{end}}]")},
		"router/called.http":   {},
		"router/data.html":     {Data: []byte("<p>[{{.}}]")},
		"router/count.http":    {},
		"router/+error.html":   {Data: []byte("<p>{{.Status}} [{{with user}}{{.Name}}{{end}}]")},
	})
	type person struct{ Name string }
	r.Authenticate = func(req *flow.Request) (any, error) {
		if c, err := req.Cookie("name"); err == nil {
			return &person{c.Value}, nil
		}
		return nil, nil
	}
	nameOf := func(req *flow.Request) string {
		if p, ok := req.User().(*person); ok {
			return p.Name
		}
		return ""
	}
	r.At("called").GET().Do(func(req *flow.Request) string { return "[" + nameOf(req) + "]" })
	r.At("data").GET().Do(func(req *flow.Request) flow.Response { return flow.Page(nameOf(req)) })
	var counted atomic.Int64
	r.At("count").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, counted.Add(1)) }))
	r.Logger = slog.New(slog.DiscardHandler)
	return r
}
