package livereload

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

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/serve/wire/accept"
)

// notForPages are the headers of a navigation that are removed before the handler runs.
// Nothing could be appended to a compressed page. A page that the browser takes from its
// cache would have the script with an old state.
var notForPages = []string{"Accept-Encoding", "If-None-Match", "If-Modified-Since"}

// isNavigation reports whether a browser shows the answer as a document, if it is HTML.
// Browsers say so in Sec-Fetch-Dest. Without that header, a request is a navigation if Accept
// names text/html and no header says that a script asks for a fragment. A request with Range
// continues a download.
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

// A pageWriter appends the script to an answer that is a page. It passes on all writes at
// once, so that a page may still be streamed. Only if the answer has no Content-Type, it
// holds back the first 512 bytes, as net/http does, to detect the media type.
//
// It has no ReadFrom, since it must see the first bytes.
type pageWriter struct {
	http.ResponseWriter
	request  *http.Request
	state    string      // of the Hub, from before the page was rendered
	decided  bool        // decide has run: it is known whether the answer is a page
	pending  int         // the status, while it waits for the first bytes; else 0
	said     http.Header // the header at the call of WriteHeader; later changes are not sent
	held     []byte      // the first bytes, while the status is pending
	script   string      // "" if the answer is not a page
	promised int64       // the Content-Length of the page without the script, -1 if it has none
	written  int64
}

// sniffed is the number of bytes from which net/http detects the media type.
const sniffed = 512

// A hijackWriter is a pageWriter whose connection can be hijacked.
type hijackWriter struct{ *pageWriter }

// Hijack hijacks the connection. Nothing is appended then.
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

// writer returns p, with a method Hijack if the underlying writer has one.
func (p *pageWriter) writer() http.ResponseWriter {
	if _, ok := p.ResponseWriter.(http.Hijacker); ok {
		return hijackWriter{p}
	}
	return p
}

// Unwrap is for http.ResponseController.
func (p *pageWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// decide decides whether the answer is a page, and changes the header if it is. It is called
// before the header is sent.
func (p *pageWriter) decide(status int) {
	if p.decided {
		return
	}
	p.decided = true
	h := p.Header()
	if !isPage(status, h) {
		return
	}
	// These are about the page without the script.
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

// isPage reports whether an answer with this status and header is a whole HTML document that
// a browser shows.
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

// scriptTag returns the HTML that is appended to a page.
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

// origin returns the origin of a request's URL.
func origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// WriteHeader sends the header, unless it waits for the first bytes. Informational responses
// are sent at once.
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

// waits reports whether the media type is detected from the first bytes, by the rules of
// net/http.
func (p *pageWriter) waits(status int) bool {
	if p.decided || p.pending != 0 || status == http.StatusNoContent || status == http.StatusNotModified {
		return false
	}
	h := p.Header()
	_, said := h["Content-Type"]
	return !said && h.Get("Content-Encoding") == "" && h.Get("Transfer-Encoding") == ""
}

// settle sends the header and the bytes that were held back, unless it has done so.
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
	if mediaType := http.DetectContentType(held); mediaType == devpage.ContentType { // the server detects other types
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

// Write writes a part of the answer.
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

// send passes on a part of the answer. The header has been sent.
func (p *pageWriter) send(b []byte) (int, error) {
	if p.script != "" && p.promised >= 0 && p.written+int64(len(b)) > p.promised {
		return 0, http.ErrContentLength // the remaining bytes of the Content-Length are those of the script
	}
	n, err := p.ResponseWriter.Write(b)
	p.written += int64(n)
	return n, err
}

// WriteString is Write of a string.
func (p *pageWriter) WriteString(s string) (int, error) { return p.Write([]byte(s)) }

// FlushError sends all that was written. http.ResponseController calls it in place of Flush.
func (p *pageWriter) FlushError() error {
	if err := p.settle(); err != nil {
		return err
	}
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Flush implements http.Flusher.
func (p *pageWriter) Flush() { p.FlushError() }

// finish appends the script to a complete page. It does nothing for a nil pageWriter.
func (p *pageWriter) finish() {
	if p == nil {
		return
	}
	p.settle() // the header may not be sent yet
	if p.script == "" || p.promised >= 0 && p.written < p.promised {
		return // the script must not fill up a page that is shorter than its Content-Length
	}
	io.WriteString(p.ResponseWriter, p.script)
}
