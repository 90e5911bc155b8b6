package openapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"example.com/flow"
	"example.com/flow/app"
	"example.com/flow/ecosystem/realworld"
)

// A described application is one with a description of its API.
type described struct {
	name string
	json string // the path of the document
	page string
	make func() *flow.Router
}

// quiet is for Routers of which errors are expected.
var quiet = slog.New(slog.DiscardHandler)

// The sample registers with static calls, and so its Router is made before any is checked.
func init() { app.New(&app.App{Logger: quiet}) }

// applications are those of this repository, and the traps.
var applications = []described{
	{"realworld", "/api/openapi.json", "/api/docs", newRealworld},
	{"sample", "/api/openapi.json", "/api/docs", func() *flow.Router { return app.New(&app.App{Logger: quiet}) }},
	{"traps", "/openapi.json", "/docs", traps},
}

func newRealworld() *flow.Router {
	r := realworld.New(&realworld.App{})
	r.Logger = quiet
	return r
}

// get returns the body of an answer, which is 200.
func get(h http.Handler, path string) []byte {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != http.StatusOK {
		panic(fmt.Sprintf("GET %s: %d %s", path, w.Code, w.Body))
	}
	return w.Body.Bytes()
}

// print has this program write the documents and the pages, in place of running tests.
const print = "FLOW_PRINT"

func TestMain(m *testing.M) {
	if order := os.Getenv(print); order != "" {
		for _, of := range applications {
			r, texts := of.make(), map[string][]byte{}
			paths := []string{of.json, of.page}
			if order == "page first" {
				slices.Reverse(paths)
			}
			for _, path := range paths {
				texts[path] = get(r, path)
			}
			os.Stdout.Write(texts[of.json])
			os.Stdout.Write(texts[of.page])
		}
		return
	}
	os.Exit(m.Run())
}
