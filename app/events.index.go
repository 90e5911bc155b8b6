package app

import (
	"crypto/rand"

	"example.com/flow"
)

func init() { flow.GET().Name("events").Do(showEvents) }

// showEvents lets the page run the one script that knows the nonce.
func showEvents(*flow.Request) flow.Response {
	nonce := rand.Text()
	return flow.Page(nonce).Header("Content-Security-Policy", scriptPolicy(nonce))
}
