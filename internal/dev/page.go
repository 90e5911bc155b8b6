package dev

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/devpage"
)

// notForPages are headers that a handler does not see of a navigation. A page that is
// compressed could not be added to. One that is not sent again, since the browser has it
// still, would have the script with a state of long ago.
var notForPages = []string{"Accept-Encoding", "If-None-Match", "If-Modified-Since"}

// isNavigation reports whether the answer to a request becomes a document of the browser,
// if it is HTML. Browsers say so. Of other clients, and of browsers that do not, one that
// asks for HTML, and for no fragment of it, is taken for one that does. Who asks for a part
// goes on with a download.
func isNavigation(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodPost || r.Header.Get("Range") != "" {
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
// everything on at once, so that a page that comes piece by piece still does, but for the
// first bytes of an answer without a media type: they tell it, and net/http keeps them, too.
//
// It has no ReadFrom, since it has to see the first bytes.
type pageWriter struct {
	http.ResponseWriter
	request  *http.Request
	state    string      // of the hub, before the page was rendered
	decided  bool        // the header is as it is sent
	pending  int         // a status that waits for the first bytes, which tell the media type
	said     http.Header // the header as it was with that status: what is set later is not sent
	held     []byte      // the first bytes
	script   string      // "" if the answer is no page
	promised int64       // the Content-Length of a page, -1 if it has none
	written  int64
}

// sniffed is how many bytes tell the media type.
const sniffed = 512

// A hijackWriter is a pageWriter of a connection that a handler can take over.
type hijackWriter struct{ *pageWriter }

// Hijack hands over the connection, and with it all that is sent.
func (p hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if p.pending != 0 {
		p.settle()
	}
	conn, rw, err := p.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		p.decided, p.script = true, ""
	}
	return conn, rw, err
}

// writer returns p, as something that can be hijacked if what it writes to can.
func (p *pageWriter) writer() http.ResponseWriter {
	if _, ok := p.ResponseWriter.(http.Hijacker); ok {
		return hijackWriter{p}
	}
	return p
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
	if p.promised = lengthOf(h); p.promised >= 0 {
		h.Set("Content-Length", strconv.FormatInt(p.promised+int64(len(p.script)), 10))
	}
}

// lengthOf returns the Content-Length, or -1.
func lengthOf(h http.Header) int64 {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
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
	case status >= 200 && status <= 599 && p.waits(status):
		p.pending, p.said = status, p.Header().Clone()
		return
	case p.pending != 0:
		p.settle()
	case status >= 200 || status == http.StatusSwitchingProtocols:
		p.decide(status)
	}
	p.ResponseWriter.WriteHeader(status)
}

// waits reports whether the first bytes will tell the media type, by the rules of net/http.
func (p *pageWriter) waits(status int) bool {
	if p.decided || p.pending != 0 || status == http.StatusNoContent || status == http.StatusNotModified {
		return false
	}
	h := p.Header()
	_, said := h["Content-Type"]
	return !said && h.Get("Content-Encoding") == "" && h.Get("Transfer-Encoding") == ""
}

// settle sends the header, and what was held, if they are not sent.
func (p *pageWriter) settle() error {
	if p.pending == 0 {
		p.decide(http.StatusOK)
		return nil
	}
	h, status, held := p.Header(), p.pending, p.held
	p.pending, p.held = 0, nil
	late := h.Clone()
	clear(h)
	maps.Copy(h, p.said)
	if mediaType := http.DetectContentType(held); mediaType == devpage.ContentType { // others are left to the server
		h.Set("Content-Type", mediaType)
	}
	p.decide(status)
	p.ResponseWriter.WriteHeader(status)
	for key, values := range late { // trailers
		if !slices.Equal(values, p.said[key]) {
			h[key] = values
		}
	}
	if len(held) == 0 {
		return nil
	}
	_, err := p.send(held)
	return err
}

// Write sends a piece of the page.
func (p *pageWriter) Write(b []byte) (int, error) {
	if len(b) > 0 && p.waits(http.StatusOK) {
		p.pending, p.said = http.StatusOK, p.Header().Clone()
	}
	if p.pending == 0 {
		p.settle()
		return p.send(b)
	}
	if n := lengthOf(p.said); n >= 0 && int64(len(p.held)+len(b)) > n {
		return 0, http.ErrContentLength
	}
	if p.held = append(p.held, b...); len(p.held) >= sniffed {
		if err := p.settle(); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// send sends a piece on, after the header.
func (p *pageWriter) send(b []byte) (int, error) {
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
	if err := p.settle(); err != nil {
		return err
	}
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Flush is FlushError for those who do not ask for the error.
func (p *pageWriter) Flush() { p.FlushError() }

// finish puts the script behind a page that is complete.
func (p *pageWriter) finish() {
	p.settle() // if nothing was written, or little
	if p.script == "" || p.promised >= 0 && p.written < p.promised {
		return // a page that is shorter than it says must not look whole
	}
	io.WriteString(p.ResponseWriter, p.script)
}
