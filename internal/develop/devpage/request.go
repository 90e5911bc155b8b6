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
	Name   string `json:"name"`
	Text   string `json:"text,omitempty"`
	Masked bool   `json:"masked,omitempty"` // the value is secret, and Text is ""
}

// Describe returns the data of a request. params are the route parameters. body has the data
// that was read from its body: values, lists of values and JSON objects, by name. A handler may also
// have parsed the form.
func Describe(r *http.Request, params []Value, body map[string]any) *RequestData {
	form := map[string]any{}
	maps.Copy(form, body)
	for name, values := range r.PostForm {
		form[name] = values
	}
	var parameters, fields, cookies []Value
	for _, p := range params {
		parameters = appendValue(parameters, p.Name, p.Text)
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		fields = appendAny(fields, name, form[name], 0)
	}
	for _, c := range r.Cookies() {
		cookies = append(cookies, Value{Name: c.Name, Masked: true})
	}
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
	groups := []Group{{"Route parameters", parameters}, {"Query", flatten(r.URL.Query())}, {"Form", fields}, {"Cookies", cookies}, {headerGroup, flatten(header)}}
	return &RequestData{
		Method:  r.Method,
		URL:     cut(maskedURL(r.URL, params), maxURL),
		Pattern: r.Pattern,
		Groups:  slices.DeleteFunc(groups, func(g Group) bool { return len(g.Values) == 0 }),
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
	return appendShort(values, name, text, maxValue)
}

// appendShort appends a value, with at most the given number of bytes of its text.
func appendShort(values []Value, name, text string, most int) []Value {
	switch {
	case len(values) == maxValues:
		return append(values, Value{Name: "…", Text: "and more"})
	case len(values) > maxValues:
		return values
	case isSecret(name):
		return append(values, Value{Name: cut(name, maxValue), Masked: true})
	case len(text) > most:
		text = fmt.Sprintf("%s (%d bytes)", cut(text, most), len(text))
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
func maskedURL(u *url.URL, params []Value) string {
	shown := u.EscapedPath()
	for _, p := range params {
		if isSecret(p.Name) && p.Text != "" {
			shown = strings.NewReplacer(url.PathEscape(p.Text), mask, p.Text, mask).Replace(shown)
		}
	}
	if u.Host != "" {
		shown = u.Scheme + "://" + u.Host + shown
	}
	if u.RawQuery == "" {
		return shown
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		name, _, hasValue := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if hasValue && (err != nil || isSecret(plain)) {
			pairs[i] = name + "=" + mask
		}
	}
	return shown + "?" + strings.Join(pairs, "&")
}
