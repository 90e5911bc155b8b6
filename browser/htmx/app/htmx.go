package app

import "example.com/flow"

// pageOrPart answers with a page, or with one block of it if htmx asks for a part.
func pageOrPart(req *flow.Request, page flow.Response, block string) flow.Response {
	if wantsPart(req) {
		page = page.Block(block)
	}
	return page.Header("Vary", "HX-Request, HX-Boosted, HX-History-Restore-Request, HX-Request-Type")
}

// wantsPart reports whether htmx asks for a part of a page. It needs the page for a boosted
// link, for a step back in the history, and with hx-select, as htmx 4 says in its last field.
func wantsPart(req *flow.Request) bool {
	h := req.Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") == "" &&
		h.Get("HX-History-Restore-Request") == "" && h.Get("HX-Request-Type") != "full"
}
