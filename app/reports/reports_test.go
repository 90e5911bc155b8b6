package reports

import (
	"net/http/httptest"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/app/users"
)

func TestDomains(t *testing.T) {
	for _, tt := range []struct {
		name   string
		emails []string
		want   []Domain
	}{
		{"nobody", nil, []Domain{}},
		{"one", []string{"a@x.example"}, []Domain{{"x.example", 1}}},
		{"the largest first", []string{"a@x.example", "a@y.example", "b@y.example"}, []Domain{{"y.example", 2}, {"x.example", 1}}},
		{"equals by name", []string{"a@y.example", "a@x.example"}, []Domain{{"x.example", 1}, {"y.example", 1}}},
		{"in any case", []string{"a@x.example", "b@X.Example"}, []Domain{{"x.example", 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var list []users.User
			for _, email := range tt.emails {
				list = append(list, users.User{Email: email})
			}
			is.Equal(domains(list), tt.want)
		})
	}
}

// TestJSON calls the handler by itself.
func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		name  string
		store *users.Store
		want  string
	}{
		{"sample", users.Sample(), `[{"name":"example.com","users":2},{"name":"example.org","users":1}]` + "\n"},
		{"nobody", users.NewStore(), "[]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			req := flow.NewRequest(httptest.NewRequest("GET", "/reports.json", nil))
			w := httptest.NewRecorder()
			Controller{tt.store}.JSON(req).Write(w, req)
			is.Equal(w.Code, 200)
			is.Equal(w.Body.String(), tt.want)
		})
	}
}
