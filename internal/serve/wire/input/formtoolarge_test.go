package input

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// counted counts what is read of a body.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) Close() error { return nil }

// A form that is too large has its first values, and no file. As much as the limit is read once
// more, and no error is made of it.
func TestTooLargeForms(t *testing.T) {
	const limit = 200 << 10
	big := strings.Repeat("x", limit)
	value := func(length int) string { return "note=" + strings.Repeat("n", length) }
	// front is a form with a value that ends n bytes behind the first 64 KiB, if n is positive, or
	// in front of their end.
	front := func(n int) string {
		head := len(form(value(0))) - len("\r\n--b--\r\n")
		return form("title=x", value(firstSize-len(form("title=x"))+len("--b--\r\n")-head+n), part("Cover", "c", big))
	}
	var many strings.Builder
	for i := range 2000 {
		many.WriteString(strings.TrimSuffix(form(fmt.Sprint("k", i, "=v")), "--b--\r\n"))
	}
	var thousand []string
	for range 1001 {
		thousand = append(thousand, "title=x")
	}
	read := func(r *http.Request) { r.FormValue("title") }
	watch := func(r *http.Request) { r.Body = struct{ io.ReadCloser }{r.Body} }
	for _, tt := range []struct {
		name, contentType, body string
		before                  func(*http.Request) // what middleware does
		want                    string
		chunked                 string // what is wanted of a form that is not announced, if that is not the same
	}{
		{"a file", multiMedia, form("title=x", "note=y", part("Cover", "c", big)), nil, "title=x note=y", ""},
		{"no value", multiMedia, form(part("Cover", "c", big)), nil, "", ""},
		{"a value behind", multiMedia, form("title=x", part("Cover", "c", big), "note=y"), nil, "title=x", ""},
		{"a value behind a small file", multiMedia, form("title=x", part("Cover", "c", "png"), "note=y", part("pages", "1", big)), nil, "title=x note=y", ""},
		{"no choice in front", multiMedia, form(part("Cover", "", ""), "title=x", part("pages", "1", big)), nil, "Cover= title=x", ""},
		{"several values", multiMedia, form("title=x", "title=y", part("Cover", "c", big)), nil, "title=x,y", ""},
		{"a part without a name", multiMedia, "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n" + form("title=x", part("Cover", "c", big)), nil, "title=x", ""},
		{"a value beyond the first bytes", multiMedia, front(1), nil, "title=x", ""},
		{"a value up to the first bytes", multiMedia, front(0), nil, "title=x", ""}, // its boundary may go on
		{"a value with its boundary within the first bytes", multiMedia, front(-len("\r\n--b\r\n")), nil, "title=x note=65421", ""},
		{"a large value", multiMedia, form("title=x", value(limit)), nil, "title=x", ""},
		{"many values", multiMedia, many.String() + form(part("Cover", "c", big)), nil, "1190 keys", "413 the form has too many or too large parts"},
		{"too many values", multiMedia, form(append(thousand, part("Cover", "c", big))...), nil, "title=1001 values", "413 the form has too many or too large parts"},
		{"no form", multiMedia, big + big, nil, "", "400 the body is incomplete or malformed"},
		{"middleware has read it", multiMedia, form("title=x", part("Cover", "c", big)), read, "title=x", ""},
		{"middleware has streamed it", multiMedia, form("title=x", part("Cover", "c", big)), func(r *http.Request) {
			form, err := r.MultipartReader()
			for err == nil {
				_, err = form.NextPart()
			}
		}, "title=x", ""},
		{"middleware watches it", multiMedia, form("title=x", part("Cover", "c", big)), watch, "title=x", ""},
		{"middleware watches it, and has read it", multiMedia, form("title=x", part("Cover", "c", big)), func(r *http.Request) { watch(r); read(r) }, "title=x", ""},
		{"middleware unpacks it", multiMedia, packed(form("title=x", part("Cover", "c", big))), func(r *http.Request) {
			r.Body, _ = gzip.NewReader(r.Body)
		}, "title=x", ""},
		{"the form has ended", multiMedia, form("title=x", part("Cover", "c", "png")) + big, nil, "title=x", ""},
		{"many times as large", multiMedia, form("title=x", part("Cover", "c", strings.Repeat(big, 8))), nil, "title=x", ""},

		{"without a boundary", multipartType, form("title=x", part("Cover", "c", big)), nil, "400 the body is incomplete or malformed", ""},
		{"a form without files", formType, "title=x&note=" + big, nil, "413 the body is too large", ""},
		{"JSON", jsonMedia, `{"title":"` + big + `"}`, nil, "413 the body is too large", ""},
	} {
		for _, announced := range []bool{true, false} {
			t.Run(fmt.Sprint(tt.name, ", announced ", announced), func(t *testing.T) {
				is, want := is.New(t), tt.want
				if !announced {
					want = cmp.Or(tt.chunked, want)
				}
				dir := t.TempDir()
				flowtest.SetTempDir(t, dir)
				body := &counted{Reader: strings.NewReader(tt.body)}
				r := sending("POST", "/?title=q", tt.contentType, tt.body)
				if r.Body = body; !announced {
					r.ContentLength = -1
				}
				b := New(nil, r, limit, true, true)
				if tt.before != nil {
					tt.before(r)
				}
				err := b.Load(r, false)
				is.True(body.n <= 2*limit+1)
				temporary, readErr := os.ReadDir(dir)
				is.NoErr(readErr)
				is.Equal(len(temporary), 0)
				if err != nil {
					is.Equal(err.Error(), want)
					return
				}
				is.True(body.n == int64(len(tt.body)) || body.n == 2*limit+1) // the client is done sending
				is.True(cap(b.first.text) <= 2*firstSize)
				is.Equal(summary(b.form), want)
				is.Equal(r.PostForm, b.form)
				is.Equal(r.FormValue("title"), "q")
				_, _, err = r.FormFile("Cover")
				is.Equal(err, http.ErrMissingFile)
				is.Equal(text(r), "")

				var a album
				invalid, _, err := b.Bind(r, noParams{}, &a, true, noMessages)
				is.NoErr(err)
				is.Equal(said(invalid), "Cover: is too large; Other: is too large; more: is too large; pages: is too large")
				is.Equal(a.Cover, nil)
				b.End()
			})
		}
		t.Run(tt.name+", for others", func(t *testing.T) {
			is := is.New(t)
			r := sending("POST", "/", tt.contentType, tt.body)
			b := New(nil, r, limit, true, false)
			if tt.before != nil {
				tt.before(r)
			}
			defer b.End()
			var e *Error
			is.True(errors.As(b.Load(r, false), &e))
			is.True(e.Status == 413 || tt.contentType == multipartType)
		})
	}
}

