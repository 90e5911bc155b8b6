package rows

import (
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

var handlerRows = []Row{
	{"handler/text", "a parameter sent back as text, each with its own handlers", textHandlers},
	{"handler/browser", "the same, asked with the header fields of a browser", browserHandlers},
	{"handler/net-http", "the same with handlers of net/http", netHTTPHandlers},
}

// aUser is the call that most rows of one route answer.
var aUser = []measure.Call{{Method: "GET", Path: "/users/7", Want: answers("7")}}

// userFiles is the tree of an application of one route.
var userFiles = tree.New(map[string]string{"router/users/[id].http": ""}, time.Time{})

// flowUser answers /users/{id}, with what is registered beside the handler.
func flowUser(handler any, register func(*flow.Router)) http.Handler {
	r := flow.New(userFiles)
	r.At("users/[id]").GET().Do(handler)
	if register != nil {
		register(r)
	}
	return ready(r)
}

func flowText(req *flow.Request) string { return req.Param("id") }

// netHTTP is a handler for routers that set path values.
func netHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, r.PathValue("id"))
}

func muxUser() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", netHTTP)
	return mux
}

// httprouterUser is httprouter as it is, which other figures are multiples of.
func httprouterUser() http.Handler {
	r := httprouter.New()
	r.GET("/users/:id", func(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
		w.Header()["Content-Type"] = textType
		io.WriteString(w, params.ByName("id"))
	})
	return r
}

// chiUser has the Recoverer, and any other middleware behind it.
func chiUser(middleware ...func(http.Handler) http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Use(chimiddleware.Recoverer)
	r.Use(middleware...)
	r.Get("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, chi.URLParam(r, "id"))
	})
	return r
}

// ginUser has Recovery, and any other handlers behind it.
func ginUser(handlers ...gin.HandlerFunc) http.Handler {
	r := newGin()
	r.Use(handlers...)
	r.GET("/users/:id", func(c *gin.Context) { c.String(http.StatusOK, c.Param("id")) })
	return r
}

// echoUser has Recover, and any other middleware behind it.
func echoUser(middleware ...echo.MiddlewareFunc) http.Handler {
	e := newEcho()
	e.Use(middleware...)
	e.GET("/users/:id", func(c echo.Context) error { return c.String(http.StatusOK, c.Param("id")) })
	return e
}

func textHandlers() measure.Group {
	return measure.Group{Base: httprouterName, Calls: aUser, Contestants: []measure.Contestant{
		{Name: flowName, Handler: flowUser(flowText, nil)},
		{Name: httprouterName, Handler: httprouterUser()},
		{Name: muxName, Handler: recovered(muxUser())},
		{Name: chiName, Handler: chiUser()},
		{Name: ginName, Handler: ginUser()},
		{Name: echoName, Handler: echoUser()},
	}}
}

// browserHandlers are textHandlers asked by Chromium, which has no cookie. flow looks whether the
// client says who it is, since the answer is private then.
func browserHandlers() measure.Group {
	g := textHandlers()
	call := aUser[0]
	call.Header = map[string]string{
		"Accept":                    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
		"Accept-Encoding":           "gzip, deflate, br, zstd",
		"Accept-Language":           "en-US,en;q=0.9",
		"Cache-Control":             "max-age=0",
		"Connection":                "keep-alive",
		"Sec-Ch-Ua":                 `"Chromium";v="140", "Not?A_Brand";v="24"`,
		"Sec-Ch-Ua-Mobile":          "?0",
		"Sec-Ch-Ua-Platform":        `"Linux"`,
		"Sec-Fetch-Dest":            "document",
		"Sec-Fetch-Mode":            "navigate",
		"Sec-Fetch-Site":            "none",
		"Sec-Fetch-User":            "?1",
		"Upgrade-Insecure-Requests": "1",
		"User-Agent":                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
	}
	g.Calls = []measure.Call{call}
	return g
}

func netHTTPHandlers() measure.Group {
	return measure.Group{Base: muxName, Calls: aUser, Contestants: []measure.Contestant{
		{Name: flowName, Handler: flowUser(netHTTP, nil)},
		{Name: muxName, Handler: recovered(muxUser())},
		{Name: chiName, Handler: chiUser()},
	}}
}
