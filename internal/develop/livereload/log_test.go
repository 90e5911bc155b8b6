package livereload

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/logging"
)

// logged returns a Log, a logger that it keeps the records of, and what the handler behind gets.
func logged() (*Log, *slog.Logger, *bytes.Buffer) {
	l, b := &Log{}, &bytes.Buffer{}
	return l, slog.New(l.Around(slog.NewTextHandler(b, nil))), b
}

// said returns what a Log has, one line for each record.
func said(l *Log) (lines []string) {
	for _, r := range l.Last() {
		line := r.Message
		for _, v := range r.Values {
			line += " " + v.Name + "=" + v.Text
		}
		lines = append(lines, line)
	}
	return lines
}

func TestLog(t *testing.T) {
	is := is.New(t)
	l, log, b := logged()
	log.Info("a", "x", 1)
	log.Debug("nobody wants this level")
	with := log.With("y", 2).WithGroup("g").With("z", 3)
	with.Warn("b", "v", 4)
	with.WithGroup("").With("w", 5).Error("c")
	logging.Logger(log)(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	log.Info("request") // which is not of the Logger
	is.Equal(said(l), []string{"a x=1", "b y=2 g.z=3 g.v=4", "c y=2 g.z=3 g.w=5", "request"})
	text := b.String()
	for _, want := range []string{"msg=a x=1\n", "level=WARN msg=b y=2 g.z=3 g.v=4\n", "level=ERROR msg=c y=2 g.z=3 g.w=5\n", "status=404", "msg=request\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	is.Equal(strings.Count(text, "\n"), 5)

	var none *Log
	is.Equal(len(none.Last()), 0)
}

// TestLogAroundTheFirst: the handler that package slog begins with may be the default again, with
// values, and would wait for itself.
func TestLogAroundTheFirst(t *testing.T) {
	is := is.New(t)
	first := slog.Default().With("service", "shop").Handler()
	is.Equal((&Log{}).Around(first), first)
}

// TestLogAroundItself: a handler that is kept already is kept once.
func TestLogAroundItself(t *testing.T) {
	is := is.New(t)
	l, log, _ := logged()
	slog.New(l.Around(log.Handler())).Info("a")
	is.Equal(said(l), []string{"a"})
	other := &Log{}
	slog.New(other.Around(log.Handler())).Info("b")
	is.Equal(said(l), []string{"a", "b"})
	is.Equal(said(other), []string{"b"})
}

// TestLogForgets: the oldest records go, if there are many or if they are large.
func TestLogForgets(t *testing.T) {
	is := is.New(t)
	l, log, _ := logged()
	for i := range 1000 {
		log.Info(fmt.Sprint(i))
	}
	is.Equal(len(l.Last()), maxRecords)
	is.Equal(said(l)[maxRecords-1], "999")

	var large []any
	for i := range 150 {
		large = append(large, fmt.Sprint("n", i), strings.Repeat("x", 400))
	}
	var largest []any
	for i := range 300 {
		largest = append(largest, fmt.Sprint(strings.Repeat("n", 1000), i), strings.Repeat("x", 10000))
	}
	log.Info(strings.Repeat("m", 10000), largest...)
	is.True(len(l.Last()) > 0 && l.Last()[len(l.Last())-1].Message[0] == 'm') // it is kept
	for range maxRecords {
		log.Info("large", large...)
	}
	size := 0
	for _, r := range l.Last() {
		size += r.Size()
	}
	is.True(len(l.Last()) > 10 && len(l.Last()) < 20)
	is.True(size <= maxLog && size == l.size)
}

// TestPrecedePutsRecordsFirst: what the program before has logged comes first, and goes first.
func TestPrecedePutsRecordsFirst(t *testing.T) {
	is := is.New(t)
	before, log, _ := logged()
	log.Info("a")
	log.Info("b")
	l, log, _ := logged()
	log.Info("c")
	l.Precede(before.Last())
	is.Equal(said(l), []string{"a", "b", "c"})
	for range maxRecords - 2 {
		log.Info("d")
	}
	is.Equal(said(l)[:3], []string{"b", "c", "d"})
}

// TestLogByMany is for the race detector.
func TestLogByMany(t *testing.T) {
	is := is.New(t)
	l, log, _ := logged()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				log.With("a", 1).Info("b")
				l.Last()
			}
		})
	}
	all.Wait()
	is.Equal(len(l.Last()), maxRecords)
}
