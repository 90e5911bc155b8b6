package httpfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
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

// A piece of a Text is literal, unless it is a reference.
type piece struct {
	text string // as it is written, a reference with its braces
	ref  *reference
}

// A reference stands for a value that is known when the request is sent.
type reference struct {
	request  string // the request whose answer it reads, by name; "" if it reads none
	isHeader bool   // it reads a field of the header of that answer
	value    func(*Values) (string, error)
}

var (
	braces    = regexp.MustCompile(`\{\{\s*(.+?)\s*\}\}`) // as the clients find them
	word      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	randomInt = regexp.MustCompile(`^\$randomInt\s+(-?\d+)\s+(-?\d+)$`)
)

// parseText returns the Text of a text with references in braces, and what is wrong with them.
func parseText(line int, text string) (t Text, wrong []error) {
	t.Line = line
	done := 0
	for _, at := range braces.FindAllStringSubmatchIndex(text, -1) {
		source := text[at[0]:at[1]]
		ref, err := parseReference(text[at[2]:at[3]])
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %w", source, err))
			ref = generated("", func() string { return "" }) // so that the rest of the line can be checked
		}
		t.add(text[done:at[0]], nil)
		t.add(source, ref)
		done = at[1]
	}
	t.add(text[done:], nil)
	return t, wrong
}

func (t *Text) add(text string, ref *reference) {
	if text != "" {
		t.pieces = append(t.pieces, piece{text, ref})
	}
}

// parseReference parses what stands between the braces.
func parseReference(text string) (*reference, error) {
	if low, high, ok := randomBounds(text); ok {
		if low >= high {
			return nil, errors.New("needs a smaller and a larger number: {{$randomInt 1 1000000}}")
		}
		return generated(strconv.FormatInt(min(max(42, low), high-1), 10), func() string {
			n, _ := rand.Int(rand.Reader, big.NewInt(high-low)) // never fails
			return strconv.FormatInt(low+n.Int64(), 10)
		}), nil
	}
	switch {
	case text == "$guid", text == "$uuid":
		return generated("0f8fad5b-d9cb-469f-a165-70867728950e", newUUID), nil
	case text == "$timestamp":
		return generated("1767225600", func() string { return strconv.FormatInt(time.Now().Unix(), 10) }), nil
	case strings.HasPrefix(text, "$"):
		return nil, errors.New("is none of {{$guid}}, {{$uuid}}, {{$timestamp}} and {{$randomInt 1 1000000}}")
	case word.MatchString(text):
		return &reference{value: func(v *Values) (string, error) { return v.variable(text) }}, nil
	}
	name, rest, _ := strings.Cut(text, ".")
	part, ok := strings.CutPrefix(rest, "response.")
	if !ok || !word.MatchString(name) {
		return nil, errors.New("is no reference: write {{variable}}, {{name.response.body.$.key}}, {{name.response.body.*}} or {{name.response.headers.location}}")
	}
	read := readerOf(part)
	if read == nil {
		return nil, fmt.Errorf("is no part of an answer: write {{%[1]s.response.body.$.key}}, {{%[1]s.response.body.*}} or {{%[1]s.response.headers.location}}", name)
	}
	return &reference{name, strings.HasPrefix(part, "headers."), func(v *Values) (string, error) { return v.ofAnswer(name, read) }}, nil
}

// generated returns a reference that reads nothing. In a document it stands for fixed.
func generated(fixed string, value func() string) *reference {
	return &reference{value: func(v *Values) (string, error) {
		if v.fixed {
			return fixed, nil
		}
		return value(), nil
	}}
}

// readerOf returns a function that reads a part of an answer, such as "body.$.key" or
// "headers.location", or nil if no answer has such a part. If an answer lacks the part, the
// function returns the end of a sentence about it: "nothing there".
func readerOf(part string) func(*Answer) (text, lacks string) {
	if header, ok := strings.CutPrefix(part, "headers."); ok && fieldName.MatchString(header) {
		return func(a *Answer) (text, lacks string) {
			values := a.Header.Values(header)
			if len(values) == 0 {
				lacks = "no header " + header
			}
			return strings.Join(values, ", "), lacks
		}
	}
	if part == "body.*" {
		return func(a *Answer) (text, lacks string) { return string(a.Body), "" }
	}
	at, ok := strings.CutPrefix(part, "body.$")
	if !ok || at != "" && at[0] != '.' && at[0] != '[' {
		return nil
	}
	p, ok := parsePlace(strings.TrimPrefix(at, "."))
	if !ok && at != "" {
		return nil
	}
	return func(a *Answer) (text, lacks string) {
		switch found := a.at(p).(type) {
		case string:
			return found, ""
		default:
			if found == undefined {
				lacks = "nothing there"
			}
			return stringify(found), lacks
		}
	}
}

// randomBounds returns the numbers of a text such as "$randomInt 1 100".
func randomBounds(text string) (low, high int64, ok bool) {
	m := randomInt.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	low, err1 := strconv.ParseInt(m[1], 10, 53)
	high, err2 := strconv.ParseInt(m[2], 10, 53)
	return low, high, err1 == nil && err2 == nil
}

// String returns the text as it is written.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// isLiteral reports whether the text has no references.
func (t Text) isLiteral() bool {
	return !slices.ContainsFunc(t.pieces, func(p piece) bool { return p.ref != nil })
}

// Values are what references stand for while the requests of a file are sent one after the
// other.
type Values struct {
	variables map[string]string
	answers   map[string]*Answer
	set       int  // bytes that Set has stored
	fixed     bool // what is generated is the same each time
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
	maps.Copy(v.variables, variables)
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
		value := p.text
		if p.ref != nil {
			var err error
			if value, err = p.ref.value(v); err != nil {
				errs = append(errs, &LineError{t.Line, fmt.Errorf("%s has no value: %w", p.text, err)})
			}
		}
		if len(value) > most-b.Len() {
			return "", &LineError{t.Line, errTooLong}
		}
		b.WriteString(value)
	}
	return b.String(), errors.Join(errs...)
}

// variable returns the value of a variable.
func (v *Values) variable(name string) (string, error) {
	value, ok := v.variables[name]
	if !ok {
		return "", fmt.Errorf("set it above with @%s = value, or give it to flowtest.Examples", name)
	}
	return value, nil
}

// ofAnswer returns what a function of readerOf reads of the answer to a request.
func (v *Values) ofAnswer(request string, read func(*Answer) (text, lacks string)) (string, error) {
	a := v.answers[request]
	if a == nil {
		return "", fmt.Errorf("the request %s was not answered", request)
	}
	text, lacks := read(a)
	if lacks != "" {
		return "", fmt.Errorf("the answer of %s has %s", request, lacks)
	}
	return text, nil
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
