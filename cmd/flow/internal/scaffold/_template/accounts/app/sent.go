package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *members) { f.GET().Name("sent").Do(a.showSent) })
}

// sentData is what the page shows who has asked for a mail. Without a mail server it says so:
// neither a newcomer nor who has forgotten SMTP_URL waits for one that never comes.
type sentData struct{ SendsMails bool }

func (a *members) showSent(*flow.Request) (sentData, error) {
	return sentData{a.Accounts.SendsMails()}, nil
}
