package input

import (
	"cmp"
	"fmt"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// part is what a browser sends of an input of type file.
func part(key, name, content string) string {
	return fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=%q; filename=%q\r\nContent-Type: application/octet-stream\r\n\r\n%s\r\n", key, name, content)
}

// form puts parts together, with texts as "key=text".
func form(all ...string) string {
	var b strings.Builder
	for _, p := range all {
		if key, text, ok := strings.Cut(p, "="); ok && !strings.HasPrefix(p, "--b") {
			p = fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", key, text)
		}
		b.WriteString(p)
	}
	return b.String() + "--b--\r\n"
}

type album struct {
	Title string `form:"title"`
	Cover *multipart.FileHeader
	Pages pages                   `form:"pages"`
	More  []*multipart.FileHeader `json:"more"`
	photoOf
}

type photoOf struct{ Other *multipart.FileHeader }

// pages is a list with a name.
type pages []*multipart.FileHeader

// describe returns what an album has: the names and sizes of its files.
func (a album) describe() string {
	all := []string{cmp.Or(a.Title, "-"), "", "", "", ""}
	for i, files := range [][]*multipart.FileHeader{{a.Cover}, a.Pages, a.More, {a.Other}} {
		for _, f := range files {
			switch {
			case f != nil:
				all[i+1] += fmt.Sprintf(",%s:%d", f.Filename, f.Size)
			case i == 1 || i == 2: // in a list
				all[i+1] += ",nil"
			}
		}
		all[i+1] = strings.TrimPrefix(all[i+1], ",")
	}
	return strings.TrimRight(strings.Join(all, " "), " ")
}

func TestFiles(t *testing.T) {
	cover := part("Cover", "c.png", "png")
	for _, tt := range []struct {
		name, contentType, body string
		want                    string
	}{
		{"one", multiMedia, form("title=x", cover), "x c.png:3"},
		{"the first of two", multiMedia, form(cover, part("Cover", "d.png", "")), "- c.png:3"},
		{"by the name in any case", multiMedia, form(part("cover", "c.png", "png")), "- c.png:3"},
		{"the exact name goes first", multiMedia, form(part("cover", "d.png", ""), cover), "- c.png:3"},
		{"all of a key", multiMedia, form(part("pages", "1", "a"), "title=x", part("pages", "2", "bc")), "x  1:1,2:2"},
		{"the tag of JSON", multiMedia, form(part("more", "1", "a")), "-   1:1"},
		{"a tag in another case", multiMedia, form(part("Pages", "1", "a")), "-"},
		{"an embedded struct", multiMedia, form(part("other", "1", "a")), "-    1:1"},
		{"empty, with a name", multiMedia, form(part("Cover", "empty", "")), "- empty:0"},
		{"no choice", multiMedia, form("title=x", part("Cover", "", ""), part("pages", "", "")), "x"},
		{"no choice for one of two", multiMedia, form(part("pages", "", ""), part("pages", "2", "b")), "-  2:1"},
		{"content without a name", multiMedia, form(part("Cover", "", "png")), "-; Cover: must be a file"},
		{"a text", multiMedia, form("Cover=c.png", "pages=1"), "-; Cover: must be a file; pages: must be a file"},
		{"a text beside a file", multiMedia, form("Cover=c.png", cover), "- c.png:3; Cover: must be a file"},
		{"an empty text", multiMedia, form("Cover=", "pages=", "pages="), "-"},
		{"a key inside", multiMedia, form("Cover.Filename=x", "pages.0.Filename=x"), "-"},
		{"a file for a text", multiMedia, form(part("title", "t", "text")), "-"},
		{"a key that nobody reads", multiMedia, form(part("x", "t", "text")), "-"},
		{"a name in Latin letters", multiMedia, form(part("Cover", "bücher.png", "x")), "- bücher.png:1"},
		{"a path as the name", multiMedia, form(part("Cover", "../../etc/passwd", "x")), "- passwd:1"},

		{"names, without enctype", formType, "title=x&Cover=c.png&pages=1&pages=2", "x; Cover: must be a file; pages: must be a file"},
		{"no choice, without enctype", formType, "title=x&Cover=&pages=", "x"},
		{"a key inside, without enctype", formType, "Cover.Filename=x&Cover.Size=7", "-"},

		{"JSON without", jsonMedia, `{"title":"x"}`, "x"},
		{"JSON null", jsonMedia, `{"Cover":null,"pages":null}`, "-"},
		{"JSON text", jsonMedia, `{"Cover":"c.png","pages":"1"}`, "-; Cover: must be a file; pages: must be a file"},
		{"JSON object", jsonMedia, `{"Cover":{"Filename":"c.png","Size":1},"other":{}}`, "-; Cover: must be a file; other: must be a file"},
		{"JSON list", jsonMedia, `{"pages":[{"Filename":"1"}],"more":[]}`, "-; more: must be a file; pages: must be a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := sending("POST", "/", tt.contentType, tt.body)
			var a album
			b, err := load(r)
			is.NoErr(err)
			defer b.End()
			invalid, isFirst, err := b.Bind(r, noParams{}, &a, true, noMessages)
			is.NoErr(err)
			is.True(!isFirst) // Check has looked at its type
			is.Equal(strings.TrimSuffix(a.describe()+"; "+said(invalid), "; "), tt.want)
		})
	}
	t.Run("the query", func(t *testing.T) {
		is := is.New(t)
		var a album
		invalid, err := bind(sending("GET", "/?title=x&Cover=c.png&pages=", "", ""), &a)
		is.NoErr(err)
		is.Equal(a.describe()+"; "+said(invalid), "x; Cover: must be a file")
	})
}

