package rows

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/bench/measure"
)

// A chain of n middlewares calls each of them.
func TestChainsAreWhole(t *testing.T) {
	for name, g := range map[string]measure.Group{"own": ownChains(), "standard": standardChains()} {
		for _, c := range g.Contestants {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				is := is.New(t)
				passed = 0
				c.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/users/7", nil))
				router, _, _ := strings.Cut(c.Name, ",")
				is.Equal(c.Name, With(router, passed))
			})
		}
	}
}
