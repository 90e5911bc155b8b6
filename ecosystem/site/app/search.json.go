package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/flow"
)

func init() { flow.GET().Name("search.json").Do(sendIndex) }

// indexJSON is all that is searched, for the script of the search.
var indexJSON = sync.OnceValues(func() ([]byte, error) {
	sections, err := index()
	if err != nil {
		return nil, err
	}
	return json.Marshal(sections)
})

func sendIndex(*flow.Request) (flow.Response, error) {
	text, err := indexJSON()
	if err != nil {
		return flow.Response{}, err
	}
	send := func(w http.ResponseWriter, r *http.Request) { // which compares the ETag
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}
	return flow.Handler(http.HandlerFunc(send)).
		Header("Content-Type", "application/json").
		Header("Cache-Control", "no-cache").
		Header("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(text))), nil
}
