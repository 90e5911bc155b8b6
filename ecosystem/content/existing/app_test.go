package existing

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestPages(t *testing.T) {
	r := New(&App{})
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ path, want string }{
		{"/", "<title>Home</title>\n</head>\n<body>\n\n<h1>Home</h1>"},
		{"/docs/intro", "<title>Intro</title>\n</head>\n<body>\n<h1>Intro</h1>\n<p>How it begins.</p>"},
		{"/titles.json", `["Intro"]`},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, httptest.NewRequest("GET", tt.path, nil))
			is.Equal(w.Code, 200)
			if !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("want %s in\n%s", tt.want, w.Body)
			}
		})
	}
}
