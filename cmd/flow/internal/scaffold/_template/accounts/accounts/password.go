package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// A cost is what a hash takes.
type cost struct {
	memory, time uint32 // kibibytes, and passes over them
	threads      uint8
}

// today is what OWASP recommends at least. Raise it as computers become faster: the password
// of whoever signs in is hashed anew. Each hash that runs takes that memory.
var today = cost{memory: 19 * 1024, time: 2, threads: 1}

// before has what today was, while users have such hashes. A wrong password is hashed by each
// of them: else the time would tell those users from addresses without an account.
var before []cost

// shortest is in characters. longest, in bytes, is what nobody remembers: a password is
// refused rather than cut.
const shortest, longest = 12, 1024

// common has the passwords that are tried first, of those that are long enough.
var common = strings.Fields(`
	000000000000 111111111111 112233445566 121212121212 123123123123 123412341234 123456123456
	012345678901 123456789012 1234567890123 12345678901234 123456789012345 1234567890123456
	12345678901234567890 1234567891011 123456789101112 123456789123 123456789123456789
	1q2w3e4r5t6y 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc 1qaz2wsx3edc4rfv
	abc123abc123 abcd12345678 abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefghijklmnopqrstuvwxyz
	aaaaaaaaaaaa adminadminadmin admin1234567 admin12345678 admin123456789 administrator
	administrator1 asdfasdfasdf asdfghjkl123 changeme1234 changemenow1 correcthorsebatterystaple
	football1234 iloveyou1234 iloveyou12345 iloveyouforever letmein12345 letmeinletmein
	mypassword123 p@ssw0rd1234 p@ssword1234 passw0rd1234 password1234 password12345 password123456
	password1234567 password12345678 password123456789 password123! password1234! passwordpassword
	q1w2e3r4t5y6 qazwsxedcrfv qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789
	qwertyqwerty qwertyuiop12 qwertyuiop123 qwertyuiop1234567890 qwertyuiop[] qwertyuiopasdf
	qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm secret123456 test12345678 testtesttest
	welcome12345 welcome123456 zaq12wsxcde3 zxcvbnm12345 zxcvbnmasdfghjkl`)

// A PasswordError says what is wrong with a new password, to be read after "password".
type PasswordError string

func (e PasswordError) Error() string { return string(e) }

// CheckPassword returns a PasswordError if a password is not one to be taken by who has an
// address. It asks for no digits or signs: those make passwords worse.
func CheckPassword(password, email string) error {
	switch lower := strings.ToLower(password); {
	case utf8.RuneCountInString(password) < shortest:
		return PasswordError(fmt.Sprintf("must have at least %d characters", shortest))
	case len(password) > longest:
		return PasswordError(fmt.Sprintf("must have at most %d bytes", longest))
	case lower == email || slices.Contains(common, lower):
		return PasswordError("is one of those that are tried first")
	}
	return nil
}

// A hasher hashes passwords with argon2id, and only some at a time: others wait, so that many
// who sign in at once do not take all memory.
type hasher struct {
	cost         // of today
	costs []cost // and all that stored hashes may have
	slots chan struct{}
	queue chan struct{} // those in slots, too
}

func newHasher(today cost, before ...cost) *hasher {
	slots := runtime.GOMAXPROCS(0)
	return &hasher{today, slices.Concat(before, []cost{today}), make(chan struct{}, slots), make(chan struct{}, 50*slots)}
}

// hash returns what is stored for a password: parameters, salt and key in PHC's format.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, 16)
	rand.Read(salt)
	key, err := h.key(ctx, password, salt, h.cost, 32)
	return format(h.cost, salt, key), err
}

// dummy is a hash that no password has. It is compared for addresses without an account, so
// that they take as long as others.
func (h *hasher) dummy() string { return format(h.cost, make([]byte, 16), make([]byte, 32)) }

// matches reports whether a stored hash is that of a password. If not, it takes as long
// whatever the hash costs: the same hashes, in the same order.
func (h *hasher) matches(ctx context.Context, password, stored string) (bool, error) {
	c, salt, want, err := parse(stored)
	if err != nil {
		return false, err
	}
	costs := h.costs
	if !slices.Contains(costs, c) {
		costs = append(slices.Clip(costs), c)
	}
	for _, each := range costs {
		key, err := h.key(ctx, password, salt, each, len(want))
		if err != nil {
			return false, err
		}
		if each == c && subtle.ConstantTimeCompare(key, want) == 1 {
			return true, nil
		}
	}
	return false, nil
}

// isWeak reports whether a stored hash costs less than one of today. It must not ask whether
// the cost is another one: while a new version of the program replaces the old one, both run,
// and if their costs differed, each version would hash again what the other has hashed.
func (h *hasher) isWeak(stored string) bool {
	c, _, _, err := parse(stored)
	return err == nil && (c.memory < h.memory || c.time < h.time)
}

// isFull reports whether nobody else may wait.
func (h *hasher) isFull() bool { return len(h.queue) == cap(h.queue) }

func (h *hasher) key(ctx context.Context, password string, salt []byte, c cost, size int) ([]byte, error) {
	select {
	case h.queue <- struct{}{}:
		defer func() { <-h.queue }()
	default:
		return nil, ErrBusy
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Some systems type é as one character, and others as two.
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, c.time, c.memory, c.threads, uint32(size)), nil
}

var base64Raw = base64.RawStdEncoding

func format(c cost, salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.threads,
		base64Raw.EncodeToString(salt), base64Raw.EncodeToString(key))
}

var errHash = errors.New("a stored password is no hash of argon2id")

func parse(stored string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(stored, "$") // "", argon2id, version, parameters, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errHash
	}
	_, err = fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads)
	salt, errSalt := base64Raw.DecodeString(parts[4])
	key, errKey := base64Raw.DecodeString(parts[5])
	// An empty key would match each password, and argon2 panics without a pass or a thread.
	if err != nil || errSalt != nil || errKey != nil || len(key) < 16 || c.time == 0 || c.threads == 0 {
		return c, nil, nil, errHash
	}
	return c, salt, key, nil
}
