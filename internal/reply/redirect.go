package reply

import (
	"fmt"
	"net/url"
	"strings"
)

// CheckRedirect returns an error for a target that is neither a path from "/" nor an
// http or https URL. A target that it takes does not lead a browser to a host that the
// program did not write: browsers read "/\" as "//" and skip control characters.
func CheckRedirect(target string) error {
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

// A RedirectError is a redirect that is refused. Its target often comes from a request.
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

// EscapeURL escapes what a header cannot hold.
func EscapeURL(target string) string {
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
