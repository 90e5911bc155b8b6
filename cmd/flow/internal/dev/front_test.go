package dev

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestPassed: who has come to the stand-in is sent to the program, by the same URL and never
// to another host.
func TestPassed(t *testing.T) {
	for _, tt := range []struct{ target, want string }{
		{"/", "/"},
		{"/a//b?next=//x", "/a//b?next=//x"},
		{"/a%2Fb?", "/a%2Fb?"},
		{"//evil.test/x", "/evil.test/x"},
		{"///evil.test/x?y", "/evil.test/x?y"},
		{`/\evil.test`, "/%5Cevil.test"},
		{`/\/evil.test`, "/%5C/evil.test"},
		{"http://evil.test//evil.test/x", "/evil.test/x"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", tt.target))))
			is.NoErr(err)
			s := newStandIn(false)
			is.NoErr(s.pass(""))
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			is.Equal(w.Code, 307)
			is.Equal(w.Header().Get("Location"), tt.want)
		})
	}
}
