package apptest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"example.com/flow"
)

// A Journal is a log that may be read while others write.
type Journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *Journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// JournalOf makes r log into a Journal, in JSON: see Records.
func JournalOf(r *flow.Router) *Journal {
	log := &Journal{}
	r.Logger = slog.New(slog.NewJSONHandler(log, nil))
	return log
}

// Records returns the records of a Journal.
func Records(t *testing.T, log *Journal) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(log.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// Logged makes r write its log into a buffer.
func Logged(r *flow.Router) *bytes.Buffer {
	b := &bytes.Buffer{}
	r.Logger = slog.New(slog.NewTextHandler(b, nil))
	return b
}
