package accounts

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var timing = flag.Int("timing", 0, "`attempts` of each kind that TestTiming measures")

// TestTiming measures how well time tells an address with an account from one without. It fails
// never, since machines are busy: read what it prints, and compare it before and after a change.
//
//	go test ./accounts -run Timing -v -timing 1000
//
// auc is the part of all pairs in which the known address took longer: 0.5 tells nothing, 1 or 0
// tells everything. p is how often chance alone is that far from 0.5.
func TestTiming(t *testing.T) {
	if *timing == 0 {
		t.Skip("-timing is not set")
	}
	both(t, func(t *testing.T, d *desk) {
		ctx := t.Context()
		d.join("ada@example.com")
		d.join("old@example.com")
		asker := d.session(d.join("eve@example.com"))

		// The hash of one user is from the time before today.
		older := cost{memory: 7 * 1024, time: 2, threads: 1}
		d.passwords = newHasher(today, older)
		for email, c := range map[string]cost{"ada@example.com": today, "old@example.com": older} {
			hash, err := newHasher(c).hash(ctx, password)
			ok(t, err)
			_, err = d.db.ExecContext(ctx, "UPDATE users SET password = $1 WHERE email = $2", hash, email)
			ok(t, err)
		}
		signIn := func(email string) error {
			_, err := d.SignIn(ctx, email, "a wrong password", from)
			if errors.Is(err, ErrCredentials) {
				return nil
			}
			return cmp.Or(err, errors.New("signed in"))
		}
		link := func(p Purpose) func(string) error {
			return func(email string) error { return d.SendLink(ctx, p, email, from) }
		}
		unknown := func() string {
			return fmt.Sprintf("%c%c%c@example.com", 'a'+rand.N(26), 'a'+rand.N(26), '0'+rand.N(10))
		}
		mail := func(p Purpose) func(string) error { // has the mailer begin to work
			return func(email string) error {
				err := d.SendLink(ctx, p, email, from)
				d.jobs.Go(func() { d.sendNext(ctx) })
				return err
			}
		}
		beside := func(string) error { return d.SendLink(ctx, ForSignIn, "second@example.net", from) }
		nothing := func(string) error { return nil }
		for _, kind := range []struct {
			name, known string
			before, do  func(email string) error // do is measured
		}{
			{"sign-in", "ada@example.com", nothing, signIn},
			{"sign-in, older hash", "old@example.com", nothing, signIn},
			{"sign-up", "ada@example.com", nothing, link(ForSignUp)},
			{"link", "ada@example.com", nothing, link(ForSignIn)},
			{"reset", "ada@example.com", nothing, link(ForReset)},
			{"change of address", "ada@example.com", nothing, func(email string) error { return d.ChangeEmail(ctx, asker, email, from) }},
			{"beside a sign-up", "ada@example.com", mail(ForSignUp), beside},
			{"beside a link", "ada@example.com", mail(ForSignIn), beside},
		} {
			var times [2][]float64 // of the known address, and of unknown ones
			for range *timing {
				for _, i := range rand.Perm(2) {
					email := []string{kind.known, unknown()}[i]
					d.jobs.Wait()
					d.sent() // so that no mail waits, and no limit is used up
					_, err := d.db.ExecContext(ctx, "DELETE FROM limits")
					ok(t, err)
					_, err = d.db.ExecContext(ctx, "DELETE FROM tokens")
					ok(t, err)
					ok(t, kind.before(email))
					began := time.Now()
					err = kind.do(email)
					times[i] = append(times[i], time.Since(began).Seconds()*1000)
					ok(t, err)
				}
			}
			auc, p := compare(times[0], times[1])
			t.Logf("%-20s known %8.3f ms, unknown %8.3f ms (medians of %d), auc %.3f, p %.3f",
				kind.name, slices.Sorted(slices.Values(times[0]))[*timing/2], slices.Sorted(slices.Values(times[1]))[*timing/2], *timing, auc, p)
		}
		d.jobs.Wait()
	})
}

// compare is the test of Mann and Whitney. Two times are hardly ever equal.
func compare(a, b []float64) (auc, p float64) {
	var more float64
	for _, x := range a {
		for _, y := range b {
			if x > y {
				more++
			}
		}
	}
	n, m := float64(len(a)), float64(len(b))
	z := (more - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
	return more / (n * m), math.Erfc(math.Abs(z) / math.Sqrt2)
}
