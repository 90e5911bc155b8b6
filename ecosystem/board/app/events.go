package app

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("events").Do(a.events) })
}

func (a *App) events(req *flow.Request) (flow.Response, error) {
	// The browser sends the id of its last event when it connects again, to whatever
	// process. The page has the id of the last post that it shows.
	last := req.Header.Get("Last-Event-ID")
	if last == "" {
		last = req.Input("after")
	}
	after, err := strconv.ParseInt(last, 10, 64)
	if err != nil {
		return flow.Response{}, flow.Error(400, "after is a number")
	}
	return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			a.stream(w, r, after)
		}
	})).Header("Content-Type", "text/event-stream").Header("Cache-Control", "no-store"), nil
}

// stream sends what is new until the client leaves or the server stops, both of which end
// the context of the request.
func (a *App) stream(w http.ResponseWriter, r *http.Request, after int64) {
	rc := http.NewResponseController(w)
	heartbeat := time.NewTicker(20 * time.Second) // a proxy may end a silent connection
	defer heartbeat.Stop()
	fmt.Fprint(w, ":\n\n") // so that the browser knows that it is connected
	for {
		rung := a.Bell.Wait() // before the look into the database
		posts, err := a.Store.After(r.Context(), after)
		for _, p := range posts {
			text, _ := json.Marshal(p.Text) // a string has no error
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", p.ID, text)
			after = p.ID
		}
		if rc.Flush() != nil || err != nil && r.Context().Err() == nil {
			return // the client has left, or asks again later
		}
		if len(posts) > 0 {
			continue // there may be more than one query returns
		}
		select {
		case <-r.Context().Done():
			if flow.Draining(r.Context()) {
				// The browsers of this process come back, but not all at once.
				fmt.Fprintf(w, "retry: %d\n\n", 500+rand.IntN(4500))
			}
			return
		case <-rung:
		case <-heartbeat.C:
			fmt.Fprint(w, ":\n\n")
		}
	}
}
