package httpfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"example.com/flow/internal/fault"
)

// An Expectation is a line of what an answer should be.
//
//	# ?? status == 200
//	# ?? header location startsWith /users/
//	# ?? body errors.name isString
type Expectation struct {
	Line      int
	subject   string // "status", "header" or "body"
	header    string // of "header"
	place     place  // of "body"; nil for the whole body
	shown     string // the subject as it is written: "body errors.name"
	condition string
	text      Text // what follows the condition
}

// A condition compares a value with the text of an expectation.
type condition struct {
	holds    func(value any, text string) bool
	takes    bool // a text follows
	decoded  bool // of a body without a place, it looks at the decoded value, and not at the text
	ofFields bool // it makes sense for the list of all Set-Cookie fields
}

// conditions are those of httpyac that flow knows, with the meaning that they have there.
var conditions = map[string]condition{
	"==":         {holds: equal, takes: true},
	"!=":         {holds: func(v any, text string) bool { return !same(v, text) }, takes: true},
	">":          {holds: compare(func(a, b float64) bool { return a > b }), takes: true},
	">=":         {holds: compare(func(a, b float64) bool { return a >= b }), takes: true},
	"<":          {holds: compare(func(a, b float64) bool { return a < b }), takes: true},
	"<=":         {holds: compare(func(a, b float64) bool { return a <= b }), takes: true},
	"includes":   {holds: within(strings.Contains), takes: true, ofFields: true},
	"contains":   {holds: within(strings.Contains), takes: true, ofFields: true},
	"startsWith": {holds: within(strings.HasPrefix), takes: true},
	"endsWith":   {holds: within(strings.HasSuffix), takes: true},
	"matches":    {holds: matches, takes: true},
	"exists":     {holds: func(v any, _ string) bool { return isTruthy(v) }, ofFields: true},
	"isFalse":    {holds: func(v any, _ string) bool { return !isTruthy(v) }, ofFields: true},
	"isArray":    {holds: func(v any, _ string) bool { _, ok := v.([]any); return ok }, decoded: true},
	"isString":   {holds: func(v any, _ string) bool { _, ok := v.(string); return ok }, decoded: true},
	"isNumber":   {holds: func(v any, _ string) bool { _, ok := v.(float64); return ok }, decoded: true},
	"isBoolean":  {holds: func(v any, _ string) bool { _, ok := v.(bool); return ok }, decoded: true},
}

var (
	fieldName = regexp.MustCompile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$")
	// secondCondition finds what httpyac takes for the condition of a line: the last word that
	// begins as one of its conditions, in any case.
	secondCondition = regexp.MustCompile(`(?i)(?:^|\s)(endsWith|={2,3}|equals|exists|isTrue|>=?|contains|includes|isArray|isBoolean|isNumber|isString|<=?|matches|!={1,2}|not equals|startsWith|sha256|md5|sha512|isFalse)`)
	// portable is the syntax that regular expressions have both in Go and in JavaScript with
	// the flag u.
	portable = regexp.MustCompile(`^(?:[^\\\[\]{}()]|\\[dDwWsSbBtnrfv^$\\.*+?()\[\]{}|/]|\[(?:[^\\\[\]]|\\[dDwWsStnrfv^$\\.*+?()\[\]{}|/-])+\]|\((?:\?:)?|\)|\{\d+(?:,\d*)?\})*$`)
	escape   = regexp.MustCompile(`\\.`)
)

// parseExpectation parses what stands behind "??", up to the condition, and returns what follows
// that.
func parseExpectation(line int, text string) (e Expectation, rest string, err error) {
	e.Line = line
	e.subject, text = cutWord(text)
	e.shown = e.subject
	switch e.subject {
	case "status":
	case "header":
		if e.header, text = cutWord(text); !fieldName.MatchString(e.header) {
			return e, "", errors.New("header needs the name of a field: # ?? header location exists")
		}
		e.shown += " " + e.header
	case "body":
		at, behind := cutWord(text)
		if _, ok := conditions[at]; ok || at == "" {
			break
		}
		var ok bool
		if e.place, ok = parsePlace(at); !ok {
			return e, "", fmt.Errorf("%q is no place in a body: write keys of letters, digits, _ and -, and indexes, as in errors[0].name", at)
		}
		if next, _ := cutWord(behind); conditions[next].holds == nil && suggestCondition(at) != "" {
			return e, "", fmt.Errorf("%q is no condition%s", at, suggestCondition(at))
		}
		e.shown += " " + at
		text = behind
	case "":
		return e, "", errors.New("an expectation needs a subject and a condition: # ?? status == 200")
	default:
		return e, "", fmt.Errorf("%q is no subject of an expectation%s", e.subject, fault.Suggest(e.subject, map[string]bool{"status": true, "header": true, "body": true}, ": write status, header name, or body"))
	}
	e.condition, text = cutWord(text)
	if e.condition == "" {
		return e, "", fmt.Errorf("%s needs a condition: # ?? %[1]s exists", e.shown)
	}
	if _, ok := conditions[e.condition]; !ok {
		return e, "", fmt.Errorf("%q is no condition%s", e.condition, cmp.Or(suggestCondition(e.condition), ": the conditions are == != > >= < <= includes contains startsWith endsWith matches exists isFalse isArray isString isNumber isBoolean"))
	}
	return e, text, nil
}

