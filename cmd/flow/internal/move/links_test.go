package move

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestLinksIn(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a link", "See [pages](pages.md#names) and [x](../x.md \"title\").", "pages.md#names ../x.md"},
		{"an image in a link", "[![alt](a.png)](a.md)", "a.png a.md"},
		{"in angle brackets", "[a](<a b.md>)", "a b.md"},
		{"parentheses", "[a](a(b).md)", "a(b).md"},
		{"references", "[a]: a.md\n   [b]: <b.md> \"title\"\n\nSee [a] and [x][b].", "a.md b.md"},
		{"HTML", `<img src="a.png" alt=""><a class='x' href='a.md'>`, "a.png a.md"},
		{"text that looks like code", "a ` b [a](a.md)", "a.md"},
		{"a link whose text is code", "[`flow.New`](a.md)", "a.md"},
		{"code", "`[a](a.md)` and ``[b](b.md) ` `` and [c](c.md)", "c.md"},
		{"a block of code", "```md\n[a](a.md)\n```\n[b](b.md)", "b.md"},
		{"a block in a list", "- x\n\n  ~~~~\n  [a](a.md)\n  ~~~\n  [a](a.md)\n  ~~~~~\n- ```\n  [a](a.md)\n  ```\n  [b](b.md)", "b.md"},
		{"a block in a quotation", "> ```\n> [a](a.md)\n> ```\n> [b](b.md)", "b.md"},
		{"a block that does not end", "[a](a.md)\n```\n[b](b.md)", "a.md"},
		{"with returns", "[a]: a.md\r\n```\r\n[b](b.md)\r\n```\r\n[c](c.md)\r\n", "a.md c.md"},
		{"no links", "a.md (a.md) [a.md] <a.md> a[1](", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var got []string
			for _, l := range linksIn(tt.text) {
				is.True(strings.HasPrefix(tt.text[l.offset:], l.to))
				got = append(got, l.to)
			}
			is.Equal(strings.Join(got, " "), tt.want)
		})
	}
}

func TestLinkAfter(t *testing.T) {
	l := listing{}
	for _, name := range []string{"router/index.html", "router/docs/index.md", "router/docs/pages.md", "router/docs/how/intro.md", "router/docs/_draft.md", "router/(site)/about.md", "router/a(b) c.md", "public/docs/a.png", "public/b.png"} {
		l[name] = 0
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			l[dir] = fs.ModeDir
		}
	}
	for _, tt := range []struct{ from, now, in, to, want string }{
		{"router/docs/pages.md", "router/docs/views.md", "router/docs/index.md", "pages.md#names", "views.md#names"},
		{"router/docs/pages.md", "router/docs/views.md", "router/docs/index.md", "./pages.md?x=1", "views.md?x=1"},
		{"router/docs/pages.md", "router/docs/views.md", "router/docs/how/intro.md", "../pages.md", "../views.md"},
		{"router/docs/pages.md", "router/docs/how/pages.md", "router/docs/index.md", "pages.md", "how/pages.md"},
		{"router/docs/pages.md", "router/docs/how/pages.md", "router/docs/how/intro.md", "../pages.md", "pages.md"},
		{"router/docs/pages.md", "router/docs/views.md", "router/docs/_draft.md", "pages.md", "views.md"},
		{"router/docs/pages.md", "router/docs/views.md", "router/(site)/about.md", "../docs/pages.md", "../docs/views.md"},

		{"router/docs/index.md", "router/docs/how/index.md", "router/docs/index.md", "pages.md", "../pages.md"},
		{"router/docs/index.md", "router/docs/how/index.md", "router/docs/index.md", "how/intro.md", "intro.md"},
		{"router/docs/index.md", "router/docs/how/index.md", "router/docs/index.md", "../index.html", "../../index.html"},
		{"router/docs/index.md", "router/docs/how/index.md", "router/docs/index.md", "a.png", "../a.png"}, // public/docs/a.png
		{"router/docs/index.md", "router/docs/how/index.md", "router/docs/index.md", "../../public/b.png", "../../../public/b.png"},
		{"router/docs/index.md", "router/docs/how/index.md", "router/docs/index.md", "index.md#top", "index.md#top"}, // itself

		{"router/docs", "router/guide", "router/docs/index.md", "how/intro.md", "how/intro.md"},
		{"router/docs", "router/guide", "router/docs/how/intro.md", "../pages.md", "../pages.md"},
		{"router/docs", "router/guide", "router/docs/how/intro.md", "../../docs/pages.md", "../pages.md"},
		{"router/docs", "router/guide", "router/docs/index.md", "a.png", "../docs/a.png"},
		{"router/docs", "router/(site)/docs", "router/docs/index.md", "a.png", "a.png"}, // its URL stays
		{"router/(site)", "router/site", "router/(site)/about.md", "docs/a.png", "../docs/a.png"},
		{"router/docs", "router/guide", "router/(site)/about.md", "../docs/how/intro.md", "../guide/how/intro.md"},
		{"router/docs", "router/guide", "router/(site)/about.md", "../docs/a.png", "../docs/a.png"},

		{"public/docs", "public/img", "router/docs/index.md", "a.png", "../img/a.png"},
		{"public/docs/a.png", "public/docs/b.png", "router/docs/how/intro.md", "../a.png", "../b.png"},
		{"public/docs/a.png", "public/a.png", "router/docs/index.md", "../../public/docs/a.png", "../../public/a.png"},

		{"router/a(b) c.md", "router/d(e) 100%.md", "router/docs/index.md", "../a%28b%29%20c.md", "../d%28e%29%20100%25.md"},
		{"router/a(b) c.md", "router/d.md", "router/docs/index.md", "../a(b) c.md", "../d.md"},

		{"router/docs/pages.md", "router/docs/views.md", "router/docs/index.md", "pages", "pages"}, // which is a URL
		{"router/docs/pages.md", "router/docs/views.md", "router/docs/index.md", "/docs/pages", "/docs/pages"},
		{"router/docs/pages.md", "router/docs/views.md", "router/docs/index.md", "https://example.org/pages.md", "https://example.org/pages.md"},
		{"router/docs", "router/guide", "router/index.html", "docs/nothing.md", "docs/nothing.md"},
		{"router/docs", "router/guide", "router/(site)/about.md", "../docs/how/", "../docs/how/"}, // which is a URL
	} {
		t.Run(tt.from+" "+tt.now+" "+tt.in+" "+tt.to, func(t *testing.T) {
			is := is.New(t)
			p := &planner{c: &change{transfer: transfer{tt.from, tt.now, l.isDir(tt.from)}}, l: l}
			is.Equal(p.linkAfter(tt.in, tt.to), tt.want)
		})
	}
}
