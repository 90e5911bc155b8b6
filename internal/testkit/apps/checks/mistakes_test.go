// Package checks_test has applications with mistakes, and right ones that look suspicious, and holds what the check
// says of them.
package checks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apps/checks/testdata/domain"

	"example.com/flow/internal/testkit/apptest"
)

// Inputs whose methods flow does not call.
type (
	validateInvalid   struct{ Name string }
	validateRequest   struct{ Name string }
	validateBool      struct{ Name string }
	validateVariadic  struct{ Name string }
	validates         struct{ Name string }
	validtae          struct{ Name string }
	validateUpper     struct{ Name string }
	bothNames         struct{ Name string }
	defaultValue      struct{ Name string }
	defaultError      struct{ Name string }
	defaults          struct{ Name string }
	defaultsReturning struct{ Name string }
	validated         struct{ Name string }
	row               struct{ Name string }
	rowWithCurrency   struct{ Name string }
	orderRows         struct{ Rows []row }
	orderDeep         struct{ Rows map[string][]*row }
	orderOfCurrency   struct{ Rows []rowWithCurrency }
	orderChecked      struct{ Rows []rowWithCurrency }
	orderCheckedRow   struct{ Rows []row }
	embedsRow         struct{ row }
	embedsAndHides    struct{ rowWithCurrency }
	pageQuery         struct{ Page int }
	sortQuery         struct{ Sort string }
	listQuery         struct {
		pageQuery
		sortQuery
	}
	listOne         struct{ pageQuery }
	holdsDefault    struct{ Query pageQuery }
	defaultsOfThat  struct{ Query pageQuery }
	defaultsOfRows  struct{ Rows []pageQuery }
	promotesValue   struct{ defaultValue }
	addressed       struct{ Address domain.Address }
	addressedAndOwn struct{ Address domain.Address }
	embedsAddress   struct{ domain.Address }
	priced          struct{ Price domain.Money }
	withStatus      struct{ Status domain.Status }
	withStatusOwn   struct{ Status domain.Status }
	email           string
	withEmail       struct{ Mail email }
	recursive       struct {
		Name     string
		Children []recursive
		Parent   *recursive
	}
	generic[T any] struct{ Value T }
	rightMethods   struct{ Name string }
)

func (*validateInvalid) Validate() flow.Invalid        { return nil }
func (*validateRequest) Validate(*flow.Request) error  { return nil }
func (validateBool) Validate() bool                    { return true }
func (validateVariadic) Validate(...string) error      { return nil }
func (*validates) Validates() error                    { return nil }
func (*validtae) Validtae() error                      { return nil }
func (validateUpper) VALIDATE() error                  { return nil }
func (*bothNames) Validate() error                     { return nil }
func (*bothNames) Validates() error                    { return nil }
func (defaultValue) Default()                          {}
func (*defaultError) Default() error                   { return nil }
func (*defaults) Defaults()                            {}
func (*defaultsReturning) Defaults() defaultsReturning { return defaultsReturning{} }
func (*validated) Validated() bool                     { return true }
func (*row) Validate() flow.Invalid                    { return nil }
func (*rowWithCurrency) Validate(currency string) error {
	if currency == "" {
		return flow.Invalid{"name": "has no currency"}
	}
	return nil
}
func (o *orderChecked) Validate() error {
	for _, r := range o.Rows {
		if err := r.Validate("EUR"); err != nil {
			return err
		}
	}
	return nil
}
func (*orderCheckedRow) Validate() error     { return nil }
func (e *embedsAndHides) Validate() error    { return e.rowWithCurrency.Validate("EUR") }
func (*pageQuery) Default()                  {}
func (*sortQuery) Default()                  {}
func (d *defaultsOfThat) Default()           { d.Query.Default() }
func (*defaultsOfRows) Default()             {}
func (a *addressedAndOwn) Validate() error   { return a.Address.Validate(context.Background()) }
func (w *withStatusOwn) Validate() error     { return w.Status.Validate() }
func (email) Validate() error                { return nil }
func (*recursive) Validate() []error         { return nil }
func (*generic[T]) Validate() (bool, string) { return true, "" }
func (*rightMethods) Validate() error        { return nil }
func (*rightMethods) Default()               {}

