package flow

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"
)

// publicHandler serves a file of public/, for GET and HEAD, with ranges.
func publicHandler(files fs.FS, file string) http.Handler {
	contentType := mime.TypeByExtension(path.Ext(file)) // else net/http looks at the content
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := openPublic(files, file)
		if err != nil {
			panic(fmt.Errorf("flow: %w", err)) // a 500: the file was there when the tree was read
		}
		defer content.Close()
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		http.ServeContent(w, r, file, time.Time{}, content)
	})
}

// openPublic opens a file for reading at any offset, as those of an embed.FS and
// of a disk can. Another file system's are read whole.
func openPublic(files fs.FS, file string) (interface {
	io.ReadSeeker
	io.Closer
}, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	if s, ok := f.(interface {
		io.ReadSeeker
		io.Closer
	}); ok {
		return s, nil
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return struct {
		io.ReadSeeker
		io.Closer
	}{bytes.NewReader(b), io.NopCloser(nil)}, nil
}
