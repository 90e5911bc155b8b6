package app

import (
	"crypto/rand"

	"example.com/flow"
)

func init() { flow.GET().Name("events").Do(showEvents) }

// showEvents answers with the page, and allows its script to run.
func showEvents(*flow.Request) flow.Response {
	nonce := rand.Text()
	return flow.Page(nonce).Header("Content-Security-Policy", scriptPolicy(nonce))
}
