package app

import (
	"crypto/sha256"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestSiteAndAPI(t *testing.T) {
	sessions[sha256.Sum256([]byte("cookie"))] = &member{"Ada"}
	tokens[sha256.Sum256([]byte("token"))] = &client{"ci"}
	const member, program, wrong, other = "Cookie: session=cookie", "Authorization: bearer token", "Authorization: Bearer x", "Sec-Fetch-Site: cross-site"
	for _, tt := range []struct {
		method, target string
		headers        []string
		want           string
	}{
		{"GET", "/account", []string{member}, "200 <p>Signed in as Ada.</p>"},
		{"GET", "/account", nil, "302"},
		{"GET", "/account", []string{program}, "302"},
		{"GET", "/account", []string{member, wrong}, "302"},
		{"GET", "/none", nil, "404 <h1>404 Not Found</h1>"},
		{"POST", "/account", []string{member}, "405 <h1>405 Method Not Allowed</h1>"},
		{"GET", "/api/orders/7", []string{program}, `200 {"id":7,"for":"ci"}`},
		{"GET", "/api/orders/7", nil, `401 {"fields":{},"message":"a token is needed"}`},
		{"GET", "/api/orders/7", []string{member}, `401 {"fields":{},"message":"a token is needed"}`},
		{"GET", "/api/orders/1001", []string{program}, `404 {"fields":{},"message":"there is no such order"}`},
		{"GET", "/api/orders/x", []string{program}, `404 {"fields":{},"message":"Not Found"}`},
		{"GET", "/api/none", nil, `404 {"fields":{},"message":"Not Found"}`},
		{"PUT", "/api/orders/7", []string{program}, `405 {"fields":{},"message":"Method Not Allowed"}`},
		{"GET", "/api/orders/7", []string{other}, `401 {"fields":{},"message":"a token is needed"}`},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.target, nil)
			r.Header.Set("Accept", "text/html")
			for _, h := range tt.headers {
				name, value, _ := strings.Cut(h, ": ")
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			Router.ServeHTTP(w, r)
			is.New(t).Equal(strings.Join(strings.Fields(fmt.Sprint(w.Code, " ", w.Body)), " "), tt.want)
		})
	}
}
