//go:build unix

package speed_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flow"

	"example.com/flow/internal/testkit/apptest"
)

// manyPages returns n pages in directories of 20: one in ten directories has a layout of its
// own, and each page calls a partial of its directory and one for all, and asks for URLs.
func manyPages(n int) fstest.MapFS {
	tree := fstest.MapFS{}
	add := func(name, text string) { tree[name] = &fstest.MapFile{Data: []byte(text)} }
	add("router/+layout.html", `<!doctype html><title>{{block "title" .}}site{{end}}</title><link rel="stylesheet" href="{{asset "app.css"}}">`+
		`<nav>{{template "+nav" .}}</nav><main>{{template "content" .}}</main>`)
	add("router/+nav.html", `<a href="{{route "index"}}">Home</a> {{with request}}{{.URL.Path}}{{end}}`)
	add("router/+error.html", `<h1>{{.Status}} {{.Title}}</h1>`)
	add("router/index.html", `home`)
	add("public/app.css", "body{}")
	for i := range n {
		dir := fmt.Sprintf("router/section%03d/", i/20)
		if i%20 == 0 {
			add(dir+"+row.html", `<li><a href="{{route "index"}}">{{.}}</a></li>`)
			if i%200 == 0 {
				add(dir+"+layout.html", `<section>{{template "content" .}}</section>`)
			}
		}
		add(fmt.Sprintf("%spage%02d.html", dir, i%20), fmt.Sprintf(`{{define "title"}}Page %d{{end}}<h1>Page %[1]d</h1>
<ul>{{range .}}{{template "section%03d/+row" .}}{{end}}</ul>
<p><a href="{{route "section%03[2]d.page%02d"}}" title="{{len "x"}}">here</a> {{if .}}some{{else}}none{{end}}</p>
%s`, i, i/20, i%20, strings.Repeat("<p>Text of the page, which <b>says</b> something.</p>\n", 20)))
	}
	return tree
}

// cpu returns the time that all processors have spent on this process.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDev measures the processor time of a request in development, and of the first
// one after a page, a partial or the layout of all was saved.
func BenchmarkDev(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		tree := manyPages(n)
		dir := b.TempDir()
		if err := os.CopyFS(dir, tree); err != nil {
			b.Fatal(err)
		}
		r := flow.New(tree)
		r.Logger = slog.New(slog.DiscardHandler)
		r.Dev(dir)
		if err := r.Check(); err != nil {
			b.Fatal(err)
		}
		const target = "/section007/page03"
		time.Sleep(3 * time.Second) // until what was just written is old
		apptest.Visit(r, target)
		for _, saved := range []string{"nothing", "section007/page03", "section003/page04", "section007/+row", "section000/+layout", "+layout"} {
			b.Run(fmt.Sprintf("%d/%s", n, saved), func(b *testing.B) {
				var spent time.Duration
				for i := 0; b.Loop(); i++ {
					if saved != "nothing" {
						name := "router/" + saved + ".html"
						text := string(tree[name].Data) + fmt.Sprint("<p>", i)
						if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
							b.Fatal(err)
						}
					}
					before := cpu(b)
					w := apptest.Visit(r, target)
					spent += cpu(b) - before
					if w.Code != 200 {
						b.Fatal(w.Body)
					}
				}
				b.ReportMetric(0, "ns/op") // which depends on what else runs
				b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