// takes returns a handler with an input of a type.
func takes[In any]() any { return func(*flow.Request, In) error { return nil } }

// lineOf matches the position of a method or a handler in a file of Go.
var lineOf = regexp.MustCompile(`(?m)^(\S+\.go):\d+: `)

// inputReport returns what Check and the command check say of a handler of /users/[id], without
// the lines.
func inputReport(t *testing.T, handler any) string {
	t.Helper()
	r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
	r.At("users/[id]").GET().Do(handler)
	return lineOf.ReplaceAllString(strings.ReplaceAll(apptest.Checked(r), "mistakes_test.go", "x.go"), "$1: ")
}

func TestMethodsThatAreNeverCalled(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"an Invalid", takes[validateInvalid](), `x.go: checks_test.validateInvalid.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid`},
		{"in a Form", takes[flow.Form[validateInvalid]](), `x.go: checks_test.validateInvalid.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid`},
		{"validateRequest", takes[validateRequest](), `x.go: checks_test.validateRequest.Validate(*flow.Request) error is never called: flow calls Validate() error; if you call it yourself, give it another name`},
		{"validateBool", takes[validateBool](), `x.go: checks_test.validateBool.Validate() bool is never called: flow calls Validate() error`},
		{"validateVariadic", takes[validateVariadic](), `x.go: checks_test.validateVariadic.Validate(...string) error is never called: flow calls Validate() error; if you call it yourself, give it another name`},
		{"validates", takes[validates](), `x.go: checks_test.validates.Validates is never called: did you mean "Validate"?`},
		{"validtae", takes[validtae](), `x.go: checks_test.validtae.Validtae is never called: did you mean "Validate"?`},
		{"validateUpper", takes[validateUpper](), `x.go: checks_test.validateUpper.VALIDATE is never called: did you mean "Validate"?`},
		{"bothNames", takes[bothNames](), ``},
		{"defaultValue", takes[defaultValue](), `x.go: checks_test.defaultValue.Default has a value as its receiver, so it changes a copy: declare it on *checks_test.defaultValue`},
		{"defaultError", takes[defaultError](), `x.go: checks_test.defaultError.Default() error is never called: flow calls Default()`},
		{"defaults", takes[defaults](), `x.go: checks_test.defaults.Defaults is never called: did you mean "Default"?`},
		{"defaultsReturning", takes[defaultsReturning](), ``},
		{"validated", takes[validated](), ``},
		{"orderRows", takes[orderRows](), `x.go: checks_test.row.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid`},
		{"orderDeep", takes[orderDeep](), `x.go: checks_test.row.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid`},
		{"orderOfCurrency", takes[orderOfCurrency](), `x.go: checks_test.rowWithCurrency.Validate(string) error is never called: flow calls Validate() error; if you call it yourself, give it another name`},
		{"orderChecked", takes[orderChecked](), ``},
		{"orderCheckedRow", takes[orderCheckedRow](), `x.go: checks_test.row.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid`},
		{"embedsRow", takes[embedsRow](), `x.go: checks_test.row.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid`},
		{"embedsAndHides", takes[embedsAndHides](), ``},
		{"listQuery", takes[listQuery](), `x.go: checks_test.listQuery has no Default, since Go promotes none of those of checks_test.pageQuery and checks_test.sortQuery: give it one that calls them`},
		{"listOne", takes[listOne](), ``},
		{"holdsDefault", takes[holdsDefault](), `x.go: warning: checks_test.pageQuery.Default is not called where the struct is inside of another: flow calls Default of the input only, and that can call this one`},
		{"defaultsOfThat", takes[defaultsOfThat](), ``},
		{"defaultsOfRows", takes[defaultsOfRows](), `x.go: warning: checks_test.pageQuery.Default is not called where the struct is inside of another: flow calls Default of the input only, and that can call this one`},
		{"promotesValue", takes[promotesValue](), `x.go: checks_test.defaultValue.Default has a value as its receiver, so it changes a copy: declare it on *checks_test.defaultValue`},
		{"addressed", takes[addressed](), `testdata/domain/domain.go: warning: domain.Address.Validate(context.Context) error is never called: flow calls Validate() error, and that of the struct around it may call this one`},
		{"addressedAndOwn", takes[addressedAndOwn](), ``},
		{"embedsAddress", takes[embedsAddress](), `testdata/domain/domain.go: warning: domain.Address.Validate(context.Context) error is never called: flow calls Validate() error, and that of the struct around it may call this one`},
		{"priced", takes[priced](), `testdata/domain/domain.go: warning: domain.Money.Validate() bool is never called: flow calls Validate() error, and that of the struct around it may call this one`},
		{"withStatus", takes[withStatus](), `testdata/domain/domain.go: warning: domain.Status.Validate is not called, since domain.Status is no struct: call it in Validate of the struct that it is in`},
		{"withStatusOwn", takes[withStatusOwn](), ``},
		{"withEmail", takes[withEmail](), `x.go: warning: checks_test.email.Validate is not called, since checks_test.email is no struct: call it in Validate of the struct that it is in`},
		{"recursive", takes[recursive](), `x.go: checks_test.recursive.Validate() []error is never called: flow calls Validate() error`},
		{"generic[int]", takes[generic[int]](), `x.go: checks_test.generic[int].Validate() (bool, string) is never called: flow calls Validate() error`},
		{"rightMethods", takes[rightMethods](), ``},
		{"domain.Address", takes[domain.Address](), `testdata/domain/domain.go: domain.Address.Validate(context.Context) error is never called: flow calls Validate() error; if you call it yourself, give it another name`},
		{"domain.Money", takes[domain.Money](), `testdata/domain/domain.go: domain.Money.Validate() bool is never called: flow calls Validate() error`},
		{"domain.Checked", takes[domain.Checked](), ``},
		{"time.Time", takes[time.Time](), ``},
		{"struct{Row_row}", takes[struct{ Rows []row }](), `x.go: warning: checks_test.row.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid, and that of the struct around it may call this one`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(inputReport(t, tt.handler), tt.want)
		})
	}
}

