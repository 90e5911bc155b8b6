package public

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"example.com/flow/internal/serve/wire/accept"
)

// extensions are the file extensions of content codings: a.css.gz is the gzip representation
// of a.css.
var extensions = [accept.Codings]string{accept.Gzip: ".gz", accept.Brotli: ".br", accept.Zstd: ".zst"}

// Files up to these sizes, in bytes, are held in memory, compressed ones too.
// Larger ones are read for each request.
const (
	maxHeld             = 1 << 20
	maxHeldCompressible = 16 << 20
)

// Files are the public files of a tree. A compressed file such as a.css.gz is a
// representation of a.css, and also a content of its own. If it is held in memory, it is read
// only once.
type Files struct {
	files fs.FS
	known map[string]bool
	texts map[string][]byte
}

// NewFiles returns the public files of a tree that have these names.
func NewFiles(files fs.FS, names []string) *Files {
	f := &Files{files, map[string]bool{}, map[string][]byte{}}
	for _, name := range names {
		f.known[name] = true
	}
	return f
}

// Content reads a file and the compressed files beside it.
func (f *Files) Content(name string) (*Content, error) {
	mediaType := MediaType(f.files, name)
	identity, err := f.representation(name, accept.Identity, compressible(mediaType))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	var compressed []*representation
	for coding, ext := range extensions {
		if ext == "" || !f.known[name+ext] {
			continue
		}
		s, err := f.representation(name+ext, accept.Coding(coding), compressible(mediaType))
		if err != nil {
			return nil, fmt.Errorf("%s, its compressed form, cannot be read: %w", name+ext, err)
		}
		if s.size == 0 {
			return nil, fmt.Errorf("%s is empty, and would be sent in its place: make it anew, or remove it", name+ext)
		}
		compressed = append(compressed, s)
	}
	return newContent(mediaType, identity, compressed...), nil
}

// representation reads a file as one representation of a content.
func (f *Files) representation(name string, coding accept.Coding, compressible bool) (*representation, error) {
	if text, ok := f.texts[name]; ok {
		return newRepresentation(coding, text), nil
	}
	info, err := fs.Stat(f.files, name)
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > maxHeldCompressible || size > maxHeld && !compressible {
		return newFileRepresentation(coding, f.files, name)
	}
	text, err := fs.ReadFile(f.files, name)
	if err != nil {
		return nil, err
	}
	f.texts[name] = text
	return newRepresentation(coding, text), nil
}

// A File is an open file with random access.
type File struct {
	*io.SectionReader
	io.Closer
}

// Open opens a file for random access. Files that do not implement io.ReaderAt are read into
// memory; those of embed.FS and os.DirFS do.
func Open(files fs.FS, name string) (*File, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	if at, ok := f.(io.ReaderAt); ok {
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		return &File{io.NewSectionReader(at, 0, info.Size()), f}, nil
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return &File{io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))), io.NopCloser(nil)}, nil
}
