package ecosystem_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/matryer/is"

	"example.com/flow"
)

// TestGorillaWebSocket is for a library that asks the ResponseWriter itself for
// http.Hijacker, and unwraps nothing.
func TestGorillaWebSocket(t *testing.T) {
	for name, use := range map[string][]any{"no middleware": nil, "standard middleware": wrappers()} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			closed := make(chan error, 1)
			r := flow.New(fstest.MapFS{"router/rooms/[room].http": {}})
			r.Use(use...)
			r.At("rooms/[room]").GET().Do(func(w http.ResponseWriter, r *http.Request) {
				conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
				if err != nil {
					return // Upgrade has answered
				}
				defer conn.Close()
				for {
					kind, message, err := conn.ReadMessage()
					if err != nil {
						closed <- err
						return
					}
					if err := conn.WriteMessage(kind, append([]byte(r.PathValue("room")+": "), message...)); err != nil {
						return
					}
				}
			})
			is.NoErr(r.Check())

			conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(visit(t, r).url, "http", "ws", 1)+"/rooms/lobby", nil)
			is.NoErr(err)
			defer conn.Close()
			deadline := time.Now().Add(patience)
			is.NoErr(conn.SetReadDeadline(deadline))
			is.NoErr(conn.WriteMessage(websocket.TextMessage, []byte("hello")))
			_, answer, err := conn.ReadMessage()
			is.NoErr(err)
			is.Equal(string(answer), "lobby: hello")
			bye := websocket.FormatCloseMessage(websocket.CloseGoingAway, "bye")
			is.NoErr(conn.WriteControl(websocket.CloseMessage, bye, deadline))
			is.True(websocket.IsCloseError(receive(t, closed), websocket.CloseGoingAway))
		})
	}
}
