// Command server serves one contestant for the measurements over the wire:
//
//	go run ./server -who flow -addr 127.0.0.1:8080
//
// Each answers GET /users/{id} with the id as text, and GET /site.css with a file of 20 KB.
// Those whose names begin with "page " answer GET /page, with data of rows.Lists. Each is
// served as its own documentation says. All are in one binary, so that memory
// differs by what they use of it. The server ends when its standard input does, so that
// none is left behind by a program that was killed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	fiberrecover "github.com/gofiber/fiber/v3/middleware/recover"
	fiberstatic "github.com/gofiber/fiber/v3/middleware/static"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"

	"example.com/flow"
	"example.com/flow/bench/rows"
	"example.com/flow/bench/tree"
)

// contestants are functions that serve at an address.
var contestants = map[string]func(addr string) error{
	"flow":       func(addr string) error { return flow.Serve(context.Background(), addr, flowApp()) },
	"flow-http":  func(addr string) error { return withTimeouts(addr, flowApp()).ListenAndServe() },
	"mux":        func(addr string) error { return withTimeouts(addr, muxApp()).ListenAndServe() },
	"httprouter": func(addr string) error { return http.ListenAndServe(addr, httprouterApp()) },
	"gin":        func(addr string) error { return ginApp().Run(addr) },
	"echo":       func(addr string) error { return echoApp().Start(addr) },
	"fiber": func(addr string) error {
		return fiberApp().Listen(addr, fiber.ListenConfig{DisableStartupMessage: true})
	},
}

func init() {
	for _, p := range rows.Lists {
		contestants["page "+p.Name] = serveList(p)
	}
}

// serveList returns a function that serves the page with data of a contestant.
func serveList(p rows.Page) func(addr string) error {
	return func(addr string) error {
		switch h := p.New().(type) {
		case *flow.Router:
			return flow.Serve(context.Background(), addr, h)
		case *gin.Engine:
			return h.Run(addr)
		case *echo.Echo:
			h.HideBanner, h.HidePort = true, true
			return h.Start(addr)
		default:
			return withTimeouts(addr, h).ListenAndServe()
		}
	}
}

func main() {
	names := strings.Join(slices.Sorted(maps.Keys(contestants)), ", ")
	who := flag.String("who", "", "serve this `contestant`: "+names)
	addr := flag.String("addr", "127.0.0.1:8080", "listen on this `address`")
	flag.Parse()
	serve, ok := contestants[*who]
	if !ok {
		fmt.Fprintf(os.Stderr, "server: -who %q: want one of %s\n", *who, names)
		os.Exit(2)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(serve(*addr))
}

// withTimeouts is a server of net/http with the four limits that flow.Serve has.
func withTimeouts(addr string, h http.Handler) *http.Server {
	return &http.Server{
		Addr: addr, Handler: h,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
}

// files holds the public file.
func files() fs.FS { return tree.New(map[string]string{"site.css": rows.CSS}, rows.Changed) }

func flowApp() http.Handler {
	r := flow.New(tree.New(map[string]string{"router/users/[id].http": "", "public/site.css": rows.CSS}, rows.Changed))
	r.At("users/[id]").GET().Do(func(req *flow.Request) string { return req.Param("id") })
	r.Logger = slog.New(slog.DiscardHandler)
	if err := r.Check(); err != nil {
		log.Fatal(err)
	}
	return r
}

func muxApp() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, r.PathValue("id"))
	})
	mux.Handle("GET /site.css", http.FileServerFS(files()))
	return mux
}

func httprouterApp() http.Handler {
	r := httprouter.New()
	r.GET("/users/:id", func(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, params.ByName("id"))
	})
	r.Handler("GET", "/site.css", http.FileServerFS(files()))
	return r
}

func ginApp() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(gin.Recovery())
	r.GET("/users/:id", func(c *gin.Context) { c.String(http.StatusOK, c.Param("id")) })
	r.StaticFileFS("/site.css", "site.css", http.FS(files()))
	return r
}

func echoApp() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Use(echomiddleware.Recover())
	e.GET("/users/:id", func(c echo.Context) error { return c.String(http.StatusOK, c.Param("id")) })
	e.FileFS("/site.css", "site.css", files())
	return e
}

func fiberApp() *fiber.App {
	app := fiber.New()
	app.Use(fiberrecover.New())
	app.Get("/users/:id", func(c fiber.Ctx) error { return c.SendString(c.Params("id")) })
	app.Get("/site.css", fiberstatic.New("site.css", fiberstatic.Config{FS: files()}))
	return app
}
