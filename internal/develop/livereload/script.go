package livereload

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"example.com/flow/internal/develop/devpage"
)

//go:embed reload.js
var scriptText string

// script returns reload.js with the style sheet for the faults that it shows.
var script = sync.OnceValue(func() string {
	style, err := json.Marshal(devpage.Style)
	if err != nil {
		panic(err) // cannot happen: it is a string
	}
	return strings.Replace(scriptText, `"STYLE"`, string(style), 1)
})

// serveScript serves the script.
func serveScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	if r.Method != http.MethodHead {
		io.WriteString(w, script())
	}
}
