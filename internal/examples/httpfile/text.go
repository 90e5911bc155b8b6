package httpfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Text is a text of a file, with references.
//
//	/users/{{created.response.body.$.id}}/edit  => "/users/", the reference, "/edit"
type Text struct {
	Line   int
	pieces []piece
}

// A piece of a Text is literal, unless ref is set.
type piece struct {
	literal string
	ref     *reference
}

// A reference stands for a value that is known when the request is sent.
type reference struct {
	source string // as it is written, with braces
	kind   referenceKind
	name   string // of the variable or the request
	header string // of refHeader
	place  place  // of refBody; nil for the whole body
	whole  bool   // of refBody: the text of the body
	min    int64  // of refRandomInt
	max    int64  // of refRandomInt; is never reached
}

type referenceKind uint8

const (
	refVariable referenceKind = iota
	refBody
	refHeader
	refRandomInt
	refUUID
	refTimestamp
)

var (
	braces    = regexp.MustCompile(`\{\{\s*(.+?)\s*\}\}`) // as the clients find them
	word      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	randomInt = regexp.MustCompile(`^\$randomInt\s+(-?\d+)\s+(-?\d+)$`)
)

// parseText returns the Text of a text with references in braces, and what is wrong with them.
func parseText(line int, text string) (t Text, wrong []error) {
	t.Line = line
	for strings.Contains(text, "{{") {
		at := braces.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		ref, err := parseReference(text[at[2]:at[3]])
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %w", text[at[0]:at[1]], err))
			ref = &reference{kind: refTimestamp} // a hole, so that the rest of the line can be checked
		}
		ref.source = text[at[0]:at[1]]
		t.add(text[:at[0]])
		t.pieces = append(t.pieces, piece{ref: ref})
		text = text[at[1]:]
	}
	t.add(text)
	return t, wrong
}

func (t *Text) add(literal string) {
	if literal != "" {
		t.pieces = append(t.pieces, piece{literal: literal})
	}
}

// parseReference parses what stands between the braces.
func parseReference(text string) (*reference, error) {
	if min, max, ok := randomBounds(text); ok {
		if min >= max {
			return nil, errors.New("needs a smaller and a larger number: {{$randomInt 1 1000000}}")
		}
		return &reference{kind: refRandomInt, min: min, max: max}, nil
	}
	switch {
	case text == "$guid", text == "$uuid":
		return &reference{kind: refUUID}, nil
	case text == "$timestamp":
		return &reference{kind: refTimestamp}, nil
	case strings.HasPrefix(text, "$"):
		return nil, errors.New("is none of {{$guid}}, {{$uuid}}, {{$timestamp}} and {{$randomInt 1 1000000}}")
	case word.MatchString(text):
		return &reference{kind: refVariable, name: text}, nil
	}
	name, rest, _ := strings.Cut(text, ".")
	part, ok := strings.CutPrefix(rest, "response.")
	if !ok || !word.MatchString(name) {
		return nil, errors.New("is no reference: write {{variable}}, {{name.response.body.$.key}}, {{name.response.body.*}} or {{name.response.headers.location}}")
	}
	if header, ok := strings.CutPrefix(part, "headers."); ok && fieldName.MatchString(header) {
		return &reference{kind: refHeader, name: name, header: header}, nil
	}
	if part == "body.*" {
		return &reference{kind: refBody, name: name, whole: true}, nil
	}
	if at, ok := strings.CutPrefix(part, "body.$"); ok {
		if at == "" {
			return &reference{kind: refBody, name: name, place: place{}}, nil
		}
		if p, ok := parsePlace(strings.TrimPrefix(at, ".")); ok && (at[0] == '.' || at[0] == '[') {
			return &reference{kind: refBody, name: name, place: p}, nil
		}
	}
	return nil, fmt.Errorf("is no part of an answer: write {{%[1]s.response.body.$.key}}, {{%[1]s.response.body.*}} or {{%[1]s.response.headers.location}}", name)
}

// randomBounds returns the numbers of a text such as "$randomInt 1 100".
func randomBounds(text string) (min, max int64, ok bool) {
	m := randomInt.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	min, err1 := strconv.ParseInt(m[1], 10, 53)
	max, err2 := strconv.ParseInt(m[2], 10, 53)
	return min, max, err1 == nil && err2 == nil
}

