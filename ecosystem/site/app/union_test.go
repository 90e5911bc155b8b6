package app

import (
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

func TestUnion(t *testing.T) {
	is := is.New(t)
	text := &fstest.MapFile{Data: []byte("text")}
	u := union{fstest.MapFS{"router/index.html": text, "router/docs/+layout.html": text}, fstest.MapFS{"index.md": text, "recipes/forms.md": text}, "router/docs"}
	for _, name := range []string{"router/index.html", "router/docs/+layout.html", "router/docs/index.md", "router/docs/recipes/forms.md"} {
		f, err := u.Open(name)
		is.NoErr(err)
		is.NoErr(f.Close())
	}
	for _, name := range []string{"router/recipes/forms.md", "docs/index.md", "router/docs/none.md", "router/docsindex.md"} {
		_, err := u.Open(name)
		is.True(err != nil)
	}
	entries, err := u.ReadDir("router/docs")
	is.NoErr(err)
	is.Equal(len(entries), 3)
	is.Equal(entries[0].Name(), "+layout.html")
	is.Equal(entries[2].Name(), "recipes")
	entries, err = u.ReadDir("router/docs/recipes")
	is.NoErr(err)
	is.Equal(len(entries), 1)
	_, err = u.ReadDir("router/none")
	is.True(err != nil)
}
