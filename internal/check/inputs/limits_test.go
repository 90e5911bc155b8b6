package inputs

import (
	"errors"
	"fmt"
	"mime/multipart"
	"net/mail"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/input"
)

// wrongFields are the messages of Validate.
type wrongFields map[string]string

func (wrongFields) Error() string { return "wrong" }

func messagesOfWrong(err error) (map[string]string, bool) {
	var w wrongFields
	return w, errors.As(err, &w)
}

// A limited input has a rule for each of its fields.
type limited struct {
	Note   string   `form:"note"`   // at most 20
	Pass   string   `form:"pass"`   // 8 to 72
	Email  string   `form:"email"`  // an address of at most 30
	Age    int      `form:"age"`    // 18 to 120
	Small  uint8    `form:"small"`  // as its type has it
	Share  float64  `form:"share"`  // at most 1
	Free   string   `form:"free"`   // any
	Terms  bool     `form:"terms"`  // has to be true
	Any    bool     `form:"any"`    // any
	Tags   []string `form:"tags"`   // at least one
	Count  *int     `form:"count"`  // any, or none
	Preset *int     `form:"preset"` // Default sets it
	Day    time.Time
	Photo  *multipart.FileHeader `form:"photo"`
	Page   int                   `query:"page"` // 1 to 9
	Rows   []limitedRow          `form:"rows"`
	Inner  unlimited             `form:"inner"`
}

type limitedRow struct {
	Name string `json:"name"` // at most 5
}

func (r limitedRow) Validate() error {
	if len(r.Name) > 5 {
		return wrongFields{"name": "has more than 5 characters"}
	}
	return nil
}

type unlimited struct {
	Name string `json:"name"`
}

func (l *limited) Default() { n := 1; l.Preset = &n }

func (l *limited) Validate() error {
	wrong := wrongFields{}
	rule := func(field string, ok bool, message string) {
		if !ok {
			wrong[field] = message
		}
	}
	rule("note", len(l.Note) > 0, "is required")
	rule("note", len(l.Note) <= 20, "has more than 20 characters")
	rule("pass", len(l.Pass) >= 8 && len(l.Pass) <= 72, "has to have 8 to 72 characters")
	_, err := mail.ParseAddress(l.Email)
	rule("email", err == nil && len(l.Email) <= 30, "is no address")
	rule("age", l.Age >= 18 && l.Age <= 120, "has to be 18 to 120")
	rule("share", l.Share <= 1, "is more than all")
	rule("terms", l.Terms, "have to be accepted")
	rule("tags", len(l.Tags) > 0, "are missing")
	rule("Day", !l.Day.IsZero(), "is missing")
	rule("photo", l.Photo != nil, "is missing")
	rule("page", l.Page > 0 && l.Page < 10, "is no page")
	if len(wrong) == 0 {
		return nil
	}
	return wrong
}

// A hasty input reports its first mistake alone, so that nothing is known of later fields.
type hasty struct {
	Email, Note string
}

func (h hasty) Validate() error {
	switch {
	case !strings.Contains(h.Email, "@"):
		return wrongFields{"Email": "is no address"}
	case len(h.Note) > 20:
		return wrongFields{"Note": "is too long"}
	}
	return nil
}

// A tidy input is valid with the values that fields get for a check.
type tidy struct {
	Note, Free string
	Flag       bool
	Need       *int // has to be there
	Preset     *int // Default sets it
}

func (t *tidy) Default() { n := 1; t.Preset = &n }

func (t *tidy) Validate() error {
	if _, err := strconv.Atoi(t.Note); err != nil && t.Note != "" {
		return wrongFields{"Note": "is no number"}
	}
	if t.Need == nil {
		return wrongFields{"Need": "is missing"}
	}
	return nil
}

// A fragile input cannot be validated with any values, and an unreachable one not at all.
type fragile struct{ Note, Other string }

func (f fragile) Validate() error {
	if f.Other[len(f.Note)+1] == 'x' {
		return wrongFields{"Note": "is bad"}
	}
	return nil
}

type unreachable struct{ Note string }

func (unreachable) Validate() error { return fmt.Errorf("no database") }

type notValidated struct{ Note string }

