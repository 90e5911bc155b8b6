package app

import "example.com/flow"

func init() { flow.GET().Name("inbox").Do(showInbox) }

var inboxPage = flow.PageOf[[]string]()

func showInbox(req *flow.Request) flow.Response {
	answer := inboxPage([]string{"a mail for " + flow.UserOf[*member](req).Name})
	if req.Header.Get("HX-Request") == "true" && req.Header.Get("HX-Boosted") == "" {
		answer = answer.Block("mails")
	}
	return answer.Header("Vary", "HX-Request, HX-Boosted")
}
