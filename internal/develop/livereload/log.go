package livereload

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/serve/wire/logging"
)

// A Log keeps the last records of loggers, of which there are at most maxRecords, in about
// maxLog bytes.
type Log struct {
	mu      sync.Mutex
	records []devpage.Record // the oldest first
	size    int              // of records, in bytes
}

const maxRecords, maxLog = 200, 1 << 20

// Keep has the Log keep what slog.Default logs from now on.
func (l *Log) Keep() { slog.SetDefault(slog.New(l.Around(slog.Default().Handler()))) }

// Around returns a handler that passes each record to next, and has the Log keep it. It leaves
// out the lines of flow.Logger, which say no more than a Recorder. Around returns next itself
// if that does so already, or if it is the handler that package slog begins with. That one
// writes to package log, which slog.SetDefault has write to any other handler: with one around
// it, a record would wait for itself for ever.
func (l *Log) Around(next slog.Handler) slog.Handler {
	if fmt.Sprintf("%T", next) == "*slog.defaultHandler" {
		return next
	}
	if k, ok := next.(*keeper); ok && k.log == l {
		return next
	}
	return &keeper{Handler: next, log: l}
}

// A keeper is a handler that Around returns.
type keeper struct {
	slog.Handler
	log    *Log
	values []devpage.Value // of WithAttrs
	group  string          // of WithGroup: "user."
}

func (k *keeper) Handle(ctx context.Context, r slog.Record) error {
	if !logging.IsRequest(r) {
		k.log.add(devpage.RecordOf(r, k.values, k.group))
	}
	return k.Handler.Handle(ctx, r)
}

func (k *keeper) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *k
	with.Handler, with.values = k.Handler.WithAttrs(attrs), slices.Clip(k.values)
	for _, a := range attrs {
		with.values = devpage.AppendAttr(with.values, k.group, a)
	}
	return &with
}

func (k *keeper) WithGroup(name string) slog.Handler {
	with := *k
	with.Handler = k.Handler.WithGroup(name)
	if name != "" {
		with.group += name + "."
	}
	return &with
}

func (l *Log) add(r devpage.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records, l.size = append(l.records, r), l.size+r.Size()
	l.trim()
}

// Precede puts records before those of the Log: what the program has logged that ran before.
func (l *Log) Precede(older []devpage.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(slices.Clone(older), l.records...)
	for _, r := range older {
		l.size += r.Size()
	}
	l.trim()
}

// trim removes the oldest records as long as there are too many. The caller holds l.mu.
func (l *Log) trim() {
	n := 0
	for ; len(l.records)-n > maxRecords || l.size > maxLog; n++ {
		l.size -= l.records[n].Size()
	}
	l.records = slices.Delete(l.records, 0, n)
}

// Last returns the records, the oldest first. A nil Log has none.
func (l *Log) Last() []devpage.Record {
	if l == nil { // the Router is served by another command than serve
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records)
}
