package dev

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"example.com/flow/internal/devpage"
)

//go:embed reload.js
var scriptText string

// script is the script of the pages, with the style sheet for what it shows.
var script = sync.OnceValue(func() string {
	style, err := json.Marshal(devpage.Style)
	if err != nil {
		panic(err) // does not happen: it is a string
	}
	return strings.Replace(scriptText, `"STYLE"`, string(style), 1)
})

func serveScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	if r.Method != http.MethodHead {
		io.WriteString(w, script())
	}
}
