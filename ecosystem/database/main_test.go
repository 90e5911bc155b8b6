package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
)

// serve serves a Router while use runs, and waits for its end.
func serve(t *testing.T, r *flow.Router, use func(base string)) {
	t.Helper()
	is := is.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- flow.ServeListener(ctx, listener, r) }()
	use("http://" + listener.Addr().String())
	stop()
	is.NoErr(<-ended)
}

// ask returns the status and the text of an answer: to a form, if there is one.
func ask(t *testing.T, target string, form url.Values) (int, string) {
	t.Helper()
	is := is.New(t)
	resp, err := http.Get(target)
	if form != nil {
		resp, err = http.PostForm(target, form)
	}
	is.NoErr(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	is.NoErr(err)
	return resp.StatusCode, string(text)
}

func TestNotes(t *testing.T) {
	is := is.New(t)
	*file = filepath.Join(t.TempDir(), "notes.db")
	for want := range 2 { // the second program finds the note of the first
		r, err := build(t.Context())
		is.NoErr(err)
		is.NoErr(r.Check())
		if want == 0 {
			_, err = os.Stat(*file)
			is.True(os.IsNotExist(err)) // the command check needs no database
		}
		serve(t, r, func(base string) {
			status, text := ask(t, base+"/notes", url.Values{"text": {" "}})
			is.Equal(status, 422)
			is.True(strings.Contains(text, "is required"))
			is.Equal(strings.Count(text, "<li>"), want)
			status, text = ask(t, base+"/notes", url.Values{"text": {"<tea>"}})
			is.Equal(status, 200) // of the page that follows
			is.Equal(strings.Count(text, "<li>&lt;tea&gt;</li>"), want+1)
		})
		_, err = os.Stat(*file + "-wal")
		is.True(os.IsNotExist(err)) // it was closed
	}
}

func TestSearch(t *testing.T) {
	is := is.New(t)
	*file = filepath.Join(t.TempDir(), "notes.db")
	r, err := build(t.Context())
	is.NoErr(err)
	serve(t, r, func(base string) {
		ask(t, base+"/notes", url.Values{"text": {"<b>green tea</b>"}})
		for q, want := range map[string]string{
			"":                          "<ul>\n\n</ul>",
			"green":                     "<li>&lt;b&gt;<mark>green</mark> tea&lt;/b&gt;</li>",
			`"` + " AND <script> OR (":  "<li>Nothing was found.</li>",
			"<script>alert(1)</script>": `value="&lt;script&gt;alert(1)&lt;/script&gt;"`,
		} {
			status, text := ask(t, base+"/search?q="+url.QueryEscape(q), nil)
			is.Equal(status, 200)
			if !strings.Contains(text, want) {
				t.Errorf("%q: without %s:\n%s", q, want, text)
			}
		}
		for _, q := range []string{strings.Repeat("x", 201), "\xff"} {
			status, _ := ask(t, base+"/search?q="+url.QueryEscape(q), nil)
			is.Equal(status, 422)
		}
	})
}
