package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/fault"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"
)

// An asset is a public file: app.css is /app.css, and also /app.<hash>.css, which
// never changes.
type asset struct {
	file    string
	pattern *pattern.Pattern
	hashed  *pattern.Pattern // nil in development
	content *content         // nil in development
	serves  handler
	forever handler // of hashed
}

// siblings are the extensions of files that are a smaller form of the file beside
// them, by content coding.
var siblings = [accept.Codings]string{accept.Gzip: ".gz", accept.Brotli: ".br", accept.Zstd: ".zst"}

// Files up to these sizes, in bytes, are held in memory, compressed ones too.
// Larger ones are read for each request.
const (
	maxHeld             = 1 << 20
	maxHeldCompressible = 16 << 20
)

// readAssets reads the public files.
func (c *compiler) readAssets() {
	assets := make(map[string]*asset, len(c.tree.Public))
	for _, p := range c.tree.Public {
		assets[p.Name()] = &asset{file: p.File, pattern: p.Pattern}
	}
	held := heldFiles{c.tree.Files, map[string][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(assets)) {
		a := assets[name]
		if d := c.router.disk; d != nil {
			a.serves.flow = d.public(a.file)
			continue
		}
		var smaller []string
		for _, ext := range siblings {
			if sibling := assets[name+ext]; sibling != nil && ext != "" {
				smaller = append(smaller, sibling.file)
			}
		}
		if err := a.read(held, smaller); err != nil {
			c.faults = append(c.faults, fault.In(a.file, "%v", err))
		}
	}
	c.table.assets = assets
}

// read makes the content of a from its file and those that are smaller forms of it.
func (a *asset) read(files heldFiles, smaller []string) error {
	file := a.file
	mediaType := mediaTypeOfFile(file, func() []byte { return head(files, file) })
	identity, err := files.form(file, accept.Identity, compressible(mediaType))
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	var others []*form
	for _, sibling := range smaller {
		which := accept.Coding(slices.Index(siblings[:], path.Ext(sibling)))
		f, err := files.form(sibling, which, compressible(mediaType))
		if err != nil {
			return fmt.Errorf("%s, a smaller form of it, cannot be read: %w", sibling, err)
		}
		if f.size == 0 {
			return fmt.Errorf("%s is empty, and would be sent in its place: make it anew, or remove it", sibling)
		}
		others = append(others, f)
	}
	a.content = newContent(mediaType, identity, others...)
	last := len(a.pattern.Segments) - 1
	segments := slices.Clone(a.pattern.Segments)
	name := segments[last].Text
	ext := path.Ext(name)
	segments[last].Text = strings.TrimSuffix(name, ext) + "." + a.content.hash() + ext
	a.hashed = pattern.New(segments)
	a.serves, a.forever = a.handler(revalidate), a.handler(immutable)
	return nil
}

// heldFiles are the files of a tree, of which each that is held in memory is read
// once: a compressed one is a form of another file, and a file of its own.
type heldFiles struct {
	fs.FS
	texts map[string][]byte
}

// form reads a file as one form of a content.
func (h heldFiles) form(file string, which accept.Coding, compressible bool) (*form, error) {
	if text, ok := h.texts[file]; ok {
		return newForm(which, text), nil
	}
	info, err := fs.Stat(h.FS, file)
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > maxHeldCompressible || size > maxHeld && !compressible {
		return newFileForm(which, func() (io.ReadSeekCloser, error) { return openPublic(h.FS, file) })
	}
	text, err := fs.ReadFile(h.FS, file)
	if err != nil {
		return nil, err
	}
	h.texts[file] = text
	return newForm(which, text), nil
}

// handler serves the content with a Cache-Control. Opening a file may fail, which
// is contained where net/http's handlers are.
func (a *asset) handler(cache []string) handler {
	if a.content.held() {
		return handler{content: a.content, cache: cache}
	}
	return handler{std: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.content.serve(w, r, cache) })}
}

// maxHead is how many bytes of a file its media type may be told from.
const maxHead = 64 << 10

func head(files fs.FS, file string) []byte {
	f, err := files.Open(file)
	if err != nil {
		return nil // reading it says why
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxHead))
	return b
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

// asset is the template function of that name, asked at v: the URL of a public
// file, which names its content unless it is read from disk.
func (t *table) asset(v vantage, name string) (string, error) {
	a := t.assets[name]
	switch {
	case a != nil && len(v.values) < len(t.above.Names):
		return "", fmt.Errorf("flow: asset %q: the parameters of %s, where the Router is mounted, are known in requests only: use Request.Asset, or {{asset}} in a template", name, t.above.String())
	case a != nil:
		return cmp.Or(a.hashed, a.pattern).URL(v.own(t.above)), nil
	case t.assets[strings.TrimLeft(name, "/")] != nil:
		return "", fmt.Errorf("flow: no public file is called %q: write the path below %s/, without a slash before it", name, routetree.PublicDir)
	}
	otherwise := fmt.Sprintf(": there is no %s/%s", routetree.PublicDir, name)
	if len(t.assets) == 0 {
		otherwise += fmt.Sprintf(", nor anything else below %s/: is it embedded, with //go:embed all:%s all:%[1]s?", routetree.PublicDir, routetree.RouterDir)
	}
	return "", fmt.Errorf("flow: no public file is called %q%s", name, fault.Suggest(name, t.assets, otherwise))
}

// Asset returns the URL of a public file, "css/app.css", by its path below public/.
// The URL holds a hash of the content and is served with leave to keep it for a
// year, so that a client asks for the file once until it changes. A file that is
// not there is an error. So is any if the Router is mounted at a prefix with
// parameters, which only requests know: see Request.Asset.
func (r *Router) Asset(name string) (string, error) { return r.assetAt(vantage{}, name) }

func (r *Router) assetAt(v vantage, name string) (string, error) {
	t, err := r.urls("Asset", name)
	if err != nil {
		return "", err
	}
	return t.asset(v, name)
}
