package public

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"example.com/flow/internal/accept"
)

// extensions are those of files that are a smaller form of the file beside them, by
// content coding.
var extensions = [accept.Codings]string{accept.Gzip: ".gz", accept.Brotli: ".br", accept.Zstd: ".zst"}

// Files up to these sizes, in bytes, are held in memory, compressed ones too.
// Larger ones are read for each request.
const (
	maxHeld             = 1 << 20
	maxHeldCompressible = 16 << 20
)

// Files are the public files of a tree. A compressed file is a form of another file, and
// also a file of its own; if it is held in memory, it is read only once.
type Files struct {
	files fs.FS
	known map[string]bool
	texts map[string][]byte
}

// NewFiles returns the public files of a tree, whose names are given.
func NewFiles(files fs.FS, names []string) *Files {
	f := &Files{files, map[string]bool{}, map[string][]byte{}}
	for _, name := range names {
		f.known[name] = true
	}
	return f
}

// Content reads a file, and those beside it that are smaller forms of it.
func (f *Files) Content(name string) (*Content, error) {
	mediaType := MediaType(f.files, name)
	identity, err := f.form(name, accept.Identity, compressible(mediaType))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	var smaller []*form
	for coding, ext := range extensions {
		if ext == "" || !f.known[name+ext] {
			continue
		}
		s, err := f.form(name+ext, accept.Coding(coding), compressible(mediaType))
		if err != nil {
			return nil, fmt.Errorf("%s, a smaller form of it, cannot be read: %w", name+ext, err)
		}
		if s.size == 0 {
			return nil, fmt.Errorf("%s is empty, and would be sent in its place: make it anew, or remove it", name+ext)
		}
		smaller = append(smaller, s)
	}
	return newContent(mediaType, identity, smaller...), nil
}

// form reads a file as one form of a content.
func (f *Files) form(name string, coding accept.Coding, compressible bool) (*form, error) {
	if text, ok := f.texts[name]; ok {
		return newForm(coding, text), nil
	}
	info, err := fs.Stat(f.files, name)
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > maxHeldCompressible || size > maxHeld && !compressible {
		return newFileForm(coding, f.files, name)
	}
	text, err := fs.ReadFile(f.files, name)
	if err != nil {
		return nil, err
	}
	f.texts[name] = text
	return newForm(coding, text), nil
}

// A File is open for reading at any offset.
type File struct {
	*io.SectionReader
	io.Closer
}

// Open opens a file for reading at any offset. The files of an embed.FS and of a disk
// allow that; those of other file systems are read whole.
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
