package events

import "github.com/nats-io/nats.go"

// Subscribe rings the bell for each message of posts, until the connection is closed. In
// place of NOTIFY, Publish tells the others.
func Subscribe(url string, bell *Bell) (*nats.Conn, error) {
	conn, err := nats.Connect(url,
		nats.MaxReconnects(-1),
		nats.ReconnectHandler(func(*nats.Conn) { bell.Ring() })) // for what was said meanwhile
	if err != nil {
		return nil, err
	}
	if _, err := conn.Subscribe("posts", func(*nats.Msg) { bell.Ring() }); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, conn.Flush() // the server knows of the subscription
}

// Publish tells all processes that there is something new. Call it after the commit.
func Publish(conn *nats.Conn) error { return conn.Publish("posts", nil) }