// summary describes a form: large ones by their size.
func summary(form map[string][]string) string {
	if len(form) > 9 {
		return fmt.Sprint(len(form), " keys")
	}
	var all []string
	for key, values := range form {
		text := strings.Join(values, ",")
		if len(values) > 9 {
			text = fmt.Sprint(len(values), " values")
		} else if len(text) > 9 {
			text = fmt.Sprint(len(text))
		}
		all = append(all, key+"="+text)
	}
	slices.SortFunc(all, func(a, b string) int {
		order := func(s string) int { return slices.Index([]string{"C", "t", "n"}, s[:1]) }
		return order(a) - order(b)
	})
	return strings.Join(all, " ")
}

// packed returns a text as gzip packs it.
func packed(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// The file of a form that has ended, of a body that has not, is removed, too.
func TestFilesOfTooLargeBodies(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	flowtest.SetTempDir(t, dir)
	r := sending("POST", "/", multiMedia, form("title=x", part("Cover", "c", strings.Repeat("x", 2*FormMemory)))+strings.Repeat("x", FormMemory))
	r.ContentLength = -1
	b := New(nil, r, 2*FormMemory+FormMemory/2, true, true)
	is.NoErr(b.Load(r, false))
	is.Equal(summary(b.form), "title=x")
	is.Equal(len(r.MultipartForm.File), 0)
	left, err := os.ReadDir(dir)
	is.NoErr(err)
	is.Equal(len(left), 0)
	b.End()
}

// A form with a limit of its own that is smaller than what is kept of others.
func TestTooLargeForASmallLimit(t *testing.T) {
	is := is.New(t)
	r := sending("POST", "/", multiMedia, form("title=x", part("Cover", "c", strings.Repeat("x", 1000)), "note=y"))
	b := New(nil, r, 300, true, true)
	is.NoErr(b.Load(r, false))
	is.Equal(summary(b.form), "title=x")
	is.Equal(len(b.first.text), 300)
}

// A form that ends too early is incomplete, also if it was to be too large.
func TestIncompleteForms(t *testing.T) {
	whole := form("title=x", part("Cover", "c", strings.Repeat("x", 1000)))
	for _, tt := range []struct {
		name   string
		sent   int
		length int64
		want   string
	}{
		{"nothing", 0, 5000, "400"},
		{"the first value", 80, 5000, "400"},
		{"less than the limit", 499, 5000, "400"},
		{"less than the limit, chunked", 499, -1, "400"},
		{"the limit", 500, 5000, "400"},
		{"more than the limit", 600, 5000, ""},
		{"more than the limit, chunked", 600, -1, ""},
		{"more than twice the limit", len(whole), 5000, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := sending("POST", "/", multiMedia, "")
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(whole[:tt.sent]), left{}))
			r.ContentLength = tt.length
			b := New(nil, r, 500, true, true)
			err := b.Load(r, false)
			if tt.want != "" {
				is.Equal(err.Error(), "400 the body is incomplete or malformed")
				is.Equal(b.form, nil)
				return
			}
			is.NoErr(err)
			is.True(b.tooLarge > 0)
		})
	}
}

