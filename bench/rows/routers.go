package rows

import (
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

func init() { gin.SetMode(gin.ReleaseMode) }

// hello is what the routes of routers answer.
const hello = "hello"

// A route is a method and a pattern in the notation of httprouter, "/users/:id".
type route struct{ method, pattern string }

// A router makes applications that answer all routes with hello. It returns a function
// that makes one ready to serve; what an application is made from, files and texts of
// patterns, is there before.
type router struct {
	name    string
	prepare func([]route) func() http.Handler
}

// routers are all that can be compared for whole applications of routes. gin and raw
// httprouter refuse patterns that overlap.
var routers = []router{
	{flowName, flowOf},
	{httprouterName, httprouterOf},
	{muxName, muxOf},
	{chiName, chiOf},
	{ginName, ginOf},
	{echoName, echoOf},
}

// contest returns a contestant for each router, with the routes. Those that are named in
// without are left out.
func contest(routes []route, without ...string) []measure.Contestant {
	var all []measure.Contestant
	for _, r := range routers {
		if !slices.Contains(without, r.name) {
			all = append(all, measure.Contestant{Name: r.name, Handler: r.prepare(routes)()})
		}
	}
	return all
}

// flowPath returns the path of the route file for a pattern, without its extension.
func flowPath(pattern string) string {
	return segments(pattern, func(kind byte, name string) string {
		if kind == '*' {
			name = "..." + name
		}
		return "[" + name + "]"
	})[1:]
}

// flowOf has a route file for each pattern, in memory.
func flowOf(routes []route) func() http.Handler {
	texts := map[string]string{}
	routes = translated(routes, flowPath)
	for _, route := range routes {
		texts["router/"+route.pattern+".http"] = ""
	}
	files := tree.New(texts, time.Time{})
	return func() http.Handler {
		r := flow.New(files)
		for _, route := range routes {
			r.At(route.pattern).Method(route.method).Do(func(*flow.Request) string { return hello })
		}
		return ready(r)
	}
}

// translated returns routes with their patterns in another notation.
func translated(routes []route, notation func(string) string) []route {
	var all []route
	for _, r := range routes {
		all = append(all, route{r.method, notation(r.pattern)})
	}
	return all
}

// ready checks an application. It panics if there are faults, which are mistakes in the
// program.
func ready(r *flow.Router) *flow.Router {
	r.Logger = quiet
	if err := r.Check(); err != nil {
		panic(err)
	}
	return r
}

// quiet is for what a router logs beside its work.
var quiet = slog.New(slog.DiscardHandler)

var textType = []string{"text/plain; charset=utf-8"}

// httprouterOf is the baseline, and as cheap as can be: it does not contain panics, and
// allocates nothing for its header.
func httprouterOf(routes []route) func() http.Handler {
	return func() http.Handler {
		r := httprouter.New()
		for _, route := range routes {
			r.Handle(route.method, route.pattern, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
				w.Header()["Content-Type"] = textType
				io.WriteString(w, hello)
			})
		}
		return r
	}
}

// sayHello is a handler of net/http.
func sayHello(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, hello)
}

func muxOf(routes []route) func() http.Handler {
	routes = translated(routes, muxPattern)
	return func() http.Handler {
		mux := http.NewServeMux()
		for _, route := range routes {
			mux.HandleFunc(route.method+" "+route.pattern, sayHello)
		}
		return recovered(mux)
	}
}

func muxPattern(pattern string) string {
	return segments(pattern, func(kind byte, name string) string {
		if kind == '*' {
			name += "..."
		}
		return "{" + name + "}"
	})
}

// recovered contains panics, as an application of net/http does it by hand.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler {
					panic(v)
				}
				slog.Error("panic", "value", v)
				http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func chiOf(routes []route) func() http.Handler {
	routes = translated(routes, chiPattern)
	return func() http.Handler {
		r := chi.NewRouter()
		r.Use(chimiddleware.Recoverer)
		for _, route := range routes {
			r.Method(route.method, route.pattern, http.HandlerFunc(sayHello))
		}
		return r
	}
}

func chiPattern(pattern string) string {
	return segments(pattern, func(kind byte, name string) string {
		if kind == '*' {
			return "*"
		}
		return "{" + name + "}"
	})
}

func newGin() *gin.Engine {
	r := gin.New()
	r.Use(gin.Recovery())
	return r
}

func ginOf(routes []route) func() http.Handler {
	return func() http.Handler {
		r := newGin()
		r.HandleMethodNotAllowed = true
		for _, route := range routes {
			r.Handle(route.method, route.pattern, func(c *gin.Context) { c.String(http.StatusOK, hello) })
		}
		return r
	}
}

func newEcho() *echo.Echo {
	e := echo.New()
	e.Use(echomiddleware.Recover())
	return e
}

func echoOf(routes []route) func() http.Handler {
	routes = translated(routes, echoPattern)
	return func() http.Handler {
		e := newEcho()
		for _, route := range routes {
			e.Add(route.method, route.pattern, func(c echo.Context) error { return c.String(http.StatusOK, hello) })
		}
		return e
	}
}

func echoPattern(pattern string) string {
	return segments(pattern, func(kind byte, name string) string {
		if kind == '*' {
			return "*"
		}
		return ":" + name
	})
}
