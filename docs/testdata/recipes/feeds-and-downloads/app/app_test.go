package app

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// get returns the answer to a request with headers as "Name: value".
func get(target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestFeed(t *testing.T) {
	is := is.New(t)
	day := func(n int) time.Time { return time.Date(2026, 5, n, 12, 0, 0, 0, time.UTC) }
	posts = []post{
		{"tea & milk", "A <b> & a \x01", template.HTML(`<p>Tea &amp; <a href="https://journal.example/">milk</a></p>`), day(3), day(3)},
		{"old", "Old", "<p>Old</p>", day(1), day(7)},
	}
	t.Cleanup(func() { posts = nil })

	w := get("/feed.xml")
	is.Equal(w.Code, 200)
	is.Equal(w.Header().Get("Content-Type"), "application/atom+xml; charset=utf-8")
	var feed atomFeed
	is.NoErr(xml.Unmarshal(w.Body.Bytes(), &feed))
	is.Equal(feed.Updated, day(7)) // an old post was changed
	is.Equal(feed.Links, []atomLink{{"self", "http://localhost:8080/feed.xml"}})
	is.Equal(len(feed.Entries), 2)
	first := feed.Entries[0]
	is.Equal(first.ID, "tag:journal.example,2026-01-01:posts/tea & milk")
	is.Equal(first.Title, "A <b> & a \ufffd")
	is.Equal(first.Link, atomLink{"alternate", "http://localhost:8080/posts/tea%20&%20milk"})
	is.Equal(first.Content, atomText{"html", string(posts[0].HTML)})
	is.Equal(first.Published, day(3))
	is.Equal(get(strings.TrimPrefix(first.Link.Href, site)).Code, 200) // the link leads somewhere
	is.True(strings.Contains(get("/posts/old").Body.String(), `<link rel="alternate" type="application/atom+xml" title="Journal" href="/feed.xml">`))

	tag := "If-None-Match: " + w.Header().Get("ETag")
	again := get("/feed.xml", tag)
	is.Equal(again.Code, 304)
	is.Equal(again.Body.Len(), 0)
	posts = posts[:1] // one is deleted
	is.Equal(get("/feed.xml", tag).Code, 200)
	posts = nil
	is.NoErr(xml.Unmarshal(get("/feed.xml").Body.Bytes(), new(atomFeed)))
}

// serveOrders has findOrders return batches, and then an error. Before it returns a batch it
// calls wait with the id of the last order before.
func serveOrders(t *testing.T, end error, wait func(after int), batches ...[]order) string {
	t.Helper()
	findOrders = func(ctx context.Context, in orderFilter, after int) ([]order, error) {
		wait(after)
		for _, b := range batches {
			if b[0].ID > after {
				return b, ctx.Err()
			}
		}
		return nil, end
	}
	server := httptest.NewServer(Router)
	t.Cleanup(server.Close)
	return server.URL + "/orders.csv"
}

func orders(first, n int, customer string) (list []order) {
	for i := range n {
		list = append(list, order{first + i, customer, -100 * i})
	}
	return list
}

func TestDownload(t *testing.T) {
	is := is.New(t)
	resp, err := http.Get(serveOrders(t, nil, func(int) {}, orders(1, 1000, "Ada, \"Countess\""), orders(1001, 500, "=1+1")))
	is.NoErr(err)
	defer resp.Body.Close()
	is.Equal(resp.Header.Get("Content-Type"), "text/csv; charset=utf-8")
	is.Equal(resp.Header.Get("Content-Disposition"), `attachment; filename="orders.csv"`)
	rows, err := csv.NewReader(resp.Body).ReadAll()
	is.NoErr(err)
	is.Equal(len(rows), 1501)
	is.Equal(rows[2], []string{"2", `Ada, "Countess"`, "-100"})
	is.Equal(rows[1500], []string{"1500", "'=1+1", "-49900"})
}

func TestPlain(t *testing.T) {
	is := is.New(t)
	for _, formula := range []string{"=1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"} {
		is.Equal(plain(formula), "'"+formula)
	}
	for _, text := range []string{"", "Ada", "a=b", "5-1", "ß", "'quoted'"} {
		is.Equal(plain(text), text)
	}
}

// TestDownloadStreams has the second batch wait until the first one has arrived.
func TestDownloadStreams(t *testing.T) {
	is := is.New(t)
	arrived := make(chan bool)
	wait := func(after int) {
		if after == 1000 {
			<-arrived
		}
	}
	resp, err := http.Get(serveOrders(t, nil, wait, orders(1, 1000, "Ada"), orders(1001, 1, "Bob")))
	is.NoErr(err)
	defer resp.Body.Close()
	rows := csv.NewReader(resp.Body)
	for range 10 {
		_, err := rows.Read()
		is.NoErr(err)
	}
	close(arrived)
	rest, err := rows.ReadAll()
	is.NoErr(err)
	is.Equal(rest[len(rest)-1], []string{"1001", "Bob", "0"})
}

func TestDownloadFails(t *testing.T) {
	broken := errors.New("the database has gone")
	t.Run("at once", func(t *testing.T) {
		is := is.New(t)
		resp, err := http.Get(serveOrders(t, broken, func(int) {}))
		is.NoErr(err)
		defer resp.Body.Close()
		is.Equal(resp.StatusCode, 500)
		is.Equal(resp.Header.Get("Content-Disposition"), "")
		text, err := io.ReadAll(resp.Body)
		is.NoErr(err)
		is.True(!strings.Contains(string(text), "database"))
	})
	for _, n := range []int{1, 1000} { // less than is sent at once, and more
		t.Run(fmt.Sprintf("after %d", n), func(t *testing.T) {
			is := is.New(t)
			resp, err := http.Get(serveOrders(t, broken, func(int) {}, orders(1, n, "Ada")))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			is.True(err != nil) // the file does not look complete
		})
	}
}