// left is a body whose client is gone.
type left struct{}

func (left) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A clone has the values, and still knows that the form was too large.
func TestCloneOfATooLargeForm(t *testing.T) {
	is := is.New(t)
	r := sending("POST", "/", multiMedia, form("title=x", part("Cover", "c", strings.Repeat("x", 1000))))
	b := New(nil, r, 500, true, true)
	is.NoErr(b.Load(r, false))
	c := b.Clone()
	b.End()
	var a album
	invalid, _, err := c.Bind(r, noParams{}, &a, true, noMessages)
	is.NoErr(err)
	is.Equal(a.Title, "x")
	is.Equal(invalid["Cover"].English, "is too large")
}

// FuzzFirstValues: the beginning of a form has no other values than the whole form, which package
// multipart reads, and none of which a part is missing.
func FuzzFirstValues(f *testing.F) {
	for _, body := range []string{form("a=1", "a=2", part("f", "n", "x"), "b=3"), form("a=\r\n--bx", "a=2"), form("a=\r\n--", "b=\r\n\r\n--b-"), "--b\r\n\r\n\r\n--b--"} {
		for n := 0; n <= len(body); n += 3 {
			f.Add(body, n)
		}
	}
	f.Fuzz(func(t *testing.T, body string, n int) {
		whole, err := multipart.NewReader(strings.NewReader(body), "b").ReadForm(1 << 20)
		if err != nil || n < 0 || n > len(body) {
			return
		}
		defer whole.RemoveAll()
		first, err := (&beginning{text: []byte(body[:n])}).values(http.Header{"Content-Type": {multiMedia}})
		if err != nil {
			t.Fatal(err)
		}
		for key, values := range first {
			if all := whole.Value[key]; len(all) < len(values) || !slices.Equal(all[:len(values)], values) {
				t.Errorf("%q of %q: %q has %q, and the whole has %q", body[:n], body, key, values, all)
			}
		}
	})
}
