package ecosystem_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// stream answers with server-sent events, each sent as soon as it happens, until
// there are no more or the client is gone. It then says why it ended.
func stream(events <-chan string, ended chan<- error) flow.Response {
	return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := http.NewResponseController(w)
		// A stream outlives the write timeout of a server that has one.
		if err := out.SetWriteDeadline(time.Time{}); err != nil {
			ended <- err
			return
		}
		for {
			select {
			case <-r.Context().Done():
				ended <- r.Context().Err()
				return
			case event, more := <-events:
				if !more {
					ended <- nil
					return
				}
				fmt.Fprintf(w, "data: %s\n\n", event)
				if err := out.Flush(); err != nil {
					ended <- err
					return
				}
			}
		}
	})).Header("Content-Type", "text/event-stream").Header("Cache-Control", "no-store")
}

func TestServerSentEvents(t *testing.T) {
	for protocol, visit := range map[string]func(*testing.T, http.Handler) *visitor{"HTTP/1.1": visit, "HTTP/2.0": visitTLS} {
		for name, use := range map[string][]any{"no middleware": nil, "standard middleware": wrappers()} {
			for _, leaves := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/client leaves: %v", protocol, name, leaves), func(t *testing.T) {
					is := is.New(t)
					events, ended := make(chan string, 1), make(chan error, 1)
					r := flow.New(fstest.MapFS{"router/news.http": {}})
					r.Use(use...)
					r.At("news").GET().Do(func(*flow.Request) flow.Response { return stream(events, ended) })
					is.NoErr(r.Check())
					v := visit(t, r)

					events <- "0" // the server sends the head with the first event
					ctx, leave := context.WithTimeout(t.Context(), patience)
					defer leave()
					req, err := http.NewRequestWithContext(ctx, "GET", v.url+"/news", nil)
					is.NoErr(err)
					resp, err := v.client.Do(req)
					is.NoErr(err)
					defer resp.Body.Close()
					is.Equal(resp.StatusCode, 200)
					is.Equal(resp.Proto, protocol)
					is.Equal(resp.Header.Get("Content-Type"), "text/event-stream")

					lines := bufio.NewScanner(resp.Body)
					for i := range 3 {
						if i > 0 {
							events <- fmt.Sprint(i) // not before the client has the one before
						}
						is.True(lines.Scan())
						is.Equal(lines.Text(), fmt.Sprintf("data: %d", i))
						is.True(lines.Scan())
						is.Equal(lines.Text(), "")
					}
					if leaves {
						leave()
						is.True(errors.Is(receive(t, ended), context.Canceled))
						return
					}
					close(events)
					is.NoErr(receive(t, ended))
					is.True(!lines.Scan())
					is.NoErr(lines.Err()) // the answer ended as a whole one
				})
			}
		}
	}
}
