package app

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

const body = `{"type":"payment.received","data":{"order":"A7","cents":1200}}`

// A delivery is what a sender sends.
type delivery struct {
	id, at, signature, body string
	headers                 []string
}

// newDelivery returns one that is right now.
func newDelivery(id string) delivery {
	d := delivery{id: id, at: fmt.Sprint(time.Now().Unix()), body: body}
	return d.sign(secrets[0])
}

func (d delivery) sign(secret []byte) delivery {
	d.signature = "v1," + base64.StdEncoding.EncodeToString(signature(secret, d.id, d.at, []byte(d.body)))
	return d
}

func (d delivery) send() *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/hooks/payments", strings.NewReader(d.body))
	for _, h := range append(d.headers, "Content-Type: application/json", "Webhook-Id: "+d.id, "Webhook-Timestamp: "+d.at, "Webhook-Signature: "+d.signature) {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

// book counts the payments that are booked until the test ends. fail is what booking returns.
func book(t *testing.T, fail *error) *int {
	t.Helper()
	booked, was := 0, bookPayment
	bookPayment = func(order string, cents int) error {
		if order != "A7" || cents != 1200 {
			t.Errorf("%s %d", order, cents)
		}
		if fail != nil && *fail != nil {
			return *fail
		}
		booked++
		return nil
	}
	secrets = [][]byte{[]byte(strings.Repeat("new", 8)), []byte(strings.Repeat("old", 8))}
	t.Cleanup(func() { bookPayment, secrets, deliveries.seen = was, nil, nil })
	return &booked
}

func TestSigned(t *testing.T) {
	seconds := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
	for name, tt := range map[string]struct {
		change func(delivery) delivery
		status int
	}{
		"right":                  {func(d delivery) delivery { return d }, 204},
		"the secret of before":   {func(d delivery) delivery { return d.sign(secrets[1]) }, 204},
		"one of two signatures":  {func(d delivery) delivery { d.signature = "v1,AAAA v2,x " + d.signature; return d }, 204},
		"a clock that is slow":   {func(d delivery) delivery { d.at = seconds(-4 * time.Minute); return d.sign(secrets[0]) }, 204},
		"too old":                {func(d delivery) delivery { d.at = seconds(-6 * time.Minute); return d.sign(secrets[0]) }, 401},
		"of the future":          {func(d delivery) delivery { d.at = seconds(6 * time.Minute); return d.sign(secrets[0]) }, 401},
		"another time":           {func(d delivery) delivery { d.at = seconds(time.Minute); return d }, 401},
		"another id":             {func(d delivery) delivery { d.id = "other"; return d }, 401},
		"no id":                  {func(d delivery) delivery { d.id = ""; return d.sign(secrets[0]) }, 401},
		"no time":                {func(d delivery) delivery { d.at = ""; return d.sign(secrets[0]) }, 401},
		"another body":           {func(d delivery) delivery { d.body = strings.Replace(d.body, "12", "13", 1); return d }, 401},
		"another secret":         {func(d delivery) delivery { return d.sign([]byte(strings.Repeat("bad", 8))) }, 401},
		"an empty secret":        {func(d delivery) delivery { return d.sign(nil) }, 401},
		"no signature":           {func(d delivery) delivery { d.signature = ""; return d }, 401},
		"no version":             {func(d delivery) delivery { d.signature = d.signature[3:]; return d }, 401},
		"half of it":             {func(d delivery) delivery { d.signature = d.signature[:20]; return d }, 401},
		"too large":              {func(d delivery) delivery { d.body = strings.Repeat(" ", 1<<20) + body; return d.sign(secrets[0]) }, 413},
		"no JSON, and signed":    {func(d delivery) delivery { d.body = "{"; return d.sign(secrets[0]) }, 400},
		"no JSON, and no sender": {func(d delivery) delivery { d.body = "{"; return d }, 401},
		"of a script in a page":  {func(d delivery) delivery { d.headers = []string{"Origin: https://evil.example"}; return d }, 403},
		"another type":           {func(d delivery) delivery { d.body = `{"type":"ping"}`; return d.sign(secrets[0]) }, 204},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			booked := book(t, nil)
			is.Equal(tt.change(newDelivery("id")).send().Code, tt.status)
			is.Equal(*booked == 1, tt.status == 204 && name != "another type")
		})
	}
	t.Run("no secret", func(t *testing.T) {
		is := is.New(t)
		book(t, nil)
		d := newDelivery("id")
		secrets = nil
		is.Equal(d.send().Code, 401)
	})
}

// TestSignature signs as the senders do: this is the example of the specification.
func TestSignature(t *testing.T) {
	is := is.New(t)
	list, err := parseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	is.NoErr(err)
	got := signature(list[0], "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	is.Equal(base64.StdEncoding.EncodeToString(got), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
}

func TestDeliveries(t *testing.T) {
	is := is.New(t)
	fail := errors.New("the database has gone")
	booked := book(t, &fail)
	is.Equal(newDelivery("a").send().Code, 500) // and the sender repeats it
	fail = nil
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if w := newDelivery("a").send(); w.Code != 204 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	is.Equal(*booked, 1)
	is.Equal(newDelivery("b").send().Code, 204)
	is.Equal(*booked, 2)
}

// TestRemembered lets days pass.
func TestRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var s deliveryStore
		n := 0
		count := func() error { n++; return nil }
		is.NoErr(s.once("a", count))
		time.Sleep(remembered - time.Second)
		is.NoErr(s.once("a", count))
		is.Equal(n, 1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		is.Equal(len(s.seen), 0)
	})
}

func TestSecrets(t *testing.T) {
	is := is.New(t)
	good := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 24)))
	list, err := parseSecrets("whsec_" + good + " " + good)
	is.NoErr(err)
	is.Equal(len(list), 2)
	for _, text := range []string{"", " ", "whsec_", "whsec_!", "whsec_c2hvcnQ=", good + " c2hvcnQ="} {
		_, err := parseSecrets(text)
		is.True(err != nil)
		is.True(!strings.Contains(err.Error(), good) && !strings.Contains(err.Error(), "c2hvcnQ"))
	}
}