// An input whose Validate has messages for these keys.
type complains struct {
	ID      int    `param:"id"`
	Ids     []int  `json:"ids"`
	Subject string `json:"subject"`
	Rows    []struct {
		Name string `json:"name"`
	} `json:"rows"`
}

var complaints flow.Invalid

func (*complains) Validate() error { return complaints }

// A message for no field is shown at none. It may be for the page, unless its key is nearly a field.
func TestMessagesForNoField(t *testing.T) {
	for _, tt := range []struct{ key, want string }{
		{"subjcet", `x.go: warning: Validate of checks_test.complains has a message for "subjcet", which is no field: did you mean "subject"?`},
		{"row.0.name", `x.go: warning: Validate of checks_test.complains has a message for "row.0.name", which is no field: did you mean "rows.0.name"?`},
		{"rows.0.nmae", `x.go: warning: Validate of checks_test.complains has a message for "rows.0.nmae", which is no field: did you mean "rows.0.name"?`},
		{"subject", ""},
		{"rows.7.name", ""},
		{"rows", ""},
		{"rows.0", ""},
		{"id", ""},
		{"account", ""},
		{"", ""},
	} {
		t.Run(tt.key, func(t *testing.T) {
			is := is.New(t)
			complaints = flow.Invalid{tt.key: "is wrong"}
			is.Equal(inputReport(t, takes[flow.Form[complains]]()), tt.want)
		})
	}
}

// Inputs with a field that is called as a parameter of the route.
type (
	untagged      struct{ ID int }
	untaggedLower struct{ Id string }
	taggedID      struct {
		ID int `json:"id"`
	}
	paramID struct {
		ID int `param:"id"`
	}
	otherParam struct {
		ID     int
		Ticket int `param:"id"`
	}
	embedsUntagged struct{ untagged }
	nestsUntagged  struct{ Ticket untagged }
)

// Inputs with an embedded pointer.
type (
	city         struct{ City string }
	locked       struct{ sync.Mutex }
	withPointer  struct{ *city }
	deepPointer  struct{ withPointer }
	pointerRows  struct{ Rows []withPointer }
	pointerSet   struct{ *city }
	pointerInSet struct{ One withPointer }
	rowsNotSet   struct{ Rows []withPointer }
	right        struct {
		*domain.Checked
		*locked
		city
		Rows []struct{ city }
	}
)

