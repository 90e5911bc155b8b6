// Package document describes an API in the words of OpenAPI 3.1: the operations of a directory of
// route files, with the JSON of their types, what Validate takes, and the examples of the files.
package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unicode"

	"example.com/flow/internal/check/schema"
)

// An API has what no code shows.
type API struct {
	Title   string // without one, that of the route file of the document
	Version string
	Error   reflect.Type // of the answers of OnError; nil if unknown
	SignIn  []SignIn
}

// A SignIn is a way to say who asks.
type SignIn struct {
	Name   string // of the scheme
	Header string // the name of a header, or
	Cookie string // that of a cookie, or
	Bearer bool   // a token in the header Authorization, behind "Bearer "
	Doc    string
	Guards []uintptr // the code of the guards that let nobody through without it
}

// A Document is a description of an API. Its JSON is an OpenAPI document, the same bytes each time.
type Document struct {
	OpenAPI    string      `json:"openapi"`
	Info       Info        `json:"info"`
	Tags       []Tag       `json:"tags,omitempty"`
	Paths      List[*Path] `json:"paths"`
	Components Components  `json:"components,omitzero"`
	Untyped    []string    `json:"x-flow-untyped,omitempty"` // what is left out: "GET /users"
}

// Info says what the API is.
type Info struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
}

// A Tag is a group of operations.
type Tag struct {
	Name string `json:"name"`
}

// Components has the schemas and the schemes that others refer to.
type Components struct {
	Schemas         List[*schema.Schema] `json:"schemas,omitempty"`
	SecuritySchemes List[*Scheme]        `json:"securitySchemes,omitempty"`
}

// A Path has the operations of one path, by method in lower case.
type Path = List[*Operation]

// An Operation answers one method of one path.
type Operation struct {
	ID          string                `json:"operationId"`
	Tags        []string              `json:"tags,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	Description string                `json:"description,omitempty"`
	Deprecated  bool                  `json:"deprecated,omitempty"`
	Parameters  []Parameter           `json:"parameters,omitempty"`
	Body        *Body                 `json:"requestBody,omitempty"`
	Responses   List[*Response]       `json:"responses"`
	Security    []map[string][]string `json:"security,omitempty"`
}

// A Parameter is one of the path or of the query.
type Parameter struct {
	Name        string         `json:"name"`
	In          string         `json:"in"` // "path" or "query"
	Description string         `json:"description,omitempty"`
	Required    bool           `json:"required,omitempty"`
	Deprecated  bool           `json:"deprecated,omitempty"`
	Schema      *schema.Schema `json:"schema"`
}

// A Body is what a request sends.
type Body struct {
	Required bool           `json:"required,omitempty"`
	Content  List[*Content] `json:"content"` // by media type
}

// A Content is a body of a media type.
type Content struct {
	Schema   *schema.Schema `json:"schema,omitempty"`
	Examples List[*Example] `json:"examples,omitempty"`
}

// An Example is a body as it is sent.
type Example struct {
	Summary string          `json:"summary,omitempty"`
	Value   json.RawMessage `json:"value"`
}

// A Response is an answer.
type Response struct {
	Description string         `json:"description"`
	Headers     List[*Header]  `json:"headers,omitempty"`
	Content     List[*Content] `json:"content,omitempty"`
}

// A Header is one of an answer.
type Header struct {
	Schema *schema.Schema `json:"schema"`
}

// A Scheme is a way to sign in.
type Scheme struct {
	Type        string `json:"type"` // "apiKey" or "http"
	Description string `json:"description,omitempty"`
	In          string `json:"in,omitempty"`
	Name        string `json:"name,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
}

// A List is an object whose keys have an order. The values are pointers, since generic code is in a
// program only once for all pointers.
type List[V any] []Entry[V]

// An Entry is a key with its value.
type Entry[V any] struct {
	Key   string
	Value V
}

// get returns the value of a key, and the zero value if there is none.
func (l List[V]) get(key string) (v V) {
	for _, e := range l {
		if e.Key == key {
			return e.Value
		}
	}
	return v
}

// has reports whether there is a key.
func (l List[V]) has(key string) bool {
	for _, e := range l {
		if e.Key == key {
			return true
		}
	}
	return false
}

// add adds a value behind the others.
func (l *List[V]) add(key string, v V) { *l = append(*l, Entry[V]{key, v}) }

// sort sorts a list by its keys. It calls sort.Slice, since slices.SortFunc would be in the program
// once more for this type, with 20 KB.
func (l List[V]) sort() { sort.Slice(l, func(i, j int) bool { return l[i].Key < l[j].Key }) }

// MarshalJSON writes an object in the order of the list.
func (l List[V]) MarshalJSON() ([]byte, error) {
	return schema.MarshalObject(len(l), func(i int) (string, any) { return l[i].Key, l[i].Value })
}

// keyOf returns a name as a key of Components, which has letters, digits, dots, hyphens and underscores.
func keyOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-') {
			return r
		}
		return '_'
	}, name)
}

// slug returns a title as a key of examples: small letters, digits and hyphens.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// unique returns a name, with a number behind it if it is taken.
func unique(name, before string, taken func(string) bool) string {
	with := name
	for n := 2; taken(with); n++ {
		with = fmt.Sprint(name, before, n)
	}
	return with
}
