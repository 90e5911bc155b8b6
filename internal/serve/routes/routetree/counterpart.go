package routetree

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// counterpart returns the name, without .go, of a route file's counterpart: the Go file whose
// static calls register its handlers. Groups are not part of it, so that it stays the same
// when the route file moves into a group.
//
//	users/[id]      => users.id
//	users/[id=int]  => users.id
//	(auth)/login    => login
//	docs/[...rest]  => docs.rest
func counterpart(path string) string { return stem(ungrouped(path)) }

// plainName returns a name of the tree without brackets, dots, matcher and parentheses:
// "rest" for "[...rest]", "id" for "[id=int]".
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

// GroupedStem returns the Stem that a route would have if groups were part of it:
// "auth.login" for "(auth)/login". Faults look for it, since people expect that name.
func GroupedStem(path string) string { return stem(strings.Split(path, "/")) }

// stem joins names of the tree with dots.
func stem(names []string) string {
	for i, name := range names {
		names[i] = plainName(name)
	}
	return strings.Join(names, ".")
}

// WhyNotBuilt returns the reason why the go tool ignores or refuses a Go file because of its
// name, on some systems at least, as go/build and cmd/go decide. It returns "" for a file that
// is always built.
func WhyNotBuilt(goFile string) string {
	switch c := goFile[0]; {
	case c == '_' || c == '.':
		return "the go tool ignores " + goFile + ", which begins with " + string(c)
	case c < utf8.RuneSelf && !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'):
		return "the go tool refuses " + goFile + ", which begins with " + string(c)
	case strings.HasSuffix(goFile, "_test.go"):
		return "the go tool builds " + goFile + " for tests only"
	}
	// go/build looks for systems before the first dot only (goodOSArchFile).
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

// systems are the operating systems and processors that go/build finds in the names of
// files, past, present and future ones (internal/syslist).
var systems = strings.Fields(`
	aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd
	openbsd plan9 solaris wasip1 windows zos
	386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64
	mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x
	sparc sparc64 wasm`)
