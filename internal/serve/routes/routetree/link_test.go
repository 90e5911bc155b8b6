package routetree

import (
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestLinks(t *testing.T) {
	files := flowtest.Files(
		"router/index.md", "router/docs/index.md", "router/docs/intro.md", "router/docs/a b.md", "router/(site)/(old)/about.html",
		"router/users/[id].md", "router/[[lang]]/help.md", "router/docs/[...rest].html", "router/feed.xml.http", "router/store.http",
		"router/+layout.html", "router/_draft.md", "public/docs/a.png", "public/a b.txt", "public/app.css", "public/docs/intro.txt.md",
	)
	tree := ParseIn("app", files, nil, []string{".md"})
	is.New(t).Equal(len(tree.Faults), 0)
	links := tree.IndexLinks()
	for _, tt := range []struct{ from, to, want, wrong string }{
		{"docs/intro", "../index.md", "/", ""},
		{"docs/intro", "index.md#top", "/docs#top", ""},
		{"docs/intro", "intro.md?a=b.md#c/d.md", "/docs/intro?a=b.md#c/d.md", ""},
		{"docs/index", "./intro.md", "/docs/intro", ""},
		{"docs/index", "x/../intro.md", "/docs/intro", ""},
		{"docs/intro", "a%20b.md", "/docs/a%20b", ""},
		{"docs/intro", "a b.md", "/docs/a%20b", ""},
		{"index", "%28site%29/(old)/about.html", "/about", ""},
		{"(site)/(old)/about", "../../docs/intro.md", "/docs/intro", ""},
		{"index", "[[lang]]/help.md", "/help", ""},
		{"index", "feed.xml.http", "/feed.xml", ""},
		{"users/[id]", "../docs/intro.md", "/docs/intro", ""},

		// Public files, at the same path or where they are.
		{"docs/intro", "a.png", "/docs/a.png", ""},
		{"(site)/(old)/about", "docs/a.png", "/docs/a.png", ""}, // a group is no part of a URL
		{"(site)/docs/index", "a.png", "/docs/a.png", ""},
		{"docs/intro", "../app.css?v=2", "/app.css?v=2", ""},
		{"docs/intro", "../a%20b.txt", "/a%20b.txt", ""},
		{"docs/intro", "../../public/docs/a.png", "/docs/a.png", ""},
		{"docs/intro", "intro.txt.md", "/docs/intro.txt.md", ""},

		// What is none of the tree.
		{"docs/intro", "", "", ""},
		{"docs/intro", "#names", "#names", ""},
		{"docs/intro", "?page=intro.md", "?page=intro.md", ""},
		{"docs/intro", "/docs/none.md", "/docs/none.md", ""},
		{"docs/intro", "//example.org/none.md", "//example.org/none.md", ""},
		{"docs/intro", "https://example.org/none.md", "https://example.org/none.md", ""},
		{"docs/intro", "mailto:a@example.org.md", "mailto:a@example.org.md", ""},
		{"docs/intro", "b.png", "b.png", ""},
		{"docs/intro", "../guide", "../guide", ""},
		{"docs/intro", "..", "..", ""},
		{"docs/intro", "./", "./", ""},
		{"docs/intro", "../../../LICENSE", "../../../LICENSE", ""},
		{"docs/intro", "100%.png", "100%.png", ""},

		// What leads nowhere, or to no one URL.
		{"docs/intro", "none.md", "", "none.md leads to no file: there is no app/router/docs/none.md"},
		{"docs/intro", "index.html", "", "index.html leads to no file: there is no app/router/docs/index.html: did you mean \"index.md\"?"},
		{"docs/intro", "itnro.md", "", `itnro.md leads to no file: there is no app/router/docs/itnro.md: did you mean "intro.md"?`},
		{"docs/intro", "../intro.md", "", `../intro.md leads to no file: there is no app/router/intro.md: did you mean "intro.md"?`},
		{"index", "intro.md#x", "", `intro.md#x leads to no file: there is no app/router/intro.md: did you mean "docs/intro.md"?`},
		{"users/[id]", "../docs/itnro.md", "", `../docs/itnro.md leads to no file: there is no app/router/docs/itnro.md: did you mean "../docs/intro.md"?`},
		{"docs/intro", "a%2Fb.md", "", "a%2Fb.md leads to no file: there is no app/router/docs/a%2Fb.md"},
		{"docs/intro", "100%.md", "", "100%.md leads to no file: there is no app/router/docs/100%.md"},
		{"docs/intro", "../_draft.md", "", "../_draft.md leads to no file: there is no app/router/_draft.md"},
		{"docs/intro", "../../README.md", "", "../../README.md leads out of app/router/"},
		{"docs/intro", "../../../README.md", "", "../../../README.md leads out of app/router/"},
		{"docs/intro", "../../public/none.png", "", "../../public/none.png leads to no file: there is no app/public/none.png"},
		{"docs/intro", "../+layout.html", "", "app/router/+layout.html has no URL"},
		{"docs/intro", "../users/[id].md", "", `the URL of app/router/users/[id].md has the parameter "id", so it is not one: link to the URL for a value`},
		{"docs/intro", "[...rest].html", "", `the URL of app/router/docs/[...rest].html has the parameter "rest", so it is not one: link to the URL for a value`},
	} {
		t.Run(tt.from+" "+tt.to, func(t *testing.T) {
			is := is.New(t)
			got, err := links.URL(tt.from, tt.to)
			is.Equal(got, tt.want)
			if tt.wrong != "" {
				is.True(err != nil)
				is.Equal(err.Error(), tt.wrong)
			} else {
				is.NoErr(err)
			}
		})
	}

	t.Run("below a prefix", func(t *testing.T) {
		is := is.New(t)
		prefix, err := ParsePrefix("/en")
		is.NoErr(err)
		links := tree.Below(prefix).IndexLinks()
		for to, want := range map[string]string{"../index.md": "/en", "intro.md#x": "/en/docs/intro#x", "a.png": "/en/docs/a.png"} {
			got, err := links.URL("docs/intro", to)
			is.NoErr(err)
			is.Equal(got, want)
		}
		prefix, err = ParsePrefix("/[team]")
		is.NoErr(err)
		links = tree.Below(prefix).IndexLinks()
		_, err = links.URL("docs/intro", "../index.md")
		is.Equal(err.Error(), `the URL of app/router/index.md has the parameter "team", since the Router is mounted at /{team}, so it is not one: link to it in a template, with {{route}} or {{asset}}`)
		_, err = links.URL("docs/intro", "a.png")
		is.Equal(err.Error(), `the URL of app/public/docs/a.png has the parameter "team", since the Router is mounted at /{team}, so it is not one: link to it in a template, with {{route}} or {{asset}}`)
	})
}

func TestFormats(t *testing.T) {
	is := is.New(t)
	tree := ParseIn("", flowtest.Files("router/docs/[id].md", "router/a.b.md", "router/a.html", "router/a.http", "router/index.adoc", "router/+error.md"), nil, []string{".adoc", ".md"})
	var got []string
	for _, r := range tree.Routes {
		is.True(r.Page == (r.Ext() != ".http"))
		got = append(got, r.InTree()+" "+r.Path+" "+r.Stem+" "+r.Patterns[0].String())
	}
	is.Equal(got, []string{
		"router/a.b.md a.b a.b /a.b",
		"router/a.html a a /a",
		"router/a.http a a /a",
		"router/docs/[id].md docs/[id] docs.id /docs/{id}",
		"router/index.adoc index index /",
	})
	is.Equal(tree.Templates["docs/[id]"].InTree, "router/docs/[id].md")
	is.Equal(tree.HintFile("docs/id.md"), `: router/docs/[id].md is called "docs/[id]"`)
	is.Equal(len(tree.Faults), 2) // the two files of /a, and the one that begins with +
}
