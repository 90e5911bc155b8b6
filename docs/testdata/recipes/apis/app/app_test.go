package app

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// ask returns the answer to a request with headers as "Name: value". A body is a form.
func ask(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestParseClients(t *testing.T) {
	is := is.New(t)
	hash := strings.Repeat("0f", sha256.Size)
	got := parseClients("ci:" + hash + ",short:0f,none,,bad:" + strings.Repeat("x", 2*sha256.Size) + ",backup:" + hash)
	is.Equal(len(got), 2)
	is.Equal([]string{got[0].Name, got[1].Name}, []string{"ci", "backup"})
	is.Equal(len(parseClients("")), 0)
}

func TestTokens(t *testing.T) {
	hash := sha256.Sum256([]byte("secret"))
	clients = []*client{{"ci", hash[:]}}
	t.Cleanup(func() { clients = nil })
	for header, status := range map[string]int{
		"Bearer secret": 200, "bearer secret": 200,
		"": 401, "Bearer": 401, "Bearer ": 401, "Bearer other": 401, "secret": 401, "Basic secret": 401,
	} {
		t.Run(header, func(t *testing.T) {
			is := is.New(t)
			w := ask("GET", "/api/notes", "", "Authorization: "+header)
			is.Equal(w.Code, status)
			if status == 200 {
				is.True(strings.Contains(w.Body.String(), `"for":"ci"`))
				is.Equal(w.Header().Get("Cache-Control"), "no-store")
				return
			}
			is.Equal(w.Header().Get("WWW-Authenticate"), `Bearer realm="api"`)
			is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"a token is needed"}`)
		})
	}
	is := is.New(t)
	w := ask("POST", "/api/notes", "text=++", "Authorization: Bearer secret")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), `"text":"is required"`))
	w = ask("POST", "/api/notes", "text=tea", "Authorization: Bearer secret")
	is.Equal(w.Code, 201)
	is.Equal(strings.TrimSpace(w.Body.String()), `{"text":"tea"}`)
	t.Cleanup(func() { notes.list = nil })
}

func TestErrors(t *testing.T) {
	is := is.New(t)
	w := ask("GET", "/api/nobody", "")
	is.Equal(w.Code, 404)
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"Not Found"}`)
	w = ask("GET", "/nobody", "", "Accept: application/json")
	is.Equal(w.Header().Get("Content-Type"), "application/problem+json")
}

func TestLimiter(t *testing.T) {
	is := is.New(t)
	l, start := &limiter{burst: 3, every: time.Second}, time.Now()
	at := func(seconds float64, key string) float64 {
		return l.wait(key, start.Add(time.Duration(seconds*float64(time.Second)))).Seconds()
	}
	for range 3 {
		is.Equal(at(0, "a"), 0.0)
	}
	is.Equal(at(0, "a"), 1.0)
	is.Equal(at(0, "b"), 0.0)
	is.Equal(at(0.5, "a"), 0.5)
	is.Equal(at(1, "a"), 0.0) // what was refused does not count
	is.Equal(at(1, "a"), 1.0)
	for range 3 {
		is.Equal(at(9, "a"), 0.0)
	}
	is.Equal(at(9, "a"), 1.0)
	is.Equal(len(l.rest), 1) // b was forgotten
}

func TestRateLimit(t *testing.T) {
	is := is.New(t)
	burst := perClient.burst
	perClient.burst, perClient.rest = 2, nil
	t.Cleanup(func() { perClient.burst, perClient.rest = burst, nil })
	is.Equal(ask("GET", "/api/notes", "").Code, 401)
	is.Equal(ask("GET", "/api/notes", "").Code, 401)
	w := ask("GET", "/api/notes", "")
	is.Equal(w.Code, 429)
	is.Equal(w.Header().Get("Retry-After"), "1")
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"too many requests"}`)
}

func TestAddressOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[::ffff:192.0.2.7]:1234": "192.0.2.7",
		"[2001:db8:1:2:3::4]:1": "2001:db8:1:2::/64", "[fe80::1%eth0]:1": "fe80::/64", "@": "@",
	} {
		t.Run(remote, func(t *testing.T) {
			is := is.New(t)
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = remote
			is.Equal(addressOf(flow.NewRequest(r)), want)
		})
	}
}

// enter has the clients "ci" and "backup" use the API until the test ends. Their tokens are
// their names.
func enter(t *testing.T) {
	t.Helper()
	clients = nil
	for _, name := range []string{"ci", "backup"} {
		hash := sha256.Sum256([]byte(name))
		clients = append(clients, &client{name, hash[:]})
	}
	burst, was := perClient.burst, charge
	perClient.burst, perClient.rest = 1000, nil
	t.Cleanup(func() {
		clients, attempts.kept, charge = nil, nil, was
		perClient.burst, perClient.rest = burst, nil
	})
}

func payAs(token, key, body string) *httptest.ResponseRecorder {
	headers := []string{"Authorization: Bearer " + token, "Content-Type: application/json"}
	if key != "" {
		headers = append(headers, "Idempotency-Key: "+key)
	}
	r := httptest.NewRequest("POST", "/api/payments", strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestOnce(t *testing.T) {
	is := is.New(t)
	enter(t)
	var charged []payment
	var fail error
	charge = func(p payment) error { charged = append(charged, p); return fail }

	first := payAs("ci", "a", `{"cents":100}`)
	is.Equal(first.Code, 201)
	again := payAs("ci", "a", `{"cents":100}`)
	is.Equal(again.Code, 201)
	is.Equal(again.Body.String(), first.Body.String())
	is.Equal(again.Header().Get("Content-Type"), first.Header().Get("Content-Type"))
	is.Equal(len(charged), 1)
	is.Equal(payAs("ci", "a", `{"cents":200}`).Code, 422)
	is.Equal(len(charged), 1)

	is.Equal(payAs("backup", "a", `{"cents":200}`).Code, 201) // the key of somebody else
	is.Equal(payAs("ci", "b", `{"cents":100}`).Code, 201)
	is.Equal(len(charged), 3)

	is.Equal(payAs("ci", "", `{"cents":100}`).Code, 400)
	is.Equal(payAs("ci", strings.Repeat("k", 256), `{"cents":100}`).Code, 400)
	is.Equal(payAs("ci", "c", `{"cents":0}`).Code, 422) // which takes no key
	is.Equal(payAs("nobody", "c", `{"cents":100}`).Code, 401)
	is.Equal(len(charged), 3)

	fail = errors.New("the bank is closed")
	is.Equal(payAs("ci", "c", `{"cents":100}`).Code, 500)
	fail = nil
	is.Equal(payAs("ci", "c", `{"cents":100}`).Code, 201) // it was free again
	is.Equal(len(charged), 5)

	charge = func(payment) error { panic("boom") }
	is.Equal(payAs("ci", "d", `{"cents":100}`).Code, 500)
	charge = func(payment) error { return nil }
	is.Equal(payAs("ci", "d", `{"cents":100}`).Code, 201)
}

// TestOnceAtOnce sends a request while the first one with its key still runs.
func TestOnceAtOnce(t *testing.T) {
	is := is.New(t)
	enter(t)
	begun, end, n := make(chan bool), make(chan bool), 0
	charge = func(payment) error { n++; close(begun); <-end; return nil }
	var first *httptest.ResponseRecorder
	var done sync.WaitGroup
	done.Go(func() { first = payAs("ci", "a", `{"cents":100}`) })
	<-begun
	is.Equal(payAs("ci", "a", `{"cents":100}`).Code, 409)
	close(end)
	done.Wait()
	is.Equal(first.Code, 201)
	is.Equal(payAs("ci", "a", `{"cents":100}`).Body.String(), first.Body.String())
	is.Equal(n, 1)
}

// TestKeysExpire lets a day pass.
func TestKeysExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var s attemptStore
		key, answer := attemptKey{key: "a"}, []byte("{}")
		_, err := s.begin(key, sha256.Sum256(nil))
		is.NoErr(err)
		s.end(key, answer)
		time.Sleep(answersKept - time.Second)
		got, err := s.begin(key, sha256.Sum256(nil))
		is.NoErr(err)
		is.Equal(got, answer)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		is.Equal(len(s.kept), 0)
	})
}

func TestIfMatch(t *testing.T) {
	enter(t)
	was := articles.byID[7]
	t.Cleanup(func() { articles.byID[7] = was })
	put := func(path string, match ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("PUT", path, strings.NewReader(`{"text":"Milk"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer ci")
		r.Header["If-Match"] = match
		w := httptest.NewRecorder()
		Router.ServeHTTP(w, r)
		return w
	}
	for name, tt := range map[string]struct {
		match  []string
		status int
	}{
		"the present version": {[]string{`"3"`}, 200},
		"one of several":      {[]string{`"1", "3"`}, 200},
		"in the second field": {[]string{`"1"`, `"3"`}, 200},
		"any":                 {[]string{"*"}, 200},
		"an old one":          {[]string{`"2"`}, 412},
		"a weak one":          {[]string{`W/"3"`}, 412},
		"no tag":              {[]string{"3"}, 412},
		"empty":               {[]string{""}, 412},
		"missing":             {nil, 428},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			articles.byID[7] = article{3, "Tea"}
			w := put("/api/articles/7", tt.match...)
			is.Equal(w.Code, tt.status)
			if tt.status == 200 {
				is.Equal(w.Header().Get("ETag"), `"4"`)
				is.Equal(articles.byID[7], article{4, "Milk"})
				return
			}
			is.Equal(w.Header().Get("ETag"), "")
			is.Equal(articles.byID[7], article{3, "Tea"})
			is.True(json.Valid(w.Body.Bytes())) // in the format of the API
		})
	}
	t.Run("of two at once, one wins", func(t *testing.T) {
		is := is.New(t)
		articles.byID[7] = article{3, "Tea"}
		codes := make(chan int, 8)
		for range cap(codes) {
			go func() { codes <- put("/api/articles/7", `"3"`).Code }()
		}
		count := map[int]int{}
		for range cap(codes) {
			count[<-codes]++
		}
		is.Equal(count, map[int]int{200: 1, 412: cap(codes) - 1})
	})
	is := is.New(t)
	is.Equal(put("/api/articles/8", "*").Code, 404)
}
