package accounts

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func TestPassword(t *testing.T) {
	h := newHasher(cost{64, 1, 1})
	for _, p := range []string{password, strings.Repeat("é", 500), strings.Repeat("long", 256), "with \x00 in it, and more"} {
		stored, err := h.hash(t.Context(), p)
		ok(t, err)
		if !strings.HasPrefix(stored, "$argon2id$v=19$m=64,t=1,p=1$") {
			t.Errorf("stored: %s", stored)
		}
		for typed, want := range map[string]bool{p: true, p[:len(p)-1]: false, p + "x": false, "": false} {
			if got, err := h.matches(t.Context(), typed, stored); err != nil || got != want {
				t.Errorf("%q for %q: %t, %v", typed, p, got, err)
			}
		}
		if again, _ := h.hash(t.Context(), p); again == stored {
			t.Error("two hashes have one salt")
		}
	}
}

// TestPasswordOfOthers has a hash of the reference implementation's tests.
func TestPasswordOfOthers(t *testing.T) {
	const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if got, err := newHasher(today).matches(t.Context(), "password", stored); err != nil || !got {
		t.Errorf("%t, %v", got, err)
	}
}

func TestParse(t *testing.T) {
	const good = "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if _, _, _, err := parse(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "$", "password", strings.Repeat("$", 5),
		strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "t=1", "t=0", 1),
		strings.Replace(good, "p=1", "p=0", 1),
		strings.Replace(good, "p=1", "p=256", 1),
		strings.Replace(good, "m=64", "m=many", 1),
		good[:strings.LastIndex(good, "$")+1], // no key, which would match everything
		good + "$",
		good + "!",
	} {
		if _, _, _, err := parse(bad); err == nil {
			t.Errorf("%q is parsed", bad)
		}
	}
}

func TestDummy(t *testing.T) {
	h := newHasher(today)
	if got, err := h.matches(t.Context(), "", h.dummy()); err != nil || got {
		t.Errorf("%t, %v", got, err)
	}
	if c, _, _, err := parse(h.dummy()); err != nil || c != today {
		t.Errorf("it costs %v, %v", c, err)
	}
}

func TestCheckPassword(t *testing.T) {
	for password, want := range map[string]bool{
		strings.Repeat("x", shortest-1): false,
		strings.Repeat("é", shortest-1): false,
		strings.Repeat("x", shortest):   true,
		strings.Repeat("x", longest):    true,
		strings.Repeat("x", longest+1):  false,
		"Password1234":                  false,
		"ADA@example.com":               false,
		"ada@example.com is mine":       true,
		"password1234 is mine":          true,
	} {
		if err := CheckPassword(password, "ada@example.com"); (err == nil) != want {
			t.Errorf("%q: %v", password, err)
		}
	}
	for _, password := range common {
		if utf8.RuneCountInString(password) < shortest || password != strings.ToLower(password) {
			t.Errorf("%s is never compared", password)
		}
	}
}

// TestWorkOfWrongPassword compares what is done for a wrong password, by the memory that it takes, since
// the time depends on the machine: with whatever hash, and without an account.
func TestWorkOfWrongPassword(t *testing.T) {
	small, medium, large := cost{64, 1, 1}, cost{256, 1, 1}, cost{1024, 1, 1}
	h := newHasher(large, small, medium)
	var works []uint64
	for _, c := range []cost{small, medium, large} {
		stored, err := newHasher(c).hash(t.Context(), password)
		ok(t, err)
		for _, stored := range []string{stored, h.dummy()} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			same, err := h.matches(t.Context(), "a wrong password", stored)
			runtime.ReadMemStats(&after)
			if err != nil || same {
				t.Errorf("%t, %v", same, err)
			}
			works = append(works, (after.TotalAlloc-before.TotalAlloc)/(32*1024))
		}
	}
	if slices.Max(works) != slices.Min(works) || works[0] < (64+256+1024)/32 {
		t.Errorf("the work is %v", works)
	}
}

// TestPasswordTypedElsewhere has a keyboard that makes é of two characters.
func TestPasswordTypedElsewhere(t *testing.T) {
	h := newHasher(cost{64, 1, 1})
	stored, err := h.hash(t.Context(), "café au lait, please")
	ok(t, err)
	if same, err := h.matches(t.Context(), "cafe\u0301 au lait, please", stored); err != nil || !same {
		t.Errorf("%t, %v", same, err)
	}
}

// TestRehash signs in after the cost has grown, and after it has become less again.
func TestRehash(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		stored := func() (hash string) {
			ok(t, d.db.QueryRowContext(t.Context(), "SELECT password FROM users").Scan(&hash))
			return hash
		}
		signIn := func() {
			d.signsIn("ada@example.com")
		}
		first := stored()
		signIn()
		if stored() != first {
			t.Error("hashed anew without a reason")
		}
		d.passwords = newHasher(cost{128, 1, 1})
		_, err := d.SignIn(t.Context(), "ada@example.com", "a wrong password", from)
		fails(t, err, ErrCredentials)
		if stored() != first {
			t.Error("a wrong password was stored")
		}
		signIn()
		grown := stored()
		if !strings.Contains(grown, "m=128,t=1") {
			t.Errorf("stored: %s", grown)
		}
		signIn()
		d.passwords = newHasher(cost{64, 1, 1})
		signIn()
		if stored() != grown {
			t.Error("hashed anew with less")
		}
	})
}

func TestIsWeak(t *testing.T) {
	h := newHasher(cost{64, 2, 1})
	for c, want := range map[cost]bool{{64, 2, 1}: false, {64, 1, 1}: true, {32, 2, 1}: true, {128, 1, 1}: true, {128, 3, 1}: false} {
		stored, err := newHasher(c).hash(t.Context(), password)
		ok(t, err)
		if got := h.isWeak(stored); got != want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestRehashTwice signs in many times at once after the cost has grown: all of them are right.
func TestRehashTwice(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		d.passwords = newHasher(cost{128, 1, 1})
		var wg sync.WaitGroup
		for range signInsOfAccount.most {
			wg.Go(func() {
				if _, err := d.SignIn(t.Context(), "ada@example.com", password, from); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

// TestSlots has all slots taken: others wait, as long as their requests do.
func TestSlots(t *testing.T) {
	h := newHasher(cost{64, 1, 1})
	if n := cap(h.slots); n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d hash at once", n)
	}
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { _, err := h.hash(ctx, password); gone <- err }()
	leave()
	fails(t, <-gone, context.Canceled)
	done := make(chan error)
	go func() { _, err := h.hash(t.Context(), password); done <- err }()
	select {
	case <-done:
		t.Error("hashed without a slot")
	default:
	}
	<-h.slots
	ok(t, <-done)
	for range cap(h.queue) {
		h.queue <- struct{}{}
	}
	_, err := h.hash(t.Context(), password)
	fails(t, err, ErrBusy)
	_, err = h.matches(t.Context(), password, h.dummy())
	fails(t, err, ErrBusy)
}

// TestBusy tries the right password again and again while too many wait. Nothing is compared, and
// so nothing is counted.
func TestBusy(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		queue := d.passwords.queue
		for range cap(queue) {
			queue <- struct{}{}
		}
		for range signInsOfAccount.most + 1 {
			_, err := d.SignIn(t.Context(), "ada@example.com", password, from)
			fails(t, err, ErrBusy)
		}
		for range cap(queue) {
			<-queue
		}
		d.signsIn("ada@example.com")
	})
}