// Bind fills no file where the request has none, and leaves what a struct had before.
func TestFilesOfBefore(t *testing.T) {
	is := is.New(t)
	before := &multipart.FileHeader{Filename: "before"}
	a := album{Cover: before, Pages: pages{before}}
	invalid, err := bind(sending("POST", "/", multiMedia, form("title=x", part("pages", "1", "a"))), &a)
	is.NoErr(err)
	is.Equal(len(invalid), 0)
	is.Equal(a.Cover, before)
	is.Equal(a.describe(), "x before:0 1:1")
	_, err = bind(sending("POST", "/", jsonMedia, `{"Cover":null}`), &a)
	is.NoErr(err)
	is.Equal(a.Cover, nil) // null sets pointers to nil
}

// What a handler does with its list does not change what req.MultipartForm has.
func TestFilesAreTheirOwn(t *testing.T) {
	is := is.New(t)
	r := sending("POST", "/", multiMedia, form(part("pages", "1", "a"), part("pages", "2", "b")))
	var a album
	_, err := bind(r, &a)
	is.NoErr(err)
	slices.Reverse(a.Pages)
	is.Equal(r.MultipartForm.File["pages"][0].Filename, "1")
	_, header, err := r.FormFile("pages")
	is.NoErr(err)
	is.Equal(header, a.Pages[1])
}

func TestTakesFiles(t *testing.T) {
	for _, tt := range []struct {
		t    reflect.Type
		want bool
	}{
		{reflect.TypeFor[album](), true},
		{reflect.TypeFor[photoOf](), true},
		{reflect.TypeFor[struct{ photoOf }](), true},
		{reflect.TypeFor[struct{ F []*multipart.FileHeader }](), true},
		{reflect.TypeFor[struct {
			F *multipart.FileHeader `form:"-"`
		}](), false},
		{reflect.TypeFor[struct{ F multipart.FileHeader }](), false},
		{reflect.TypeFor[struct{ Title string }](), false},
		{reflect.TypeFor[struct{ Of photoOf }](), false},
		{reflect.TypeFor[[]*multipart.FileHeader](), false},
		{reflect.TypeFor[http.Request](), false},
	} {
		t.Run(tt.t.String(), func(t *testing.T) {
			is := is.New(t)
			is.Equal(PlanOf(tt.t).TakesFiles, tt.want)
		})
	}
}
