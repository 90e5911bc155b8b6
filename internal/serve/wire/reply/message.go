package reply

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
)

// A Message is a text for a client. flow's own have a code, by which an application may put a
// text of its own in their place; they are made in this file and nowhere else. A text without
// a code is the application's.
type Message struct {
	Code    string
	English string
	Args    []any // the numbers in English, and others that a text may want to name
}

// What is wrong with a field. The texts are read after its name.
var (
	MustBeBool    = Message{Code: "invalid.bool", English: "must be true or false"}
	MustBeInteger = Message{Code: "invalid.integer", English: "must be a whole number"}
	MustBeNatural = Message{Code: "invalid.natural", English: "must be a whole number that is not negative"}
	MustBeNumber  = Message{Code: "invalid.number", English: "must be a number"}
	MustBeText    = Message{Code: "invalid.text", English: "must be text"}
	MustBeList    = Message{Code: "invalid.list", English: "must be a list"}
	MustBeObject  = Message{Code: "invalid.object", English: "must be an object"}
	MustBeFile    = Message{Code: "invalid.file", English: "must be a file"}
	MustBeOther   = Message{Code: "invalid.other", English: "must be another kind of value"}
	IsInvalid     = Message{Code: "invalid.invalid", English: "is not valid"}
)

// MustBeInRange is for whole numbers of a type with limits.
func MustBeInRange(from, to int64) Message {
	return Message{Code: "invalid.range", English: fmt.Sprintf("must be a whole number from %d to %d", from, to), Args: []any{from, to}}
}

// MustBeQuoted is for a value of JSON that a field with the option ",string" does not take.
// must says what is to be in the quotes.
func MustBeQuoted(must Message) Message {
	return Message{Code: "invalid.quoted", English: must.English + ", in quotes"}
}

// IsTooLarge is for a file, in a body of which at most so many bytes are read.
func IsTooLarge(bytes int64) Message {
	return Message{Code: "invalid.too-large", English: "is too large", Args: []any{bytes}}
}

// What is wrong with a body as a whole.
var (
	BodyMalformed     = Message{Code: "body.malformed", English: "the body is incomplete or malformed"}
	BodyNotJSON       = Message{Code: "body.not-json", English: "the body is not valid JSON"}
	BodyNotObject     = Message{Code: "body.not-an-object", English: "the body is not a JSON object"}
	BodyNotForm       = Message{Code: "body.not-a-form", English: "the body is not a valid form"}
	BodyUnexpected    = Message{Code: "body.unexpected", English: "the body does not have the expected form"}
	BodyEmpty         = Message{Code: "body.empty", English: "the body is empty, and JSON is expected"}
	BodyNeedsJSON     = Message{Code: "body.needs-json", English: "the body is not JSON"}
	BodyOtherType     = Message{Code: "body.other-type", English: "the body is neither JSON nor a form"}
	BodyTooSlow       = Message{Code: "body.too-slow", English: "the body took too long"}
	BodyTooDeep       = Message{Code: "body.too-deep", English: "the body is nested too deeply"}
	BodyTooManyValues = Message{Code: "body.too-many-values", English: "the body holds too many values"}
	BodyTooManyParts  = Message{Code: "body.too-many-parts", English: "the form has too many or too large parts"}
)

// BodyTooLarge is for a body of which at most so many bytes are read.
func BodyTooLarge(bytes int64) Message {
	return Message{Code: "body.too-large", English: "the body is too large", Args: []any{bytes}}
}

// What is wrong with a request.
var (
	FieldsInvalid      = Message{Code: "fields", English: "some fields are not valid"}
	QueryTooManyValues = Message{Code: "query.too-many-values", English: "the query holds too many values"}
	OtherOrigin        = Message{Code: "other-origin", English: "this request comes from another origin"}
)

// Lang is the language of the page about an error.
var Lang = Message{Code: "lang", English: "en"}

// TitleOf returns the name of a status, such as "Not Found".
func TitleOf(status int) Message {
	code := strconv.Itoa(status)
	return Message{Code: "status." + code, English: cmp.Or(http.StatusText(status), "Error "+code)}
}
