package export

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
)

// local matches a URL that leads to the machine of whoever opens it.
const local = `https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]+)?(?:[/?#][^\s<>"\\]*)?`

var (
	localURL = regexp.MustCompile(`(?i)^\s*(` + local + `)\s*$`)
	// localIn finds one in JSON, where it is a whole string, and in robots.txt.
	localIn = regexp.MustCompile(`(?im)"(` + local + `)"|^sitemap:[ \t]*(` + local + `)[ \t\r]*$`)
)

// isLocal returns why a link to a URL on this machine is wrong, or "".
func isLocal(url string) string {
	if !localURL.MatchString(url) {
		return ""
	}
	return url + " leads to this machine: have the application write its public URL"
}

// localFaults returns the fault of the first URL in an answer, which is no page, that leads to this machine.
// Text about such a URL, as in a post of a feed, is none.
func (c *crawl) localFaults(r *resource) ([]fault.Fault, error) {
	t := mediaType(r.answer.header.Get("Content-Type"))
	isXML := strings.HasSuffix(t, "/xml") || strings.HasSuffix(t, "+xml")
	if !isXML && !strings.HasSuffix(t, "json") && r.path != "/robots.txt" {
		return nil, nil
	}
	body, err := c.store.body(r.answer)
	if err != nil {
		return nil, err
	}
	url, at := "", 0
	if isXML {
		url, at = localInXML(body)
	} else if m := localIn.FindSubmatchIndex(body); m != nil {
		begin, end := max(m[2], m[4]), max(m[3], m[5])
		url, at = string(body[begin:end]), begin
	}
	if url == "" {
		return nil, nil
	}
	line, column := markup.Position(string(body), at)
	return []fault.Fault{c.faultAt(place{page: r, line: line, column: column}, 0, isLocal(url))}, nil
}

// localInXML returns the first attribute or text of an element that is a URL on this machine, with the
// offset of its element's tag or of the text.
func localInXML(body []byte) (url string, at int) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	isHTML := false
	for {
		at := int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			return "", 0
		}
		switch token := token.(type) {
		case xml.StartElement:
			isHTML = token.Name.Space == "http://www.w3.org/1999/xhtml"
			for _, a := range token.Attr {
				if m := localURL.FindStringSubmatch(a.Value); m != nil {
					return m[1], at
				}
			}
		case xml.CharData:
			if m := localURL.FindSubmatch(token); m != nil && !isHTML {
				return string(m[1]), at
			}
		}
	}
}