func (p *pointerSet) Default()   { p.city = &city{} }
func (p *pointerInSet) Default() { p.One.city = &city{} }
func (*rowsNotSet) Default()     {}

func TestEmbeddedPointersOfInputs(t *testing.T) {
	const mistake = `x.go: checks_test.withPointer.city is an embedded pointer that only its package can set, so no request fills the fields behind it: embed the struct itself, checks_test.city`
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"the input", takes[withPointer](), mistake},
		{"a Form", takes[flow.Form[withPointer]](), mistake},
		{"embedded", takes[deepPointer](), mistake},
		{"rows", takes[pointerRows](), mistake},
		{"a field", takes[struct{ One *withPointer }](), mistake},
		{"Default sets it", takes[pointerSet](), ""},
		{"Default sets that of a field", takes[pointerInSet](), ""},
		{"Default has no rows", takes[rowsNotSet](), mistake},
		{"others", takes[right](), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(inputReport(t, tt.handler), tt.want)
		})
	}
}

// Inputs with embedded structs of which several have Validate.
type (
	attachments struct{ Photo string }
	lookups     struct{ Owner string }
	Attached    struct{ Scan string }
	hiddenOne   struct{ attachments }
	hiddenTwo   struct {
		Attached
		attachments
	}
	hiddenBoth struct {
		*attachments
		lookups
	}
	hiddenDeep   struct{ hiddenTwo }
	hiddenInRows struct{ Rows []hiddenTwo }
	hiddenCalled struct {
		Attached
		attachments
	}
)

func (attachments) Validate() error { return nil }
func (*lookups) Validate() error    { return nil }
func (Attached) Validate() error    { return nil }

func (h *hiddenCalled) Validate() error {
	return errors.Join(h.Attached.Validate(), h.attachments.Validate())
}

func TestValidateThatCannotBeCalled(t *testing.T) {
	const (
		why     = ` cannot be called, since the type is unexported and embedded in IN beside others that have the method: export the type, or give IN a Validate that calls theirs`
		mistake = `x.go: Validate of checks_test.attachments` + why
	)
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"alone", takes[hiddenOne](), ""},
		{"beside another", takes[hiddenTwo](), strings.ReplaceAll(mistake, "IN", "checks_test.hiddenTwo")},
		{"a Form", takes[flow.Form[hiddenTwo]](), strings.ReplaceAll(mistake, "IN", "checks_test.hiddenTwo")},
		{"of a struct without a name", takes[struct {
			Attached
			attachments
		}](), strings.ReplaceAll(mistake, "IN", "struct{…}")},
		{"embedded", takes[hiddenDeep](), strings.ReplaceAll(mistake, "IN", "checks_test.hiddenTwo")},
		{"rows", takes[hiddenInRows](), strings.ReplaceAll(mistake, "IN", "checks_test.hiddenTwo")},
		{"called", takes[hiddenCalled](), ""},
		{"rows, called", takes[struct{ Rows []hiddenCalled }](), ""},
		{"two", takes[struct{ Rows []hiddenBoth }](), "x.go: checks_test.hiddenBoth.attachments is an embedded pointer that only its package can set, so no request fills the fields behind it: embed the struct itself, checks_test.attachments\n" +
			strings.ReplaceAll(mistake+"\nx.go: Validate of checks_test.lookups"+why, "IN", "checks_test.hiddenBoth")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(inputReport(t, tt.handler), tt.want)
		})
	}
}

// Inputs that embed a struct whose Validate their own hides.
type (
	Draft struct {
		Title string `json:"title"`
		Body  string `json:"body"`
	}
	hidesDraft struct {
		Draft
		Scans []*multipart.FileHeader `form:"scans"`
	}
	hidesFirst struct {
		Draft
		Scans []*multipart.FileHeader `form:"scans"`
	}
	hidesPointer  struct{ *Draft }
	smallDraft    struct{ Draft }
	hidesSmall    struct{ smallDraft }
	hidesUnset    struct{ *smallDraft }
	callsDraft    struct{ Draft }
	endsFirst     struct{ Draft }
	refusesAll    struct{ Draft }
	panicsOnDraft struct{ Draft }
	failsOnDraft  struct{ Draft }
	defaultsDraft struct{ Draft }
	takesDraft    struct{ Draft }
)

