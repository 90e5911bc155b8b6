package ecosystem_test

import (
	"context"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/coder/websocket"
	"github.com/matryer/is"

	"example.com/flow"
)

// echo sends back what it gets, until the client closes. It then reports how.
func echo(closed chan<- websocket.StatusCode) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // Accept has answered
		}
		defer conn.CloseNow()
		for {
			kind, message, err := conn.Read(r.Context())
			if err != nil {
				closed <- websocket.CloseStatus(err)
				return
			}
			if err := conn.Write(r.Context(), kind, append([]byte(r.PathValue("room")+": "), message...)); err != nil {
				return
			}
		}
	}
}

func TestWebSocket(t *testing.T) {
	pass := func(*flow.Request) flow.Response { return flow.Next() }
	for _, tt := range []struct {
		name string
		use  []any
	}{
		{"no middleware", nil},
		{"guard", []any{pass}},
		{"standard middleware", wrappers()},
		{"both", append(wrappers(), pass)},
	} {
		for form, handler := range map[string]func(h http.HandlerFunc) any{
			"handler": func(h http.HandlerFunc) any { return h },
			"flow.Handler": func(h http.HandlerFunc) any {
				return func(*flow.Request) flow.Response { return flow.Handler(h) }
			},
		} {
			t.Run(tt.name+"/"+form, func(t *testing.T) {
				is := is.New(t)
				closed := make(chan websocket.StatusCode, 1)
				r := flow.New(fstest.MapFS{"router/rooms/[room].http": {}})
				r.Use(tt.use...)
				r.At("rooms/[room]").GET().Do(handler(echo(closed)))
				is.NoErr(r.Check())

				conn := dial(t, visit(t, r), "/rooms/lobby")
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				for _, message := range []string{"hello", "again"} {
					is.NoErr(conn.Write(ctx, websocket.MessageText, []byte(message)))
					_, answer, err := conn.Read(ctx)
					is.NoErr(err)
					is.Equal(string(answer), "lobby: "+message)
				}
				is.NoErr(conn.Close(websocket.StatusGoingAway, "bye"))
				is.Equal(receive(t, closed), websocket.StatusGoingAway)
			})
		}
	}
}

func TestWebSocketIsRefused(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/open.http": {}, "router/guarded.http": {}})
	r.Logger = quiet
	r.At("open").GET().Do(echo(nil))
	r.At("guarded").GET().Use(func(*flow.Request) flow.Response { return flow.Fail(401, "") }).Do(echo(nil))
	is.NoErr(r.Check())
	v := visit(t, r)
	for _, tt := range []struct {
		path, origin string
		status       int
	}{
		{"/guarded", "", 401},
		{"/nowhere", "", 404},
		{"/open", stranger, 403}, // by the library: a handshake is a GET, which CrossOrigin lets pass
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			header := http.Header{}
			if tt.origin != "" {
				header.Set("Origin", tt.origin)
			}
			_, resp, err := websocket.Dial(ctx, v.url+tt.path, &websocket.DialOptions{HTTPHeader: header})
			is.True(err != nil)
			is.Equal(resp.StatusCode, tt.status)
		})
	}
	is.Equal(v.ask(t, "GET", "/open").StatusCode, http.StatusUpgradeRequired)
}

// dial opens a WebSocket, closed at the latest when the test ends.
func dial(t *testing.T, v *visitor, path string) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, v.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return conn
}
