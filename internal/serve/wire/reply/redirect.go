package reply

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Redirect returns the status of a redirect and its Location field. If status is 0, it is
// 302 for GET and HEAD, and 303 for other methods.
func Redirect(method string, status int, target string) (int, Field, error) {
	if err := checkRedirect(target); err != nil {
		return 0, Field{}, err
	}
	switch {
	case status == 0 && (method == http.MethodGet || method == http.MethodHead):
		status = http.StatusFound
	case status == 0:
		status = http.StatusSeeOther
	}
	switch status {
	case http.StatusCreated, http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound,
		http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return 0, Field{}, fmt.Errorf("flow: a redirect has the status %d, which redirects nobody", status)
	}
	return status, Field{Key: "Location", Value: escapeURL(target)}, nil
}

// checkRedirect returns an error unless target is a path that begins with "/", or an http or
// https URL. It refuses paths that a browser would read as a URL with a host, so that a path
// from a request cannot lead elsewhere: browsers read "/\" as "//" and skip control characters.
func checkRedirect(target string) error {
	if strings.ContainsFunc(target, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return &RedirectError{target, holdsControls}
	}
	if strings.HasPrefix(target, "/") {
		if strings.HasPrefix(target, "//") || strings.HasPrefix(target, `/\`) {
			return &RedirectError{target, leaves}
		}
		return nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(target, `\`) {
		return &RedirectError{target, leadsNowhere}
	}
	return nil
}

// A RedirectError is the error of a target that Redirect refuses. The target often comes
// from a request.
type RedirectError struct {
	Target string
	Why    uint32 // a bit for each reason
}

// The reasons why a redirect is refused: see RedirectError.Error.
const (
	holdsControls uint32 = 1 << iota
	leaves
	leadsNowhere
)

// Error says why the redirect is refused, with the beginning of the target.
func (e *RedirectError) Error() string {
	why := "holds control characters"
	switch e.Why {
	case leaves:
		why = "would leave for another host"
	case leadsNowhere:
		why = `is neither a path from "/" nor an http or https URL`
	}
	return fmt.Sprintf("flow: a redirect to %.200q %s", e.Target, why)
}

// escapeURL percent-encodes the bytes that a header cannot hold.
func escapeURL(target string) string {
	var b strings.Builder
	for _, c := range []byte(target) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