// String returns the text as it is written.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.ref != nil {
			b.WriteString(p.ref.source)
		} else {
			b.WriteString(p.literal)
		}
	}
	return b.String()
}

// isLiteral reports whether the text has no references.
func (t Text) isLiteral() bool {
	return len(t.pieces) == 0 || len(t.pieces) == 1 && t.pieces[0].ref == nil
}

// Values are what references stand for while the requests of a file are sent one after the
// other.
type Values struct {
	variables map[string]string
	answers   map[string]*Answer
	set       int // bytes that Set has stored
}

// maxText is how many bytes the variables of a file may have together, and those of a request
// that is written in the file. It is twice the default of Router.MaxBody, so that an example
// can show that a body is too large. Without a limit, lines such as "@b = {{a}}{{a}}" would
// double a value until no memory is left.
const maxText = 20 << 20

// errTooLong is the error of a text that has more bytes than it may have.
var errTooLong = fmt.Errorf("the text has more than %d MiB with the values of its references", maxText>>20)

// NewValues returns Values with variables that the file does not set itself.
func NewValues(variables map[string]string) *Values {
	v := &Values{variables: map[string]string{}, answers: map[string]*Answer{}}
	for name, value := range variables {
		v.variables[name] = value
	}
	return v
}

// Set sets variables of the file. It stops at one that is too long, since those below it would
// be as long.
func (v *Values) Set(variables []Variable) error {
	var errs []error
	for _, variable := range variables {
		value, err := v.expand(variable.Value, maxText-v.set)
		if err != nil {
			errs = append(errs, err)
			if errors.Is(err, errTooLong) {
				break
			}
			continue
		}
		v.variables[variable.Name] = value
		v.set += len(value)
	}
	return errors.Join(errs...)
}

// A LineError is an error of a line of the file. Errors of several lines are joined.
type LineError struct {
	Line int
	Err  error
}

// Error returns the text of the error, without the line.
func (e *LineError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the line.
func (e *LineError) Unwrap() error { return e.Err }

// Keep keeps the answer of a request, if the request has a name.
func (v *Values) Keep(r *Request, a *Answer) {
	if r.Name != "" {
		v.answers[r.Name] = a
	}
}

// expand returns a text with the values of its references. The error is errTooLong if it has
// more bytes than most.
func (v *Values) expand(t Text, most int) (string, error) {
	var b strings.Builder
	var errs []error
	for _, p := range t.pieces {
		value := p.literal
		if p.ref != nil {
			var err error
			if value, err = v.value(p.ref); err != nil {
				errs = append(errs, &LineError{t.Line, fmt.Errorf("%s %w", p.ref.source, err)})
			}
		}
		if len(value) > most-b.Len() {
			return "", &LineError{t.Line, errTooLong}
		}
		b.WriteString(value)
	}
	return b.String(), errors.Join(errs...)
}

// value returns what a reference stands for.
func (v *Values) value(r *reference) (string, error) {
	switch r.kind {
	case refRandomInt:
		n, err := rand.Int(rand.Reader, big.NewInt(r.max-r.min))
		if err != nil {
			return "", err
		}
		return strconv.FormatInt(r.min+n.Int64(), 10), nil
	case refUUID:
		return newUUID(), nil
	case refTimestamp:
		return strconv.FormatInt(time.Now().Unix(), 10), nil
	case refVariable:
		value, ok := v.variables[r.name]
		if !ok {
			return "", fmt.Errorf("has no value: set it above with @%s = value, or give it to flowtest.Examples", r.name)
		}
		return value, nil
	}
	a := v.answers[r.name]
	if a == nil {
		return "", fmt.Errorf("has no value: the request %s was not answered", r.name)
	}
	if r.kind == refHeader {
		values := a.Header.Values(r.header)
		if len(values) == 0 {
			return "", fmt.Errorf("has no value: the answer of %s has no header %s", r.name, r.header)
		}
		return strings.Join(values, ", "), nil
	}
	if r.whole {
		return string(a.Body), nil
	}
	found := a.at(r.place)
	if found == undefined {
		return "", fmt.Errorf("has no value: the answer of %s has nothing there", r.name)
	}
	if text, ok := found.(string); ok {
		return text, nil
	}
	return stringify(found), nil
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
