package document

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// An example is a request of a route file with what it expects.
type example struct {
	site.Example
	sample     httpfile.Sample
	conditions []httpfile.Condition
	status     int // 0 for that of the handler
}

// values are the parameters of the path of an example.
type values map[string][]string

func (v values) Param(name string) string      { return strings.Join(v[name], "/") }
func (v values) Segments(name string) []string { return v[name] }

// filled returns what the examples fill, by its type.
func (m *maker) filled() map[reflect.Type][]reflect.Value {
	of := map[reflect.Type][]reflect.Value{}
	for _, p := range m.parts {
		for _, e := range p.examples {
			if p.In == nil || !httpfile.Expects2XX(e.Request) || e.sample.Lacks || e.sample.Target == "" {
				continue
			}
			if dst, ok := p.filled(e); ok && len(of[p.In]) < maxExamples {
				of[p.In] = append(of[p.In], dst)
			}
		}
	}
	return of
}

// maxExamples is how many examples of a type Validate is asked about.
const maxExamples = 8

// filled returns what an example fills, before Validate. ok is false if the request cannot be read or has
// a value that does not convert.
func (p *part) filled(e *example) (dst reflect.Value, ok bool) {
	defer func() {
		if recover() != nil { // in Default, or in a method that decodes
			ok = false
		}
	}()
	target, err := url.Parse(e.sample.Target)
	if err != nil {
		return dst, false
	}
	r := &http.Request{Method: e.Method, URL: target, Header: http.Header{}, ContentLength: int64(len(e.sample.Body))}
	for _, field := range e.sample.Header {
		r.Header.Add(field[0], field[1])
	}
	r.Body = http.NoBody
	if len(e.sample.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(e.sample.Body))
	}
	path, _ := pattern.Clean(p.prefix + target.EscapedPath())
	b := input.New(nil, r, 0, false, false)
	defer b.End()
	if b.Load(r, false) != nil {
		return dst, false
	}
	dst = input.NewDefault(p.In)
	invalid, err := b.Fill(r, valuesOf(e.Pattern, path.Segments), dst.Interface())
	return dst, err == nil && len(invalid) == 0
}

// valuesOf returns the values of the parameters of a pattern in a path with these segments, or nil if
// the path has too few or too many of them.
func valuesOf(of *pattern.Pattern, path []string) values {
	n := len(of.Segments)
	if len(path) != n && !(of.HasRest() && len(path) > n) {
		return nil
	}
	found := values{}
	for i, seg := range of.Segments {
		switch seg.Kind {
		case pattern.Param:
			found[seg.Text] = path[i : i+1]
		case pattern.Rest:
			found[seg.Text] = path[i:]
		}
	}
	return found
}
