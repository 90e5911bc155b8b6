package tree

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"
)

func TestTreeIsAFileSystem(t *testing.T) {
	is := is.New(t)
	files := New(map[string]string{"router/users/[id].http": "", "router/index.html": "hello", "public/a.css": "a{}"}, time.Time{})
	is.NoErr(fstest.TestFS(files, "router/users/[id].http", "router/index.html", "public/a.css"))
	_, err := fs.Stat(files, "router/nothing.html")
	is.True(err != nil)
}
