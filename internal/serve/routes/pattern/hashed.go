package pattern

import (
	"path"
	"slices"
	"strings"
)

// HashLength is the number of characters of a hash in a URL: letters from a to z, and digits
// from 2 to 7.
const HashLength = 16

// Hashed returns the pattern of the hashed URLs of a file, for one hash: /app.<hash>.css for
// /app.css, and /app.<hash> for /app.
func (p *Pattern) Hashed(hash string) *Pattern {
	segments := slices.Clone(p.Segments)
	name := &segments[len(segments)-1].Text
	ext := path.Ext(*name)
	*name = strings.TrimSuffix(*name, ext) + "." + hash + ext
	return New(segments)
}

// Unhashed reports whether the last segment of a URL looks hashed: it ends in a dot and a
// hash, and then an extension or nothing. name is the name of the file that would have such a
// URL, or "" if none would.
func Unhashed(segment string) (name string, ok bool) {
	ext := path.Ext(segment)
	if stem, ok := cutHash(segment[:len(segment)-len(ext)]); ok {
		return stem + ext, true
	}
	if name, ok = cutHash(segment); strings.Contains(name, ".") {
		name = "" // a file with an extension has the hash before it
	}
	return name, ok
}

// LooksHashed is Unhashed for the last segment of a path, without the name.
func LooksHashed(p string) bool {
	ext := path.Ext(p) // of the last segment
	_, before := cutHash(p[:len(p)-len(ext)])
	_, last := cutHash(p)
	return before || last
}

// cutHash returns s without the dot and the hash that it ends in.
func cutHash(s string) (before string, ok bool) {
	dot := len(s) - len(".") - HashLength
	if dot < 0 || s[dot] != '.' {
		return "", false
	}
	for _, c := range []byte(s[dot+1:]) {
		if (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return "", false
		}
	}
	return s[:dot], true
}
