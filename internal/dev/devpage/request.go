package devpage

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// RequestData is the data of a request for the page of an error. Values are masked if their
// names are those of secrets: people share screenshots of such pages.
type RequestData struct {
	Method  string
	URL     string
	Pattern string // of the route; "" if no route matched, as are File and Handler
	File    string // the route file
	Handler Spot
	Groups  []Group
}

// A Group is one kind of values, such as the query.
type Group struct {
	Name   string
	Values []Value
}

// headerGroup is the name of the group of header fields.
const headerGroup = "Header"

// IsHeader reports whether the group is the header. The page shows it folded, since it is
// long.
func (g Group) IsHeader() bool { return g.Name == headerGroup }

// A Value is a value with its name.
type Value struct {
	Name, Text string
	Masked     bool // the value is secret, and Text is ""
}

// A Param is a route parameter.
type Param struct{ Name, Value string }

// Describe returns the data of a request. form has the data that was read from its body:
// values, lists of values and JSON objects, by name.
func Describe(r *http.Request, params []Param, form map[string]any) *RequestData {
	d := &RequestData{Method: r.Method, Pattern: r.Pattern, URL: cut(maskedURL(r.URL, params), maxURL)}
	var values []Value
	for _, p := range params {
		values = appendValue(values, p.Name, p.Value)
	}
	d.add("Route parameters", values)
	d.add("Query", flatten(r.URL.Query()))
	values = nil
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values = appendAny(values, name, form[name], 0)
	}
	d.add("Form", values)
	values = nil
	for _, c := range r.Cookies() {
		values = append(values, Value{Name: c.Name, Masked: true})
	}
	d.add("Cookies", values)
	header := r.Header.Clone()
	header.Del("Cookie")
	if header.Get("Host") == "" {
		header.Set("Host", r.Host)
	}
	for _, name := range []string{"Referer", "Hx-Current-Url"} {
		if page, err := url.Parse(header.Get(name)); err == nil && page.String() != "" {
			header.Set(name, maskedURL(page, params))
		}
	}
	d.add(headerGroup, flatten(header))
	return d
}

func (d *RequestData) add(name string, values []Value) {
	if len(values) > 0 {
		d.Groups = append(d.Groups, Group{name, values})
	}
}

func flatten(all map[string][]string) (values []Value) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, text := range all[name] {
			values = appendValue(values, name, text)
		}
	}
	return values
}

// The page shows at most maxURL bytes of the URL, maxValue bytes of each value, and maxValues
// values of a group.
const maxURL, maxValue, maxValues = 2000, 500, 200

func appendValue(values []Value, name, text string) []Value {
	switch {
	case len(values) == maxValues:
		return append(values, Value{Name: "…", Text: "and more"})
	case len(values) > maxValues:
		return values
	case isSecret(name):
		return append(values, Value{Name: cut(name, maxValue), Masked: true})
	case len(text) > maxValue:
		text = fmt.Sprintf("%s (%d bytes)", cut(text, maxValue), len(text))
	}
	return append(values, Value{Name: cut(name, maxValue), Text: text})
}

// appendAny appends a JSON value. The members of objects and lists have names such as
// "user.email" and "items.0". depth is the number of objects and lists around the value.
func appendAny(values []Value, name string, v any, depth int) []Value {
	if isSecret(name) || depth > 8 {
		return append(values, Value{Name: cut(name, maxValue), Masked: true})
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			values = appendAny(values, name+"."+key, v[key], depth+1)
		}
	case []any:
		for i, item := range v {
			values = appendAny(values, fmt.Sprint(name, ".", i), item, depth+1)
		}
	case []string:
		for _, item := range v {
			values = appendValue(values, name, item)
		}
	default:
		values = appendValue(values, name, fmt.Sprint(v))
	}
	return values
}

// A value is masked if its name contains one of secrets, or is one of exact.
var (
	secrets = []string{"password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "authoriz", "authent", "oauth", "cookie",
		"session", "apikey", "accesskey", "privatekey", "csrf", "xsrf", "credential", "signature", "nonce", "jwt", "bearer", "cardnumber", "creditcard"}
	exact = []string{"auth", "code", "key", "pass", "pin", "otp", "totp", "sid", "sig", "cvc", "cvv", "state", "iban", "ssn"}
)

// isSecret reports whether a name is that of a secret. It ignores case, hyphens, underscores
// and spaces: "api_key" contains apikey. For exact, only the part behind the last dot counts:
// "key" in "user.key".
func isSecret(name string) bool {
	name = strings.ToLower(name)
	last := name[strings.LastIndexByte(name, '.')+1:]
	name = strings.NewReplacer("-", "", "_", "", " ", "").Replace(name)
	return slices.Contains(exact, last) || slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(name, s) })
}

// mask replaces a secret in a URL.
const mask = "•••"

// maskedURL returns a URL in which secrets are masked, in the query and in route parameters.
// It leaves out the user and the fragment.
func maskedURL(u *url.URL, params []Param) string {
	path := u.EscapedPath()
	for _, p := range params {
		if isSecret(p.Name) && p.Value != "" {
			for _, text := range []string{url.PathEscape(p.Value), p.Value} {
				path = strings.ReplaceAll(path, text, mask)
			}
		}
	}
	var b strings.Builder
	if u.Host != "" {
		b.WriteString(u.Scheme + "://" + u.Host)
	}
	b.WriteString(path)
	for i, pair := range strings.Split(u.RawQuery, "&") {
		if u.RawQuery == "" {
			break
		}
		b.WriteString([]string{"?", "&"}[min(i, 1)])
		name, _, hasValue := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if hasValue && (err != nil || isSecret(plain)) {
			pair = name + "=" + mask
		}
		b.WriteString(pair)
	}
	return b.String()
}
