package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// A cost is what a hash takes.
type cost struct {
	memory, time uint32 // kibibytes, and passes over them
	threads      uint8
}

// today is what OWASP recommends at least. Raise it as computers become faster: the password
// of whoever signs in is hashed anew. Each hash that runs takes that memory.
var today = cost{memory: 19 * 1024, time: 2, threads: 1}

// shortest is in characters. longest, in bytes, is what nobody remembers: a password is
// refused rather than cut.
const shortest, longest = 12, 1024

// CheckPassword returns what is wrong with a new password, to be read after "password".
func CheckPassword(password string) error {
	switch {
	case utf8.RuneCountInString(password) < shortest:
		return fmt.Errorf("must have at least %d characters", shortest)
	case len(password) > longest:
		return fmt.Errorf("must have at most %d bytes", longest)
	}
	return nil
}

// A hasher hashes passwords with argon2id, and only some at a time: others wait, so that many
// who sign in at once do not take all memory.
type hasher struct {
	cost
	slots chan struct{}
}

func newHasher(c cost) *hasher { return &hasher{c, make(chan struct{}, runtime.GOMAXPROCS(0))} }

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

// matches reports whether a stored hash is that of a password.
func (h *hasher) matches(ctx context.Context, password, stored string) (bool, error) {
	c, salt, want, err := parse(stored)
	if err != nil {
		return false, err
	}
	key, err := h.key(ctx, password, salt, c, len(want))
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1, err
}

// isWeak reports whether a stored hash costs less than those of today. It must not ask
// whether the cost is another one: while the next version of the program replaces this one,
// each would hash what the other has hashed.
func (h *hasher) isWeak(stored string) bool {
	c, _, _, err := parse(stored)
	return err == nil && (c.memory < h.memory || c.time < h.time)
}

func (h *hasher) key(ctx context.Context, password string, salt []byte, c cost, size int) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, uint32(size)), nil
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
