package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("events.stream").Do(a.streamEvents) })
}

func (a *App) streamEvents(*flow.Request) flow.Response {
	return flow.Handler(http.HandlerFunc(a.stream)).
		Header("Content-Type", "text/event-stream").
		Header("Cache-Control", "no-store")
}

// An event is the data of one server-sent event.
type event struct {
	Time  string `json:"time"`
	Users int    `json:"users"`
}

// stream sends server-sent events until the client leaves or the server stops, both of
// which cancel the request's context. flow.Serve also ends the stream of a client that
// does not read.
func (a *App) stream(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return // an answer to HEAD has headers only
	}
	rc := http.NewResponseController(w)
	ticker := time.NewTicker(a.Tick)
	defer ticker.Stop()
	for id := 1; ; id++ {
		if err := a.sendEvent(w, rc, id); err != nil {
			return // the client has left
		}
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
	}
}

func (a *App) sendEvent(w http.ResponseWriter, rc *http.ResponseController, id int) error {
	data, err := json.Marshal(event{a.Now().UTC().Format(time.TimeOnly), a.Users.Count()})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "id: %d\nevent: tick\ndata: %s\n\n", id, data); err != nil {
		return err
	}
	return rc.Flush()
}
