package flow

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
)

// An asset is a public file: app.css is /app.css, and also /app.<hash>.css, which
// never changes.
type asset struct {
	shape   *shape
	hashed  *shape   // nil in development
	content *content // nil in development
	serves  handler
	forever handler // of hashed
}

// siblings are the content codings (RFC 9110, section 8.4.1) of files that are a
// smaller form of the file beside them, by extension.
var siblings = map[string]string{".br": "br", ".zst": "zstd", ".gz": "gzip"}

// Files up to these sizes, in bytes, are held in memory. Larger ones are read for
// each request, and not compressed.
const (
	maxHeld             = 1 << 20
	maxHeldCompressible = 16 << 20
)

// readAssets reads the public files.
func (c *compiler) readAssets() {
	assets := make(map[string]*asset, len(c.tree.public))
	texts := map[string][]byte{}
	for _, s := range c.tree.public {
		name := belowPublic(s.file)
		text, err := readHeld(c.tree.files, s.file)
		if err != nil {
			c.faults = append(c.faults, faultIn(s.file, "cannot be read: %v", err))
			continue
		}
		assets[name], texts[name] = &asset{shape: s}, text
	}
	for _, name := range sortedKeys(assets) {
		a := assets[name]
		if d := c.router.disk; d != nil {
			a.serves.flow = d.public(a.shape.file)
			continue
		}
		smaller := map[string][]byte{}
		for ext, coding := range siblings {
			if text := texts[name+ext]; text != nil {
				smaller[coding] = text
			}
		}
		if err := a.read(c.tree.files, texts[name], smaller); err != nil {
			c.faults = append(c.faults, faultIn(a.shape.file, "cannot be read: %v", err))
		}
	}
	c.table.assets = assets
}

func belowPublic(file string) string { return strings.TrimPrefix(file, publicDir+"/") }

// readHeld returns the content of a file, or nil if it is too large to be held.
func readHeld(files fs.FS, file string) ([]byte, error) {
	info, err := fs.Stat(files, file)
	if err != nil {
		return nil, err
	}
	limit := int64(maxHeld)
	if compressible(mediaTypeOfFile(file, func() []byte { return nil })) {
		limit = maxHeldCompressible
	}
	if info.Size() > limit {
		return nil, nil
	}
	text, err := fs.ReadFile(files, file)
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// read makes the content of a, from its text or, if that is nil, from the file.
func (a *asset) read(files fs.FS, text []byte, smaller map[string][]byte) (err error) {
	file := a.shape.file
	mediaType := mediaTypeOfFile(file, func() []byte { return head(files, file) })
	if text != nil {
		a.content = newContent(mediaType, text, smaller)
	} else if a.content, err = newFileContent(mediaType, func() (io.ReadSeekCloser, error) { return openPublic(files, file) }); err != nil {
		return err
	}
	last := len(a.shape.segments) - 1
	segments := slices.Clone(a.shape.segments)
	name := segments[last].text
	ext := path.Ext(name)
	segments[last].text = strings.TrimSuffix(name, ext) + "." + a.content.hash() + ext
	a.hashed = newShape(file, nil, segments)
	a.serves, a.forever = a.handler(revalidate), a.handler(immutable)
	return nil
}

// handler serves the content with a Cache-Control.
func (a *asset) handler(cache []string) handler {
	if a.content.open == nil {
		return handler{content: a.content, cache: cache}
	}
	return handler{std: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.content.serve(w, r, cache) })}
}

// head returns what the media type of a file can be told from.
func head(files fs.FS, file string) []byte {
	f, err := files.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 512)
	n, _ := io.ReadFull(f, b) // less is enough
	return b[:n]
}

// openPublic opens a file for reading at any offset, as those of an embed.FS and
// of a disk can. Another file system's are read whole.
func openPublic(files fs.FS, file string) (io.ReadSeekCloser, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	if s, ok := f.(io.ReadSeekCloser); ok {
		return s, nil
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return readSeekNopCloser{bytes.NewReader(b)}, nil
}

type readSeekNopCloser struct{ io.ReadSeeker }

func (readSeekNopCloser) Close() error { return nil }

// asset is the template function of that name: the URL of a public file, which
// names its content unless it is read from disk.
func (t *table) asset(name string) (string, error) {
	a := t.assets[name]
	switch {
	case a != nil && a.hashed != nil:
		return sampleURL(a.hashed.segments), nil
	case a != nil:
		return sampleURL(a.shape.segments), nil
	case t.assets[strings.TrimLeft(name, "/")] != nil:
		return "", fmt.Errorf("flow: no public file is called %q: write the path below %s/, without a slash before it", name, publicDir)
	}
	return "", fmt.Errorf("flow: no public file is called %q: there is no %s/%[1]s", name, publicDir)
}

// Asset returns the URL of a public file, "css/app.css", by its path below public/.
// The URL holds a hash of the content and is served with leave to keep it for a
// year, so that a client asks for the file once until it changes. A file that is
// not there is an error.
func (r *Router) Asset(name string) (string, error) {
	if r.building.Load() {
		return "", fmt.Errorf("flow: Asset(%q): the routes are being compiled, and have no URLs yet", name)
	}
	t := r.compile()
	if t.err != nil {
		return "", fmt.Errorf("flow: Asset(%q): the application has faults: %w", name, t.err)
	}
	return t.asset(name)
}
