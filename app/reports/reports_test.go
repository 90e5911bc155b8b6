package reports

import (
	"encoding/json"
	"testing"

	"github.com/matryer/is"

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
		{"sample", users.Sample(), `[{"name":"example.com","users":2},{"name":"example.org","users":1}]`},
		{"nobody", users.NewStore(), "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			list, err := Controller{tt.store}.JSON(nil)
			is.NoErr(err)
			text, err := json.Marshal(list)
			is.NoErr(err)
			is.Equal(string(text), tt.want)
		})
	}
}
