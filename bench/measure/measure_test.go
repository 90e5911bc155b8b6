package measure

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 2, 9}, 3},
	} {
		is := is.New(t)
		is.Equal(Median(tt.values), tt.want)
	}
}

// A machine that is ten times as slow for half of the time changes no ratio.
func TestRatioIsOfEachRound(t *testing.T) {
	is := is.New(t)
	r := Result{Figures: []Figure{
		{Name: "a", Rounds: []float64{20, 200, 22, 180, 2000}},
		{Name: "b", Rounds: []float64{10, 100, 10, 100, 100}},
	}}
	is.Equal(r.Ratio("a", "b"), 2.0)
	is.Equal(r.More("a", "b", "b"), 1.0)
	is.Equal(r.Of("a").Min(), 20.0)
	is.Equal(r.Of("b").Median(), 100.0)
	defer func() { is.True(recover() != nil) }()
	r.Of("nobody")
}

func handler(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
	})
}

var tiny = Budget{Rounds: 7, Turn: time.Microsecond, Most: time.Second}

func TestRunMeasuresAll(t *testing.T) {
	is := is.New(t)
	costs := func(each float64) func(int) (float64, error) {
		return func(n int) (float64, error) { return each * float64(n), nil }
	}
	r, err := Group{Base: "one", Unit: "B", Contestants: []Contestant{
		{Name: "one", Cost: costs(1)},
		{Name: "three", Cost: costs(3)},
	}}.Run(tiny)
	is.NoErr(err)
	is.Equal(r.Unit, "B")
	is.Equal(len(r.Of("three").Rounds), 7)
	is.Equal(r.Of("three").Median(), 3.0)
	is.Equal(r.Ratio("three", "one"), 3.0)
}

func TestFewerRoundsOfWhatTakesLong(t *testing.T) {
	is := is.New(t)
	r, err := Group{Contestants: []Contestant{{Name: "slow", Cost: func(int) (float64, error) {
		time.Sleep(time.Millisecond)
		return 1, nil
	}}}}.Run(Budget{Rounds: 1000, Turn: time.Microsecond, Most: time.Millisecond})
	is.NoErr(err)
	is.Equal(len(r.Of("slow").Rounds), leastRounds)
}

func TestAllocationsAreCounted(t *testing.T) {
	is := is.New(t)
	calls := []Call{{Method: "GET", Path: "/", Want: Answer{Status: 200}}}
	var kept []byte
	r, err := Group{Calls: calls, Contestants: []Contestant{
		{Name: "none", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})},
		{Name: "one", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { kept = make([]byte, 64) })},
	}}.Run(tiny)
	is.NoErr(err)
	is.True(r.Of("none").Allocs < 0.1)
	is.True(r.Of("one").Allocs >= 1 && r.Of("one").Allocs < 1.1)
	is.True(r.Of("one").Bytes >= 64 && r.Of("one").Bytes < 70)
	_ = kept
}

func TestWrongAnswersAreErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		want Answer
		err  string
	}{
		"status":        {Answer{Status: 404}, "got status 200, want 404"},
		"body":          {Answer{Body: "bye"}, `got body "hello", want "bye"`},
		"size":          {Answer{Size: 4}, "got a body of 5 bytes, want 4"},
		"part":          {Answer{Holds: "x"}, `want "x" in it`},
		"header":        {Answer{Header: map[string]string{"Content-Type": "text/html"}}, `want "text/html"`},
		"header is not": {Answer{Header: map[string]string{"ETag": ""}}, `got ETag: ""`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			g := Group{Calls: []Call{{Method: "GET", Path: "/", Want: tt.want}}, Contestants: []Contestant{{Name: "greeter", Handler: handler("hello")}}}
			_, err := g.Run(tiny)
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), "greeter: GET /: "))
			is.True(strings.Contains(err.Error(), tt.err))
			is.Equal(g.Check().Error(), err.Error())
		})
	}
}

func TestErrorOfACost(t *testing.T) {
	is := is.New(t)
	_, err := Group{Contestants: []Contestant{{Name: "broken", Cost: func(int) (float64, error) { return 0, errors.New("no server") }}}}.Run(tiny)
	is.Equal(err.Error(), "broken: no server")
}

// A handler sees a request like that of a server, whatever it has done to the one before.
func TestRequestsAreLikeThoseOfAServer(t *testing.T) {
	is := is.New(t)
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Request-Id") != "" || len(w.Header()) != 0 {
			t.Error("there is something left of another request")
		}
		r.Header.Set("X-Request-Id", "1")
		w.Header().Set("Content-Type", "text/plain")
		if (r.Method == "GET") != (r.Body == http.NoBody) || r.RequestURI != r.URL.Path {
			t.Errorf("%s %s: body %v", r.Method, r.RequestURI, r.Body)
		}
		w.WriteHeader(http.StatusCreated)
		n, err := io.Copy(w, r.Body)
		if err != nil || n != r.ContentLength {
			t.Errorf("got %d of %d bytes: %v", n, r.ContentLength, err)
		}
		io.WriteString(w, r.Header.Get("X-Key"))
	})
	is.NoErr(Group{
		Calls: []Call{
			{Method: "POST", Path: "/a", Body: "data", Want: Answer{Status: 201, Body: "data"}},
			{Method: "GET", Path: "/b", Header: map[string]string{"X-Key": "value"}, Want: Answer{Status: 201, Size: 5}},
		},
		Contestants: []Contestant{{Name: "echo", Handler: echo}},
	}.Check())
}
