package reply

import (
	"fmt"
	"net/url"
	"strings"
)

// CheckRedirect returns an error for what is no path from "/" and no http or https URL: it lets through what cannot lead a browser to a host that the
// program did not write: browsers read "/\" as "//" and skip control characters.
func CheckRedirect(target string) error {
	if strings.ContainsFunc(target, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return fmt.Errorf("flow: a redirect to %q holds control characters", target)
	}
	if strings.HasPrefix(target, "/") {
		if strings.HasPrefix(target, "//") || strings.HasPrefix(target, `/\`) {
			return fmt.Errorf("flow: a redirect to %q would leave for another host: give a path or a whole URL", target)
		}
		return nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(target, `\`) {
		return fmt.Errorf("flow: a redirect to %q is neither a path from \"/\" nor an http or https URL", target)
	}
	return nil
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
