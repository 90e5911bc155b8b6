package csp

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Nonce is what stands for the nonce in the policy of an application.
const Nonce = "'nonce'"

// Placeholder is the nonce that pages have which are rendered once. Page removes it.
const Placeholder = "FlowNonceOfAPageThatIsRenderedOnce"

// The directives in which a nonce or a hash has a meaning: those for scripts, and those for
// styles.
var (
	forScripts = []string{"script-src", "script-src-elem", "default-src"}
	forStyles  = []string{"style-src", "style-src-elem", "default-src"}
)

// A Template is the policy of an application. It does not change.
type Template struct {
	policy Policy
	pieces []string // of the text, between the places of the nonce
}

// NewTemplate parses the policy of an application. It returns what is wrong with the policy,
// which browsers would pass over in silence.
func NewTemplate(text string) (t *Template, problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if i := strings.IndexFunc(text, func(c rune) bool { return c < ' ' || c > '~' }); i >= 0 {
		problem("it has the character %q: a policy is one line of ASCII", []rune(text[i:])[0])
		return &Template{Parse(text), strings.Split(text, Nonce)}, problems
	}
	if strings.Contains(text, ",") {
		problem("it has a comma, which ends the policy: directives end in a semicolon, and sources are separated by spaces")
	}
	seen := map[string]bool{}
	for _, d := range directives(text) {
		if i := strings.IndexFunc(d.Name, func(c rune) bool { return c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') }); i >= 0 {
			problem("%q is no name of a directive: write it as in script-src 'self'", d.Name)
		}
		if seen[d.Name] {
			problem("%s is there twice, and browsers ignore the second one", d.Name)
		}
		seen[d.Name] = true
		for _, source := range d.Sources {
			switch lower := strings.ToLower(source); {
			case source == Nonce && !slices.Contains(forScripts, d.Name) && !slices.Contains(forStyles, d.Name):
				problem("%s has %s, which allows scripts and styles only: write it in script-src or style-src", d.Name, Nonce)
			case strings.HasPrefix(lower, "'nonce-"):
				problem("%s has the nonce %s, which would be the same in each answer: write %s, and each answer has its own", d.Name, source, Nonce)
			case source != Nonce && strings.Trim(lower, "'") == "nonce":
				problem("%s has %s: write %s", d.Name, source, Nonce)
			}
		}
	}
	if len(seen) == 0 {
		problem("it has no directive")
	}
	return &Template{Parse(text), strings.Split(text, Nonce)}, problems
}

// Policy returns the directives of the policy, with 'nonce' where a nonce or hashes stand in answers.
// It is nil if t is.
func (t *Template) Policy() Policy {
	if t == nil {
		return nil
	}
	return t.policy
}

// HasNonce reports whether the policy has a nonce.
func (t *Template) HasNonce() bool { return len(t.pieces) > 1 }

// WhyNoNonce returns why there is no nonce in a Router with this policy, which may be nil, for the fault of a
// template that asks for it. It returns "" if there is one.
func (t *Template) WhyNoNonce() string {
	switch {
	case t == nil:
		return "set Router.ContentSecurityPolicy, with 'nonce' in script-src or style-src"
	case !t.HasNonce():
		return "Router.ContentSecurityPolicy has no 'nonce': write it in script-src or style-src"
	}
	return ""
}

// WithNonce returns the policy with a nonce.
func (t *Template) WithNonce(nonce string) string {
	if !t.HasNonce() {
		return t.pieces[0]
	}
	return strings.Join(t.pieces, "'nonce-"+nonce+"'")
}

// Page returns a page that was rendered with the nonce Placeholder, and that is sent to
// everybody, with its policy. That has the hashes of the inline scripts and styles in place of
// the nonce, which Page removes from them. Page reports false if the nonce stands elsewhere,
// as in a script of a file: then no hash can replace it. The page that it returns is a copy.
func (t *Template) Page(html []byte) (page []byte, policy string, ok bool) {
	return t.hashed(html, Placeholder, true)
}

// PageOf is Page for a page that was rendered with a nonce of its own, and that has to be the same for
// everybody now. It allows only the inline scripts and styles that have the nonce, as the nonce did: an
// application may count on it that no other one runs.
func (t *Template) PageOf(html []byte, nonce string) (page []byte, policy string, ok bool) {
	return t.hashed(html, nonce, false)
}

// hashed is Page and PageOf. all says that scripts and styles without the nonce are allowed, too.
func (t *Template) hashed(html []byte, nonce string, all bool) (page []byte, policy string, ok bool) {
	var scripts, styles []string
	places := 0
	for _, e := range elements(string(html)) {
		if e.external {
			continue
		}
		if e.nonce == nonce {
			places++
		} else if !all {
			continue
		}
		hash := HashSource(e.text)
		if e.name == "script" {
			scripts = append(scripts, hash)
		} else {
			styles = append(styles, hash)
		}
	}
	if bytes.Count(html, []byte(nonce)) != places {
		return nil, "", false
	}
	return bytes.ReplaceAll(html, []byte(nonce), nil), t.withHashes(scripts, styles).String(), true
}

// HashSource returns the source that allows an inline script or style, given the text between its tags.
func HashSource(text string) string {
	sum := sha256.Sum256([]byte(Normalized(text)))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Normalized returns the text of a script or style as browsers hash it: after they have parsed the HTML,
// which makes every line end LF.
func Normalized(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(text)
}

// withHashes returns the policy with the hashes of scripts and styles in place of the nonce. A
// directive that has no source left allows nothing.
func (t *Template) withHashes(scripts, styles []string) (p Policy) {
	for _, d := range t.policy {
		var sources []string
		add := func(more ...string) {
			for _, s := range more {
				if !slices.Contains(sources, s) {
					sources = append(sources, s)
				}
			}
		}
		for _, source := range d.Sources {
			if source != Nonce {
				add(source)
				continue
			}
			if slices.Contains(forScripts, d.Name) {
				add(scripts...)
			}
			if slices.Contains(forStyles, d.Name) {
				add(styles...)
			}
		}
		if len(sources) == 0 && slices.Contains(d.Sources, Nonce) {
			add("'none'")
		}
		p = append(p, Directive{d.Name, sources})
	}
	return p
}
