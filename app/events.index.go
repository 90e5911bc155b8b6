package app

import (
	"crypto/rand"

	"example.com/flow"
)

func init() { flow.GET().Name("events").Do(showEvents) }

// eventsPage renders the page, whose data is the nonce of its script.
var eventsPage = flow.PageOf[string]()

// showEvents answers with the page, and allows its script to run.
func showEvents(*flow.Request) flow.Response {
	nonce := rand.Text()
	return eventsPage(nonce).Header("Content-Security-Policy", scriptPolicy(nonce))
}
