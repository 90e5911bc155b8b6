package flowtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Media types of bodies.
const (
	JSON      = "application/json"
	Form      = "application/x-www-form-urlencoded"
	Multipart = "multipart/form-data; boundary=b" // of Parts
)

// Sending returns a request with a body whose length is known.
func Sending(method, target, contentType, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

// Parts returns a multipart body, with b as its boundary, of fields, "key=value", and
// files, "key@text".
func Parts(items ...string) string {
	var b strings.Builder
	for _, item := range items {
		i := strings.IndexAny(item, "=@")
		name := ""
		if item[i] == '@' {
			name = `; filename="f.txt"`
		}
		fmt.Fprintf(&b, "--b\r\nContent-Disposition: form-data; name=%q%s\r\n\r\n%s\r\n", item[:i], name, item[i+1:])
	}
	return b.String() + "--b--\r\n"
}
