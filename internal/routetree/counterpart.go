package routetree

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// counterpart returns the name, without .go, of the Go file whose static calls register
// for a route. Groups are not in it, as they are not in the URL, so that files move in and
// out of groups without a change.
//
//	users/[id]      => users.id
//	users/[id=int]  => users.id
//	(auth)/login    => login
//	docs/[...rest]  => docs.rest
func counterpart(path string) string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if !IsGroup(name) {
			names = append(names, plainName(name))
		}
	}
	return strings.Join(names, ".")
}

// plainName returns a name of the tree without its marks: "[...rest]" is "rest", and
// "[id=int]" is "id".
func plainName(name string) string {
	switch {
	case IsGroup(name):
		return strings.Trim(name, "()")
	case strings.HasPrefix(name, "["):
		name, _, _ = strings.Cut(strings.Trim(name, "[]"), "=")
		return strings.TrimPrefix(name, "...")
	}
	return name
}

// GroupedStem returns what the Stem of a route is mistaken for: the same with its groups,
// "auth.login". It is the Stem of a route that is in none.
func GroupedStem(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = plainName(name)
	}
	return strings.Join(names, ".")
}

// SetAside says why the go tool would ignore or refuse a Go file of that name, on
// some machines at least, as go/build and cmd/go decide; it is "" if it would not.
func SetAside(goFile string) string {
	switch c := goFile[0]; {
	case c == '_' || c == '.':
		return "the go tool ignores " + goFile + ", which begins with " + string(c)
	case c < utf8.RuneSelf && !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'):
		return "the go tool refuses " + goFile + ", which begins with " + string(c)
	case strings.HasSuffix(goFile, "_test.go"):
		return "the go tool builds " + goFile + " for tests only"
	}
	// The rest of a name after the first dot does not count (go/build, goodOSArchFile).
	name, _, _ := strings.Cut(goFile, ".")
	_, name, found := strings.Cut(name, "_")
	if !found {
		return ""
	}
	parts := strings.Split(name, "_")
	if n := len(parts); parts[n-1] == "test" {
		parts = parts[:n-1]
	}
	if n := len(parts); n > 0 && slices.Contains(systems, parts[n-1]) {
		return "the go tool builds " + goFile + " for " + parts[n-1] + " only"
	}
	return ""
}

// systems are the operating systems and processors, past, present and future,
// that go/build reads in a file's name (internal/syslist).
var systems = strings.Fields(`
	aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd
	openbsd plan9 solaris wasip1 windows zos
	386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64
	mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x
	sparc sparc64 wasm`)
