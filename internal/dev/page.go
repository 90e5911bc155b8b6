package dev

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"example.com/flow/internal/accept"
)

// notForPages are headers that a handler does not see of a navigation. A page that is
// compressed could not be added to. One that is not sent again, since the browser has it
// still, would have the script with a state of long ago; and a part of a page has no end.
var notForPages = []string{"Accept-Encoding", "If-None-Match", "If-Modified-Since", "If-Range", "Range"}

// isNavigation reports whether the answer to a request becomes a document of the browser,
// if it is HTML. Browsers say so. Of other clients, and of browsers that do not, one that
// asks for HTML, and for no fragment of it, is taken for one that does.
func isNavigation(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document", "iframe", "frame":
		return true
	case "":
		return r.Header.Get("HX-Request") == "" && r.Header.Get("X-Requested-With") == "" && namesHTML(r)
	}
	return false
}

// namesHTML reports whether the header Accept names text/html.
func namesHTML(r *http.Request) bool {
	for item := range accept.Items(r.Header["Accept"]) {
		name, _, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return true
		}
	}
	return false
}

// A pageWriter puts the script at the end of what is written, if that is a page. It sends
// everything on at once, so that a page that comes piece by piece still does.
//
// It has no ReadFrom, since it has to see the first bytes, and no Hijack: for that there is
// Unwrap, and who asks for it is no navigation.
type pageWriter struct {
	http.ResponseWriter
	request  *http.Request
	state    string // of the hub, before the page was rendered
	decided  bool   // the header is as it is sent
	pending  int    // a status that waits for the first bytes, which tell the media type
	script   string // "" if the answer is no page
	promised int64  // the Content-Length of a page, -1 if it has none
	written  int64
}

// Unwrap is for http.ResponseController.
func (p *pageWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// decide is called before the header is sent.
func (p *pageWriter) decide(status int) {
	if p.decided {
		return
	}
	p.decided = true
	h := p.Header()
	if !isPage(status, h) {
		return
	}
	// The page that is sent is another one than the one that these are about.
	h.Del("Etag")
	h.Del("Last-Modified")
	h.Del("Accept-Ranges")
	p.script = scriptTag(p.state, p.request.Method == http.MethodPost, allow(h, origin(p.request)))
	p.promised = -1
	if n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		p.promised = n
		h.Set("Content-Length", strconv.FormatInt(n+int64(len(p.script)), 10))
	}
}

// isPage reports whether an answer with this header is a whole HTML document to be shown.
func isPage(status int, h http.Header) bool {
	switch status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusPartialContent, http.StatusNotModified:
		return false
	}
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	disposition, _, _ := strings.Cut(h.Get("Content-Disposition"), ";")
	encoding := h.Get("Content-Encoding")
	return err == nil && mediaType == "text/html" && (encoding == "" || encoding == "identity") &&
		!strings.EqualFold(strings.TrimSpace(disposition), "attachment")
}

// scriptTag returns what stands at the end of a page.
func scriptTag(state string, post bool, nonce string) string {
	tag := fmt.Sprintf(`<script src="%s/reload.js" data-state="%s"`, Prefix, state)
	if post {
		tag += ` data-post`
	}
	if nonce != "" {
		tag += ` nonce="` + html.EscapeString(nonce) + `"`
	}
	return tag + " defer></script>\n"
}

func origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// WriteHeader sends the header. Informational answers are sent before it.
func (p *pageWriter) WriteHeader(status int) {
	switch {
	case status >= 200 && status <= 599 && !p.decided && p.pending == 0 && p.sniffs():
		p.pending = status
		return
	case p.pending != 0:
		p.settle()
	case status >= 200 || status == http.StatusSwitchingProtocols:
		p.decide(status)
	}
	p.ResponseWriter.WriteHeader(status)
}

// sniffs reports whether the first bytes tell the media type, since the handler does not.
func (p *pageWriter) sniffs() bool {
	_, said := p.Header()["Content-Type"]
	return !said && p.Header().Get("Content-Encoding") == ""
}

// settle sends the header, if it is not sent.
func (p *pageWriter) settle() {
	p.decide(cmp.Or(p.pending, http.StatusOK))
	if p.pending != 0 {
		p.ResponseWriter.WriteHeader(p.pending)
		p.pending = 0
	}
}

// Write sends a piece of the page.
func (p *pageWriter) Write(b []byte) (int, error) {
	if !p.decided && len(b) > 0 && p.sniffs() {
		p.Header().Set("Content-Type", http.DetectContentType(b))
	}
	p.settle()
	if p.script != "" && p.promised >= 0 && p.written+int64(len(b)) > p.promised {
		return 0, http.ErrContentLength // the place behind it is that of the script
	}
	n, err := p.ResponseWriter.Write(b)
	p.written += int64(n)
	return n, err
}

// WriteString is Write of a string.
func (p *pageWriter) WriteString(s string) (int, error) { return p.Write([]byte(s)) }

// FlushError sends what was written so far. http.ResponseController prefers it to Flush.
func (p *pageWriter) FlushError() error {
	p.settle()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Flush is FlushError for those who do not ask for the error.
func (p *pageWriter) Flush() { p.FlushError() }

// finish puts the script behind a page that is complete.
func (p *pageWriter) finish() {
	p.settle() // if nothing was written
	if p.script == "" || p.promised >= 0 && p.written < p.promised {
		return // a page that is shorter than it says must not look whole
	}
	io.WriteString(p.ResponseWriter, p.script)
}