func TestLimit(t *testing.T) {
	const of = "Validate of inputs.limited"
	for _, tt := range []struct {
		t                reflect.Type
		key, attr, value string
		want             string
	}{
		{reflect.TypeFor[limited](), "note", "maxlength", "20", ""},
		{reflect.TypeFor[limited](), "note", "maxlength", "30", `"note" may have 30 characters here, and ` + of + ` says that it has more than 20 characters`},
		{reflect.TypeFor[limited](), "note", "maxlength", "19", `"note" may not have 20 characters here, and ` + of + ` takes that`},
		{reflect.TypeFor[limited](), "note", "minlength", "1", ""},
		{reflect.TypeFor[limited](), "note", "minlength", "3", `"note" may not have 2 characters here, and ` + of + ` takes that`},
		{reflect.TypeFor[limited](), "note", "required", "", ""},
		{reflect.TypeFor[limited](), "note", "maxlength", "x", ""},
		{reflect.TypeFor[limited](), "note", "maxlength", "99999999", ""},
		{reflect.TypeFor[limited](), "pass", "minlength", "8", ""},
		{reflect.TypeFor[limited](), "pass", "maxlength", "72", ""},
		{reflect.TypeFor[limited](), "pass", "minlength", "6", `"pass" may have 6 characters here, and ` + of + ` says that it has to have 8 to 72 characters`},
		{reflect.TypeFor[limited](), "pass", "maxlength", "100", `"pass" may have 100 characters here, and ` + of + ` says that it has to have 8 to 72 characters`},
		{reflect.TypeFor[limited](), "email", "maxlength", "100", ""},
		{reflect.TypeFor[limited](), "email", "required", "", ""},
		{reflect.TypeFor[limited](), "age", "min", "18", ""},
		{reflect.TypeFor[limited](), "age", "max", "120", ""},
		{reflect.TypeFor[limited](), "age", "min", "16", `"age" may be 16 here, and ` + of + ` says that it has to be 18 to 120`},
		{reflect.TypeFor[limited](), "age", "max", "99", `"age" may not be 100 here, and ` + of + ` takes that`},
		{reflect.TypeFor[limited](), "age", "min", "{{.}}", ""},
		{reflect.TypeFor[limited](), "age", "required", "", ""},
		{reflect.TypeFor[limited](), "small", "max", "255", ""},
		{reflect.TypeFor[limited](), "small", "min", "0", ""},
		{reflect.TypeFor[limited](), "small", "max", "300", `"small" may be 300 here, and ` + of + ` says that it must be a whole number from 0 to 255`},
		{reflect.TypeFor[limited](), "share", "max", "1", ""},
		{reflect.TypeFor[limited](), "share", "max", "0.5", ""},
		{reflect.TypeFor[limited](), "share", "max", "2", `"share" may be 2 here, and ` + of + ` says that it is more than all`},
		{reflect.TypeFor[limited](), "free", "required", "", ""}, // Validate speaks of others, and so perhaps not of all
		{reflect.TypeFor[limited](), "free", "maxlength", "9", ""},
		{reflect.TypeFor[tidy](), "Free", "required", "", `"Free" must have a value here, and Validate of inputs.tidy takes it without one`},
		{reflect.TypeFor[tidy](), "Free", "maxlength", "1", `"Free" may not have 2 characters here, and Validate of inputs.tidy takes that`},
		{reflect.TypeFor[tidy](), "Flag", "required", "", `"Flag" must have a value here, and Validate of inputs.tidy takes it without one`},
		{reflect.TypeFor[tidy](), "Need", "required", "", ""},
		{reflect.TypeFor[tidy](), "Preset", "required", "", ""},
		{reflect.TypeFor[tidy](), "Note", "maxlength", "1", ""}, // it takes no "a"
		{reflect.TypeFor[limited](), "terms", "required", "", ""},
		{reflect.TypeFor[limited](), "tags", "required", "", ""},
		{reflect.TypeFor[limited](), "Day", "required", "", ""},
		{reflect.TypeFor[limited](), "photo", "required", "", ""},
		{reflect.TypeFor[limited](), "preset", "required", "", ""},
		{reflect.TypeFor[limited](), "page", "max", "9", ""},
		{reflect.TypeFor[limited](), "rows.0.name", "maxlength", "5", ""},
		{reflect.TypeFor[limited](), "rows.7.name", "maxlength", "6", `"rows.7.name" may have 6 characters here, and ` + of + ` says that it has more than 5 characters`},
		{reflect.TypeFor[limited](), "rows." + input.Unknown + ".name", "maxlength", "6", ""},
		{reflect.TypeFor[limited](), "nope", "maxlength", "6", ""},
		{reflect.TypeFor[hasty](), "Note", "maxlength", "30", ""},
		{reflect.TypeFor[hasty](), "Note", "required", "", ""},
		{reflect.TypeFor[fragile](), "Note", "maxlength", "30", ""},
		{reflect.TypeFor[fragile](), "Note", "required", "", ""},
		{reflect.TypeFor[unreachable](), "Note", "required", "", ""},
		{reflect.TypeFor[notValidated](), "Note", "maxlength", "30", ""},
		{reflect.TypeFor[notValidated](), "Note", "required", "", ""},
	} {
		t.Run(fmt.Sprint(tt.t, tt.key, tt.attr, tt.value), func(t *testing.T) {
			is := is.New(t)
			is.Equal((&FormInput{of: tt.t, messages: messagesOfWrong}).Limit(tt.key, tt.attr, tt.value), tt.want)
		})
	}
}

func TestIsAlwaysTrue(t *testing.T) {
	is := is.New(t)
	of := reflect.TypeFor[preset]()
	for key, want := range map[string]bool{"news": true, "mail": true, "inner.on": true, "off": false, "text": false, "rows.0.on": false, "nope": false} {
		is.Equal((&FormInput{of: of}).IsAlwaysTrue(key), want) // key
	}
	is.True(!(&FormInput{of: reflect.TypeFor[notValidated]()}).IsAlwaysTrue("Note"))
	is.True(!(&FormInput{of: reflect.TypeFor[panicking]()}).IsAlwaysTrue("on"))
}

type preset struct {
	News  bool  `form:"news"`
	Mail  *bool `form:"mail"`
	Off   bool  `form:"off"`
	Text  string
	Inner struct {
		On bool `json:"on"`
	} `form:"inner"`
	Rows []struct {
		On bool `json:"on"`
	} `form:"rows"`
}

func (p *preset) Default() {
	yes := true
	p.News, p.Mail, p.Inner.On, p.Text = true, &yes, true, "true"
}

type panicking struct{ On bool }

func (p *panicking) Default() { panic("no") }
