package rows

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"

	"example.com/flow"
	"example.com/flow/bench/measure"
)

var chainRows = []Row{
	{"chain/own", "0, 5 and 20 middlewares, each of a router's own kind", ownChains},
	{"chain/standard", "0, 5 and 20 standard middlewares, func(http.Handler) http.Handler", standardChains},
}

// lengths are how many middlewares there are in a chain.
var lengths = []int{0, 5, 20}

// With returns the name of a contestant with n middlewares.
func With(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s, %d", name, n)
}

// passed counts how often any middleware was called, which a test compares.
var passed int

func guard(*flow.Request) flow.Response {
	passed++
	return flow.Next()
}

func standard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passed++
		next.ServeHTTP(w, r)
	})
}

func ginMiddleware(c *gin.Context) {
	passed++
	c.Next()
}

func echoMiddleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		passed++
		return next(c)
	}
}

// using returns a function that has a Router use middleware n times.
func using(n int, middleware any) func(*flow.Router) {
	return func(r *flow.Router) {
		for range n {
			r.Use(middleware)
		}
	}
}

func ownChains() measure.Group {
	g := measure.Group{Base: flowName, Calls: aUser}
	for _, n := range lengths {
		g.Contestants = append(g.Contestants,
			measure.Contestant{Name: With(flowName, n), Handler: flowUser(flowText, using(n, guard))},
			measure.Contestant{Name: With(ginName, n), Handler: ginUser(slices.Repeat([]gin.HandlerFunc{ginMiddleware}, n)...)},
			measure.Contestant{Name: With(echoName, n), Handler: echoUser(slices.Repeat([]echo.MiddlewareFunc{echoMiddleware}, n)...)},
		)
	}
	g.Contestants = append(g.Contestants, measure.Contestant{Name: httprouterName, Handler: httprouterUser()})
	return g
}

func standardChains() measure.Group {
	g := measure.Group{Base: With(muxName, 5), Calls: aUser}
	for _, n := range lengths {
		var mux http.Handler = muxUser()
		for range n {
			mux = standard(mux)
		}
		g.Contestants = append(g.Contestants,
			measure.Contestant{Name: With(flowName, n), Handler: flowUser(flowText, using(n, standard))},
			measure.Contestant{Name: With(muxName, n), Handler: recovered(mux)},
			measure.Contestant{Name: With(chiName, n), Handler: chiUser(slices.Repeat([]func(http.Handler) http.Handler{standard}, n)...)},
		)
	}
	return g
}