// check returns what is wrong with an expectation and its text.
func (e *Expectation) check(text string) error {
	c := conditions[e.condition]
	switch second := secondCondition.FindStringSubmatch(text); {
	case c.takes && text == "":
		return fmt.Errorf("%s needs a text to compare with: # ?? %s %[1]s text", e.condition, e.shown)
	case !c.takes && text != "":
		return fmt.Errorf("%s takes no text, and %q follows it", e.condition, text)
	case second != nil:
		return fmt.Errorf("the text begins a word with the condition %q, and httpyac takes the last one of a line: put the text into a variable, @text = …, and write {{text}}", second[1])
	case e.subject == "header" && strings.EqualFold(e.header, "Set-Cookie") && !c.ofFields && text != "undefined":
		return errors.New("clients keep Set-Cookie as a list: use includes, exists or isFalse")
	case !e.text.isLiteral():
	case e.subject == "status" && strings.ContainsAny(e.condition, "=<>"):
		if _, err := strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is no status: write a number, as in # ?? status == 200", text)
		}
	case e.condition == "matches":
		return checkPattern(text)
	}
	return nil
}

// checkPattern returns what is wrong with a regular expression.
func checkPattern(text string) error {
	if _, err := regexp.Compile(text); err != nil {
		return err
	}
	if !portable.MatchString(text) || strings.Contains(strings.ReplaceAll(escape.ReplaceAllString(text, ""), "(?:", ""), "(?") {
		return fmt.Errorf("%s is not a regular expression both in Go and in JavaScript: write \\ before brackets and braces that stand for themselves, and before no other letter than d, w, s, b", text)
	}
	return nil
}

// suggestCondition returns `: did you mean "startsWith"?` for a misspelt condition, or "".
func suggestCondition(misspelt string) string {
	switch misspelt {
	case "=", "===", "equals":
		misspelt = "=="
	case "!==", "<>":
		misspelt = "!="
	case "isTrue":
		misspelt = "exists"
	}
	return fault.Suggest(misspelt, conditions, "")
}

// cutWord returns the first word of a text, and what follows it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

// Judge compares an answer with the expectation. It returns "" if the answer is as expected,
// and otherwise what it is instead: `body name == Ada: is "Eve"`.
func (e *Expectation) Judge(a *Answer, v *Values) string {
	said := e.shown + " " + e.condition
	text, err := v.expand(e.text, maxText)
	if text != "" {
		said += " " + text
	}
	c := conditions[e.condition]
	if err == nil && e.condition == "matches" {
		err = checkPattern(text)
	}
	if err != nil {
		return said + ": " + err.Error()
	}
	value := e.value(a, c)
	if c.takes && text == "" || !c.holds(value, text) {
		return said + ": is " + show(value)
	}
	return ""
}

// value returns the part of an answer that the expectation is about.
func (e *Expectation) value(a *Answer, c condition) any {
	switch {
	case e.subject == "status":
		return float64(a.Status)
	case e.subject == "header":
		fields := a.Header.Values(e.header)
		switch {
		case len(fields) == 0:
			return undefined
		case strings.EqualFold(e.header, "Set-Cookie"):
			list := []any{}
			for _, f := range fields {
				list = append(list, f)
			}
			return list
		}
		return strings.Join(fields, ", ")
	case e.place != nil:
		return a.at(e.place)
	}
	if c.decoded {
		if root := a.decode(); root != undefined {
			return root
		}
	}
	return string(a.Body)
}

// show returns a value for messages.
func show(v any) string {
	if v == undefined {
		return "nothing"
	}
	text := []rune(stringify(v))
	if len(text) > 200 {
		text = append(text[:200:200], '…')
	}
	return string(text)
}

// convert returns a text as a value of the type that another value has.
func convert(to any, text string) any {
	switch to.(type) {
	case float64:
		if n, ok := toNumber(text); ok {
			return n
		}
		return undefined
	case bool:
		n, isNumber := toNumber(text)
		return !strings.EqualFold(strings.TrimSpace(text), "false") && (!isNumber || n != 0)
	case nil, []any, *object:
		if v := decodeJSON([]byte(text)); v != undefined {
			return v
		}
	default:
		if to == undefined && text == "undefined" {
			return undefined
		}
	}
	return text
}

// same reports whether a value is that of a text, by the rule of !=: a list or object is never
// the same as another.
func same(v any, text string) bool {
	_, isList := v.([]any) // which Go cannot compare; objects are compared as pointers
	return !isList && v == convert(v, text)
}

// equal reports whether a value is that of a text, by the rule of ==: lists and objects are
// compared as JSON.
func equal(v any, text string) bool {
	switch v.(type) {
	case nil, []any, *object:
		return stringify(v) == stringify(convert(v, text))
	}
	return same(v, text)
}

// compare returns a condition for numbers.
func compare(holds func(a, b float64) bool) func(any, string) bool {
	return func(v any, text string) bool {
		a, ok := toNumber(v)
		b, also := toNumber(text)
		return ok && also && holds(a, b)
	}
}

// within returns a condition for a text within another.
func within(holds func(s, part string) bool) func(any, string) bool {
	return func(v any, text string) bool {
		s, ok := toText(v)
		part, also := toText(convert(v, text))
		return ok && also && holds(s, part)
	}
}

// matches reports whether a regular expression finds something in a value.
func matches(v any, text string) bool {
	s, ok := toText(v)
	found, err := regexp.MatchString(text, s)
	return ok && err == nil && found
}
