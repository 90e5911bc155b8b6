package export

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/routes/routetree"
)

// A file is what is written.
type file struct {
	name    string // below the directory, with slashes
	of      string // what it is the file of, for messages
	content func() ([]byte, error)
}

// files returns the files of all that is exported, sorted by their names. It adds the faults of names.
func (c *crawl) files() (all []file) {
	for _, r := range c.inOrder {
		name := r.file(c.Index)
		if !r.walked || r.to != nil && r.to.resource != nil && r.to.resource.file(c.Index) == name {
			continue // the host does what such a redirect does
		}
		f := file{name, r.shown(), func() ([]byte, error) { return c.content(r) }}
		all = append(all, f)
		if c.Gzip && isCompressible(r) {
			if zipped, ok := compressed(f); ok {
				all = append(all, zipped)
			}
		}
	}
	if c.Headers {
		text := c.headers()
		all = append(all, file{"_headers", "the header fields", func() ([]byte, error) { return text, nil }})
	}
	isHidden := func(f file) bool { return strings.HasPrefix(f.name, "_") || strings.Contains(f.name, "/_") }
	isThere := func(f file) bool { return f.name == noJekyll }
	if slices.ContainsFunc(all, isHidden) && !slices.ContainsFunc(all, isThere) {
		all = append(all, file{noJekyll, "GitHub Pages", func() ([]byte, error) { return nil, nil }})
	}
	slices.SortStableFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	c.faults = append(c.faults, clashes(all)...)
	return all
}

// noJekyll is a file that tells GitHub Pages to serve files whose names begin with an underscore.
const noJekyll = ".nojekyll"

// file returns the name of the file of a resource.
func (r *resource) file(index bool) string {
	name := strings.TrimPrefix(r.path, "/")
	switch ext := path.Ext(name); {
	case r.missing:
		return "404.html"
	case name == "" || strings.HasSuffix(name, "/"):
		return name + "index.html"
	case !r.isPage && r.to == nil, ext == ".html", ext == ".htm":
		return name
	case index:
		return name + "/index.html"
	}
	return name + ".html"
}

// isDirectory reports whether the file of a resource is in a directory of its own, so that its host adds a
// slash to its URL.
func (r *resource) isDirectory(index bool) bool {
	return r.file(index) == strings.TrimPrefix(r.path, "/")+"/index.html"
}

// content returns the content of the file of a resource.
func (c *crawl) content(r *resource) ([]byte, error) {
	if r.to != nil {
		to := r.to.url
		if r.to.resource != nil {
			to = c.Base + r.to.resource.shown()
			if r.to.fragment != "" {
				to += "#" + r.to.fragment
			}
		}
		to = html.EscapeString(to)
		return fmt.Appendf(nil, redirectPage, to), nil
	}
	body, err := c.store.body(r.answer)
	if err == nil && c.Base != "" && r.isPage {
		body = []byte(links.Below(c.Base, string(body)))
	}
	return body, err
}