func (d Draft) Validate() error {
	wrong := flow.Invalid{}
	if d.Title == "" {
		wrong["title"] = "is required"
	}
	if d.Body == "" {
		wrong["body"] = "is required, too"
	}
	return wrong
}

func (h hidesDraft) Validate() error    { return nil }
func (h *hidesPointer) Validate() error { return nil }
func (h *hidesSmall) Validate() error   { return nil }
func (h *hidesUnset) Validate() error   { return nil }
func (h hidesFirst) Validate() error {
	if len(h.Scans) == 0 {
		return flow.Invalid{"scans": "are required"}
	}
	return nil
}
func (c callsDraft) Validate() error { return c.Draft.Validate() }
func (e endsFirst) Validate() error {
	if wrong, _ := e.Draft.Validate().(flow.Invalid); wrong["title"] != "" {
		return flow.Invalid{"title": wrong["title"]}
	}
	return e.Draft.Validate()
}
func (refusesAll) Validate() error       { return flow.Invalid{"": "is closed today"} }
func (panicsOnDraft) Validate() error    { panic("no draft") }
func (failsOnDraft) Validate() error     { return io.EOF }
func (d *defaultsDraft) Default()        { d.Title, d.Body = "a", "b" }
func (d *defaultsDraft) Validate() error { return d.Draft.Validate() }

func TestValidateThatHidesAnother(t *testing.T) {
	warning := func(outer, key, message string) string {
		return fmt.Sprintf("x.go: warning: Validate of checks_test.%s hides that of checks_test.Draft, which says that %q %s: call it", outer, key, message)
	}
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"accepts a new one", takes[hidesDraft](), warning("hidesDraft", "body", "is required, too")},
		{"a Form", takes[flow.Form[hidesDraft]](), warning("hidesDraft", "body", "is required, too")},
		{"has messages of its own", takes[hidesFirst](), warning("hidesFirst", "body", "is required, too")},
		{"a pointer", takes[hidesPointer](), warning("hidesPointer", "body", "is required, too")},
		{"an unexported one", takes[hidesSmall](), strings.Replace(warning("hidesSmall", "body", "is required, too"), ".Draft", ".smallDraft", 1)},
		{"a pointer that nothing sets", takes[hidesUnset](), "x.go: checks_test.hidesUnset.smallDraft is an embedded pointer that only its package can set, so no request fills the fields behind it: embed the struct itself, checks_test.smallDraft"},
		{"calls it", takes[callsDraft](), ""},
		{"calls it and ends at the first", takes[endsFirst](), ""},
		{"refuses all", takes[refusesAll](), ""},
		{"panics", takes[panicsOnDraft](), ""},
		{"fails", takes[failsOnDraft](), ""},
		{"Default is valid", takes[defaultsDraft](), ""},
		{"has none", takes[takesDraft](), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(inputReport(t, tt.handler), tt.want)
		})
	}
}

func TestFieldsOfInputs(t *testing.T) {
	const warning = `has no tag, so it is not the parameter "id" of router/users/[id].http: a client fills it by the body or the query. Write param:"id", or json:"id" if that is meant`
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"untagged", takes[untagged](), "x.go: warning: checks_test.untagged.ID " + warning},
		{"in another case", takes[untaggedLower](), "x.go: warning: checks_test.untaggedLower.Id " + warning},
		{"in a Form", takes[flow.Form[untagged]](), "x.go: warning: checks_test.untagged.ID " + warning},
		{"embedded", takes[embedsUntagged](), "x.go: warning: checks_test.embedsUntagged.ID " + warning},
		{"nested", takes[nestsUntagged](), ""},
		{"json", takes[taggedID](), ""},
		{"param", takes[paramID](), ""},
		{"another field has it", takes[otherParam](), ""},
		{"a field of any", takes[struct {
			ID any `param:"id"`
		}](), `x.go: struct{…}.ID has the tag param:"id", and no text converts to any: give it a type such as string or int, or one with UnmarshalText`},
		{"a misspelt tag", takes[struct {
			ID int `parm:"id"`
		}](), `x.go: struct{…}.ID has the tag parm:"id", which nothing reads: did you mean "param"?
x.go: warning: struct{…}.ID ` + warning},
		{"in another package of the module", takes[struct{ M domain.Misspelt }](), `x.go: domain.Misspelt.Name has the tag jsn:"name", which nothing reads: did you mean "json"?`},
		{"of another module", takes[struct{ N net.IPNet }](), ""},
		{"files", takes[flow.Form[struct {
			Photo *multipart.FileHeader
			Scans []*multipart.FileHeader `form:"scans"`
		}]](), ""},
		{"a file by value", takes[flow.Form[struct{ Photo multipart.FileHeader }]](), `x.go: struct{…}.Photo is of type multipart.FileHeader, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader`},
		{"a file in a row", takes[struct {
			Rows []struct{ Scan *multipart.FileHeader }
		}](), `x.go: struct{…}.Scan is of type *multipart.FileHeader inside of another struct, where no file is filled: move it into the struct that the handler takes`},
		{"no input", func(*flow.Request) (struct{ Body io.Reader }, error) { return struct{ Body io.Reader }{}, nil }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(inputReport(t, tt.handler), tt.want)
		})
	}
}

