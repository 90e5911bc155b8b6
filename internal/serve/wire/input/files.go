package input

import (
	"encoding/json"
	"mime/multipart"
	"reflect"
	"slices"

	"example.com/flow/internal/serve/wire/reply"
)

// fileType is the type of a field for one file. Another type that holds a header, but for a list
// of these, is a mistake.
var (
	fileType   = reflect.TypeFor[*multipart.FileHeader]()
	headerType = fileType.Elem()
)

// isFile reports whether a multipart form fills fields of type t with a file, or with all files
// of a key.
func isFile(t reflect.Type) bool {
	return t == fileType || t.Kind() == reflect.Slice && t.Elem() == fileType
}

// IsFile reports whether the field is for a file, or for all files of a key.
func (f *Field) IsFile() bool { return f.Converts.Kind == File }

// files fills fields from the files of a form. All of them are too large if the form is, since
// nobody knows which one made it so.
func (to *binding) files(fs *Fields, c *content) {
	if c.tooLarge > 0 {
		for _, f := range fs.List {
			if f.IsFile() {
				to.reject(f.Name, "", reply.IsTooLarge(c.tooLarge))
			}
		}
		return
	}
	if c.files == nil {
		return
	}
	choices := make([]choice[[]*multipart.FileHeader], len(fs.List))
	for key, files := range c.files.File {
		if i, ok := fs.find(key); ok {
			choices[i].offer(fs.List[i].Name, key, files)
		}
	}
	for i, f := range fs.List {
		sent := choices[i].value
		if !f.IsFile() || len(sent) == 0 {
			continue
		}
		v, ok := to.field(f)
		switch {
		case !ok:
		case f.Converts.List:
			v.Set(reflect.ValueOf(slices.Clone(sent)).Convert(v.Type()))
		default:
			v.Set(reflect.ValueOf(sent[0]))
		}
	}
}

// noFile is for a value of JSON, which has no files. null is none.
func (to *binding) noFile(v reflect.Value, key string, raw json.RawMessage) {
	if v.SetZero(); raw[0] != 'n' {
		to.reject(key, "", reply.MustBeFile)
	}
}