const redirectPage = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="%[1]s">
<meta http-equiv="refresh" content="0; url=%[1]s">
<p>This page is now at <a href="%[1]s">%[1]s</a>.</p>
</html>
`

// isCompressible reports whether the file of a resource is worth compressing.
func isCompressible(r *resource) bool {
	t := mediaType(r.answer.header.Get("Content-Type"))
	return r.to == nil && (strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "json") ||
		slices.Contains([]string{"application/xml", "application/javascript", "application/wasm", "image/x-icon", "image/vnd.microsoft.icon"}, t))
}

// compressed returns the compressed file beside another one, as nginx's gzip_static takes it. It reports
// false if that would be no smaller.
func compressed(f file) (zipped file, ok bool) {
	text, err := f.content()
	if err != nil {
		return file{}, false // the file itself tells
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Write(text)
	w.Close()
	return file{f.name + ".gz", f.of + ", compressed", func() ([]byte, error) { return b.Bytes(), nil }}, b.Len() < len(text)
}

// clashes returns the faults of names that cannot stand beside each other, or cannot be those of files.
func clashes(sorted []file) (faults []fault.Fault) {
	byName := map[string]file{}
	for _, f := range sorted {
		if why := wrongName(f.name); why != "" {
			faults = append(faults, fault.In(f.of, "its file would be %q, and %s", f.name, why))
		}
		folded := fold.Case(f.name)
		other, taken := byName[folded]
		switch {
		case taken && other.name == f.name:
			faults = append(faults, fault.In(f.of, "its file would be %s, which is that of %s", f.name, other.of))
		case taken:
			faults = append(faults, fault.In(f.of, "its file would be %s, which differs from %s of %s only in case, and not every disk can hold both", f.name, other.name, other.of))
		}
		byName[folded] = f
	}
	for _, f := range sorted {
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			if other, ok := byName[fold.Case(dir)]; ok {
				faults = append(faults, fault.In(f.of, "its file would be %s, and %s is the file of %s, which cannot be a directory, too", f.name, other.name, other.of))
			}
		}
	}
	return faults
}

// wrongName says why a name cannot be that of a file on every system, or returns "".
func wrongName(name string) string {
	if name == listName || strings.HasPrefix(name, tempName) {
		return "the export has a file of that name"
	}
	if len(name) > 1000 {
		return "that is longer than 1,000 bytes"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "", part == ".", part == "..":
			return fmt.Sprintf("no file or directory is called %q", part)
		case !utf8.ValidString(part):
			return "that is not UTF-8"
		case len(part) > 250:
			return "a part of it is longer than 250 bytes"
		case strings.ContainsFunc(part, func(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(`<>:"|?*\`, c) }):
			return `no file can have one of <>:"|?*\ or a control character in its name on every system`
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "):
			return "on Windows, no name ends in a dot or a space"
		case routetree.IsDevice(part):
			return fmt.Sprintf("%q is a device on Windows", part)
		}
	}
	return ""
}

// perAnswer are the header fields that do not belong to a file, or that its host sets.
var perAnswer = []string{
	"Accept-Ranges", "Age", "Alt-Svc", "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Date", "Etag",
	"Last-Modified", "Location", "Server", "Trailer", "Transfer-Encoding", "Vary",
}

// keepEqual drops the header fields that a second answer does not have, or has with other values, such as
// X-Request-Id.
func (a *answer) keepEqual(again http.Header) {
	for name, values := range a.header {
		if !slices.Equal(values, again[name]) {
			delete(a.header, name)
		}
	}
}

var newlines = strings.NewReplacer("\r", " ", "\n", " ")

// headers returns the text of _headers, as Netlify and Cloudflare Pages read it. What all answers have
// stands there once.
func (c *crawl) headers() []byte {
	type entry struct {
		url   string
		lines []string
	}
	var all []entry
	counts := map[string]int{}
	for _, r := range c.inOrder {
		if !r.walked || r.to != nil || r.missing {
			continue
		}
		e := entry{url: c.Base + r.shown()}
		if r.isDirectory(c.Index) {
			e.url += "/"
		}
		for name, values := range r.answer.header {
			value := newlines.Replace(strings.Join(values, ", ")) // as net/http does
			switch {
			case slices.Contains(perAnswer, name),
				name == "Cache-Control" && !strings.Contains(value, "immutable"),
				name == "Content-Type" && mediaType(mime.TypeByExtension(path.Ext(r.file(c.Index)))) == mediaType(value):
				continue
			}
			e.lines = append(e.lines, "  "+name+": "+value+"\n")
		}
		slices.Sort(e.lines)
		for _, line := range e.lines {
			counts[line]++
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.url, b.url) })
	var b strings.Builder
	write := func(url string, lines []string) {
		if len(lines) > 0 {
			b.WriteString(url + "\n" + strings.Join(lines, ""))
		}
	}
	isCommon := func(line string) bool { return counts[line] == len(all) }
	if len(all) > 0 {
		write(c.Base+"/*", slices.DeleteFunc(slices.Clone(all[0].lines), func(line string) bool { return !isCommon(line) }))
	}
	for _, e := range all {
		write(e.url, slices.DeleteFunc(e.lines, isCommon))
	}
	return []byte(b.String())
}