// TestMistakesOfMethodsHaveTheirLine: a method is written somewhere else than the handler. Each
// type is reported once, however many handlers take it.
func TestMistakesOfMethodsHaveTheirLine(t *testing.T) {
	is := is.New(t)
	source, err := os.ReadFile("mistakes_test.go")
	is.NoErr(err)
	before, _, _ := strings.Cut(string(source), "\nfunc (*validateInvalid)")
	r := flow.New(fstest.MapFS{"router/users/[id].http": {}, "router/a.http": {}})
	f := r.At("users/[id]")
	f.PUT().Do(takes[validateInvalid]())
	f.POST().Do(takes[validateInvalid]())
	r.At("a").POST().Do(takes[validateInvalid]())
	is.Equal(apptest.Checked(r), fmt.Sprintf("mistakes_test.go:%d: checks_test.validateInvalid.Validate() flow.Invalid is never called: flow calls Validate() error, which may return flow.Invalid", strings.Count(before, "\n")+2))

	r = flow.New(fstest.MapFS{"router/users/[id].http": {}, "router/a.http": {}})
	for _, f := range []*flow.File{r.At("users/[id]"), r.At("a")} {
		f.POST().Do(func(*flow.Request, struct{ Done chan int }) error { return nil })
	}
	is.Equal(strings.Count(apptest.Checked(r), "is of type chan int"), 1)
}

// TestBindLogsMistakes: Bind has no Check, and goes on as before.
func TestBindLogsMistakes(t *testing.T) {
	is := is.New(t)
	mistaken := reflect.StructOf([]reflect.StructField{ // a new type, since one is logged once in the life of a program
		{Name: "Name", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(fmt.Sprintf(`jsn:"name" run:"%d"`, time.Now().UnixNano()))},
		{Name: "Rows", Type: reflect.TypeFor[[]row]()},
		{Name: "Money", Type: reflect.TypeFor[domain.Money]()}, // a warning
	})
	var log bytes.Buffer
	r := flow.New(fstest.MapFS{"router/a.http": {}})
	r.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		if a.Key == "type" {
			is.Equal(a.Value.String(), reflect.PointerTo(mistaken).String())
			return slog.Attr{}
		}
		return slog.String(a.Key, lineOf.ReplaceAllString(a.Value.String(), "$1: "))
	}}))
	r.At("a").GET().Do(func(req *flow.Request) (flow.Response, error) {
		in := reflect.New(mistaken)
		err := req.Bind(in.Interface())
		return flow.Text(in.Elem().Field(0).String()), err
	})
	r.At("a").POST().Do(func(req *flow.Request) (flow.Response, error) {
		var in holdsDefault // Bind does not call Default, so nothing is wrong
		return flow.Text(""), req.Bind(&in)
	})
	is.NoErr(r.Check())
	for range 3 {
		is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a?Name=x")), "200 x")
		is.Equal(apptest.Says(apptest.Serve(r, "POST", "/a")), "200 ")
	}
	is.Equal(log.String(), `level=WARN msg="flow: Bind has filled a struct in which something is wrong; this is said once" pattern="GET /a" mistakes="struct{…}.Name has the tag jsn:\"name\", which nothing reads: did you mean \"json\"?"`+"\n")
}
