package pattern

import (
	"fmt"
	"net/netip"
	"strings"
)

// PlainHost returns the host of a request as a name of flow.Hosts: in lower case, without a port.
func PlainHost(host string) string {
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.Contains(host[colon:], "]") {
		host = host[:colon]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// CheckHost returns why no request has a host of this name, or "".
func CheckHost(name string) string {
	plain := PlainHost(name)
	if ip, err := netip.ParseAddr(name); err == nil && ip.Is6() {
		plain = "[" + name + "]"
	}
	switch {
	case strings.Contains(name, "*"):
		return `a name stands for one host: write "" for all others`
	case strings.ContainsAny(name, "/ "):
		return `this is no host: write its name alone, such as "example.com"`
	case strings.ContainsFunc(name, func(c rune) bool { return c > 127 }):
		return `browsers send the name of the host in ASCII: write it in that form, which begins with "xn--"`
	case plain != name:
		return fmt.Sprintf("no host is compared with this name: write %q", plain)
	}
	return ""
}
