package flow_test

import (
	"fmt"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/flowtest"
)

// sentForm returns the Form that a handler gets of a request.
func sentForm[T any](tb testing.TB, method, target, mediaType, body string) (form flow.Form[T]) {
	tb.Helper()
	r := flow.New(fstest.MapFS{"router/index.http": {}})
	r.At("index").Method(method).Do(func(_ *flow.Request, in flow.Form[T]) error { form = in; return nil })
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	if w := do(r, req); w.Code != http.StatusNoContent {
		tb.Fatal(says(w))
	}
	return form
}

const formMedia = "application/x-www-form-urlencoded"

// posted is sentForm of a form that is posted.
func posted[T any](tb testing.TB, body string) flow.Form[T] {
	return sentForm[T](tb, "POST", "/", formMedia, body)
}

// A booking has a field of each kind.
type booking struct {
	Name   string     `form:"name"`
	Age    int        `form:"age"`
	Due    time.Time  `form:"due"`
	Maybe  *time.Time `form:"maybe"`
	Tags   []string   `form:"tag"`
	Years  []int      `form:"year"`
	Terms  bool       `form:"terms"`
	Addr   netip.Addr `form:"addr"`
	Note   *string    `form:"note"`
	Untold string
	Page   int         `query:"page"`
	ID     int         `json:"-"`
	Buyer  buyerForm   `json:"buyer"`
	Items  []itemForm  `json:"items"`
	More   []*itemForm `json:"more"`
	Any    any         `json:"any"`
}

type buyerForm struct {
	City string `json:"city"`
}

type itemForm struct {
	Name string `json:"name"`
	Qty  int
}

func (i itemForm) Validate() error {
	if i.Name == "" {
		return flow.Invalid{"name": "is required"}
	}
	return nil
}

// A lineForm is a row whose tags form differ from the names that JSON has.
type lineForm struct {
	Name string `form:"name"`
	At   struct {
		City string `form:"city"`
	} `form:"at"`
}

func (l lineForm) Validate() error {
	return flow.Invalid{"name": "is " + l.Name, "at.city": "is wrong"}
}

// Forms with such rows.
type (
	taggedLines struct {
		Lines []lineForm `form:"lines"`
		Upper []lineForm `form:"Lines"`
	}
	untaggedLines struct{ Lines []lineForm }
)

// TestFieldOfARowInAnyCase: what Validate of a row says is shown, however the key of the field is spelled.
func TestFieldOfARowInAnyCase(t *testing.T) {
	tagged := posted[taggedLines](t, "lines.0.name=a&Lines.0.name=b")
	untagged := posted[untaggedLines](t, "lines.0.name=a")
	for _, key := range []string{"lines.0.name", "lines.0.Name"} {
		t.Run(key, func(t *testing.T) {
			is := is.New(t)
			is.Equal(shown(tagged.Field(key)), key+` text "a" required: is a`)
			is.Equal(shown(untagged.Field(key)), key+` text "a" required: is a`)
			key = strings.Replace(key, "l", "L", 1)
			is.Equal(shown(tagged.Field(key)), key+` text "b" required: is b`)
			is.Equal(shown(untagged.Field(key)), key+` text "a" required: is a`)
		})
	}
	is := is.New(t)
	is.Equal(shown(untagged.Field("Lines.0.At.City")), `Lines.0.At.City text "" required: is wrong`)
	is.Equal(shown(tagged.Field("lines.0.nmae")), `error: flow: a form of flow_test.taggedLines has no field "lines.0.nmae": did you mean "lines.0.name"?`)
	is.Equal(shown(tagged.Field("lines.0.at.ctiy")), `error: flow: a form of flow_test.taggedLines has no field "lines.0.at.ctiy": did you mean "lines.0.at.city"?`)
	is.Equal(shown(tagged.Field("lines.0.name.x")), `error: flow: a form of flow_test.taggedLines has no field "lines.0.name.x": did you mean "lines.0.name"?`)
	is.Equal(shown(untagged.Field("lines.0.nmae")), `error: flow: a form of flow_test.untaggedLines has no field "lines.0.nmae": did you mean "Lines.0.name"?`)

	ofForm := flow.Form[untaggedLines]{Wrong: flow.Invalid{"": "is wrong", "LINES.0.NAME": "is first", "Lines.0.NAME": "is second"}}
	is.Equal(shown(ofForm.Field("lines.0.name")), `lines.0.name text "" required: is first`)
	is.Equal(shown(ofForm.Field("lines.0.at.city")), `lines.0.at.city text "" required`)
}

// shown returns what a Field shows, without what is empty.
func shown(f flow.Field, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	text := fmt.Sprintf("%s %s %q", f.Name, f.Type, f.Value)
	if f.Values != nil {
		text += fmt.Sprintf(" %q", f.Values)
	}
	if f.Checked {
		text += " checked"
	}
	if f.Required {
		text += " required"
	}
	if f.Wrong != "" {
		text += ": " + f.Wrong
	}
	return text
}

func TestField(t *testing.T) {
	day := time.Date(2026, 2, 3, 4, 5, 0, 0, time.FixedZone("", 3600))
	note := ""
	stored := flow.Form[booking]{Value: booking{
		Name: "Ada <b>", Age: 36, Due: day, Maybe: &day, Tags: []string{"a", ""}, Terms: true, Addr: netip.MustParseAddr("::1"), Note: &note, Untold: "u", Page: 2,
		Buyer: buyerForm{"Ulm"}, Items: []itemForm{{"x", 1}, {"y", 0}}, More: []*itemForm{nil, {"m", 3}},
	}}
	empty := flow.Form[booking]{}
	typed := posted[booking](t, "name=+Bob+&age=x&due=2026-02-03&tag=b&tag=&year=&year=7&year=y&terms=on&UNTOLD=v&untold=w&items.7.name=q&items.3.QTY=many&items.3.name=&page=9")
	kept := typed
	kept.Value = booking{Name: "changed", Age: 1, Items: []itemForm{{"changed", 1}}}
	fresh := flow.Form[booking]{Value: kept.Value, Wrong: typed.Wrong}
	json := sentForm[booking](t, "POST", "/", "application/json", `{"name":"J","age":"x","Untold":"v","terms":true}`)
	query := sentForm[booking](t, "GET", "/?name=Q&page=x&age=", "", "")
	beside := sentForm[booking](t, "POST", "/?page=7", formMedia, "name=B")

	for _, tt := range []struct {
		form flow.Form[booking]
		key  []any
		as   string
		want string
	}{
		{empty, []any{"name"}, "", `name text ""`},
		{empty, []any{"age"}, "", `age number ""`},
		{empty, []any{"due"}, "", `due datetime-local ""`},
		{empty, []any{"terms"}, "", `terms checkbox ""`},
		{empty, []any{"tag"}, "", `tag text ""`},
		{empty, []any{"year"}, "", `year number ""`},
		{empty, []any{"page"}, "", `page number ""`},
		{empty, []any{"items", 0, "name"}, "", `items.0.name text "" required`},
		{empty, []any{"more", uint8(3), "Qty"}, "", `more.3.Qty number ""`},
		{empty, []any{"buyer.city"}, "", `buyer.city text ""`},

		{stored, []any{"name"}, "", `name text "Ada <b>"`},
		{stored, []any{"name"}, "textarea", `name textarea "Ada <b>"`},
		{stored, []any{"name"}, "password", `name password ""`},
		{stored, []any{"age"}, "", `age number "36"`},
		{stored, []any{"due"}, "", `due datetime-local "2026-02-03T03:05"`},
		{stored, []any{"due"}, "date", `due date "2026-02-03"`},
		{stored, []any{"maybe"}, "time", `maybe time "03:05"`},
		{stored, []any{"due"}, "month", `due month "2026-02"`},
		{stored, []any{"due"}, "week", `due week "2026-W06"`},
		{stored, []any{"due"}, "hidden", `due hidden "2026-02-03T03:05:00Z"`},
		{stored, []any{"tag"}, "", `tag text "a" ["a" ""]`},
		{stored, []any{"tag"}, "checkbox", `tag checkbox "a" ["a" ""]`},
		{stored, []any{"year"}, "", `year number ""`},
		{stored, []any{"terms"}, "", `terms checkbox "true" checked`},
		{stored, []any{"addr"}, "", `addr text "::1"`},
		{stored, []any{"note"}, "", `note text ""`},
		{stored, []any{"untold"}, "", `untold text "u"`},
		{stored, []any{"page"}, "", `page number "2"`},
		{stored, []any{"buyer", "city"}, "", `buyer.city text "Ulm"`},
		{stored, []any{"items", 1, "Qty"}, "", `items.1.Qty number "0"`},
		{stored, []any{"items", 2, "Qty"}, "", `items.2.Qty number ""`}, // a row to add
		{stored, []any{"more", 0, "name"}, "", `more.0.name text "" required`},
		{stored, []any{"more", 1, "name"}, "", `more.1.name text "m" required`},

		{typed, []any{"name"}, "", `name text " Bob "`},
		{typed, []any{"name"}, "password", `name password ""`},
		{typed, []any{"age"}, "", `age number "x": must be a whole number`},
		{typed, []any{"due"}, "", `due datetime-local "2026-02-03"`},
		{typed, []any{"due"}, "date", `due date "2026-02-03"`},
		{typed, []any{"maybe"}, "", `maybe datetime-local ""`},
		{typed, []any{"tag"}, "", `tag text "b" ["b" ""]`},
		{typed, []any{"year"}, "", `year number "7" ["7" "y"]: must be a whole number`},
		{typed, []any{"terms"}, "", `terms checkbox "true" checked`},
		{typed, []any{"untold"}, "", `untold text "v"`}, // the first spelling in byte order, as Bind takes it
		{typed, []any{"items", 0, "name"}, "", `items.0.name text "" required: is required`},
		{typed, []any{"items", 0, "qty"}, "", `items.0.qty number "many": must be a whole number`},
		{typed, []any{"items", 1, "name"}, "", `items.1.name text "q" required`},
		{typed, []any{"items", 2, "name"}, "", `items.2.name text "" required`},

		{kept, []any{"name"}, "", `name text " Bob "`}, // what was typed
		{kept, []any{"items", 1, "name"}, "", `items.1.name text "q" required`},
		{kept, []any{"maybe"}, "", `maybe datetime-local ""`},
		{fresh, []any{"name"}, "", `name text "changed"`},
		{fresh, []any{"age"}, "", `age number "1": must be a whole number`},
		{fresh, []any{"items", 0, "name"}, "", `items.0.name text "changed" required: is required`},

		{json, []any{"name"}, "", `name text "J"`},
		{json, []any{"age"}, "", `age number "0": must be a whole number`},
		{json, []any{"untold"}, "", `untold text "v"`},
		{json, []any{"terms"}, "", `terms checkbox "true" checked`},

		{query, []any{"name"}, "", `name text "Q"`},
		{query, []any{"page"}, "", `page number "x": must be a whole number`},
		{query, []any{"age"}, "", `age number ""`}, // as it was sent
		{beside, []any{"page"}, "", `page number "7"`},
		{beside, []any{"age"}, "", `age number "0"`},

		{empty, []any{"nmae"}, "", `error: flow: a form of flow_test.booking has no field "nmae": did you mean "name"?`},
		{empty, []any{"items", 0, "nam"}, "", `error: flow: a form of flow_test.booking has no field "items.0.nam": did you mean "items.0.name"?`},
		{empty, []any{"buyer"}, "", `error: flow: a form of flow_test.booking has no field "buyer": did you mean "buyer.city"?`},
		{empty, []any{"items", 0}, "", `error: flow: a form of flow_test.booking has no field "items.0": did you mean "items.0.name"?`},
		{empty, []any{"items", -1, "name"}, "", `error: flow: a form of flow_test.booking has no field "items.-1.name": did you mean "items.0.name"?`},
		{empty, []any{"id"}, "", `error: flow: a form of flow_test.booking has no field "id"`},
		{empty, []any{"any"}, "", `error: flow: a form of flow_test.booking has no field "any"`},
		{empty, []any{"\x00"}, "", `error: flow: a form of flow_test.booking has no field "\x00"`},
		{empty, []any{""}, "", `error: flow: a form of flow_test.booking has no field ""`},
		{empty, nil, "", `error: flow: a form of flow_test.booking has no field ""`},
		{empty, []any{"items", nil, "name"}, "", `error: flow: Field takes the parts of a key, which are texts and numbers of rows, and not a <nil>`},
		{empty, []any{"items", 1.5, "name"}, "", `error: flow: Field takes the parts of a key, which are texts and numbers of rows, and not a float64`},
		{empty, []any{"age"}, "date", `error: flow: the field "age": an input of type date does not fit its type, which is int: choose one of hidden, number, password, radio, range, search, select, tel, text`},
		{empty, []any{"due"}, "text", `error: flow: the field "due": an input of type text does not fit its type, which is time.Time: choose one of date, datetime-local, hidden, month, radio, select, time, week`},
		{empty, []any{"due"}, "dates", `error: flow: the field "due": there is no input of type "dates": did you mean "date"?`},
		{empty, []any{"name"}, "file", `error: flow: the field "name": an input of type file does not fit its type, which is string: choose one of color, date, datetime-local, email, hidden, month, number, password, radio, range, search, select, tel, text, textarea, time, url, week`},
		{empty, []any{"name"}, "submit", `error: flow: the field "name": there is no input of type "submit"`},
	} {
		t.Run(fmt.Sprint(tt.key, tt.as, tt.want), func(t *testing.T) {
			is := is.New(t)
			f, err := tt.form.Field(tt.key...)
			if err == nil && tt.as != "" {
				f, err = f.As(tt.as)
			}
			is.Equal(shown(f, err), tt.want)
		})
	}
}

// TestFieldOfOtherTypes: no request fills such a Form, and a handler cannot take one.
func TestFieldOfOtherTypes(t *testing.T) {
	is := is.New(t)
	for _, field := range []func(...any) (flow.Field, error){flow.Form[int]{}.Field, flow.Form[any]{}.Field, flow.Form[*booking]{}.Field, flow.Form[[]booking]{}.Field} {
		_, err := field("name")
		is.True(err != nil)
		is.True(strings.Contains(err.Error(), `has no field "name"`))
	}
}

// TestNoPasswordLeft: a Field of a password holds nothing of it, however it is printed.
func TestNoPasswordLeft(t *testing.T) {
	for name, form := range map[string]flow.Form[booking]{
		"stored": {Value: booking{Name: "s3cret", Tags: []string{"s3cret"}}},
		"typed":  posted[booking](t, "name=s3cret&tag=s3cret"),
	} {
		for _, key := range []string{"name", "tag"} {
			t.Run(name+" "+key, func(t *testing.T) {
				is := is.New(t)
				f, err := form.Field(key)
				is.NoErr(err)
				f, err = f.As("password")
				is.NoErr(err)
				is.True(!strings.Contains(fmt.Sprintf("%v %+v %#v", f, f, f), "s3cret"))
				f, err = f.As("text")
				is.NoErr(err)
				is.Equal(f.Value, "")
				is.True(!f.Has("s3cret"))
			})
		}
	}
}

func TestFieldHas(t *testing.T) {
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	stored := flow.Form[booking]{Value: booking{Name: "de", Age: 7, Due: day, Tags: []string{"a", "b"}, Years: []int{1, 2}, Terms: true, Addr: netip.MustParseAddr("::1")}}
	typed := posted[booking](t, "name=de&age=7&due=2026-02-03&tag=a&tag=b&year=1&year=2&terms=1&addr=::1")
	type lang string
	for _, tt := range []struct {
		key, as string
		value   any
		want    bool
	}{
		{"name", "select", "de", true},
		{"name", "select", lang("de"), true},
		{"name", "select", "d", false},
		{"name", "select", "", false},
		{"name", "select", nil, false},
		{"name", "select", []string{"de"}, true},
		{"name", "select", []string{"de", "en"}, false},
		{"age", "radio", 7, true},
		{"age", "radio", "7", true},
		{"age", "radio", 7.5, false},
		{"due", "date", day, true},
		{"due", "date", day.AddDate(0, 0, 1), false},
		{"terms", "radio", true, true},
		{"terms", "radio", false, false},
		{"terms", "checkbox", "true", true},
		{"tag", "checkbox", "b", true},
		{"tag", "checkbox", "c", false},
		{"tag", "checkbox", "", false},
		{"year", "select", 2, true},
		{"year", "select", 0, false},
		{"addr", "text", netip.MustParseAddr("::1"), true},
		{"addr", "text", struct{}{}, false},
	} {
		t.Run(fmt.Sprint(tt.key, " ", tt.as, " ", tt.value), func(t *testing.T) {
			is := is.New(t)
			for _, form := range []flow.Form[booking]{stored, typed} {
				f, err := form.Field(tt.key)
				is.NoErr(err)
				f, err = f.As(tt.as)
				is.NoErr(err)
				is.Equal(f.Has(tt.value), tt.want)
			}
		})
	}
	is := is.New(t)
	for key, empty := range map[string]any{"name": "", "age": nil} { // the option "please choose"
		f, err := flow.Form[booking]{}.Field(key)
		is.NoErr(err)
		is.True(f.Has(empty))
		is.True(!f.Has(0))
	}
	f, err := flow.Form[booking]{}.Field("tag")
	is.NoErr(err)
	is.True(!f.Has(""))
	is.True(flow.Field{Value: "x"}.Has("x")) // of an application's test
	is.True(flow.Field{Values: []string{"x"}}.Has("x"))
	made, err := flow.Field{Value: "x"}.As("password")
	is.NoErr(err)
	is.Equal(made.Value, "")
}

// names has fields whose keys could give the same ID.
type names struct {
	A  string `form:"a-b"`
	B  string `form:"a--b"`
	C  string `form:"a.b"`
	D  string `form:"a_b"`
	E  string `form:"a b"`
	F  string `form:"a.-b"`
	G  string `form:"a-.b"`
	H  string `form:"2a"`
	I  string `form:"-a"`
	J  string `form:"a-"`
	K  string `form:"_a"`
	L  string `form:"größe"`
	M  string `form:"a[]"`
	N  string `form:"-x6120"`
	O  string `form:"#a"`
	In struct {
		B string `json:"b-c"`
	}
	Items []struct{ Name string }
}

func TestFieldID(t *testing.T) {
	is := is.New(t)
	ids := map[string]string{}
	for key, want := range map[string]string{
		"a-b": "a-b", "a.b": "a--b", "a_b": "a_b", "_a": "_a", "größe": "größe", "In.b-c": "In--b-c", "Items.10.Name": "Items--10--Name",
		"a--b": "-x612d2d62", "a b": "-x612062", "a.-b": "", "a-.b": "", "2a": "-x3261", "-a": "-x2d61", "a-": "", "a[]": "", "-x6120": "", "#a": "",
	} {
		f, err := flow.Form[names]{}.Field(key)
		is.NoErr(err)
		if want != "" {
			is.Equal(f.ID, want)
		}
		is.Equal(ids[f.ID], "") // it is that of no other key
		ids[f.ID] = key
		for i, r := range f.ID { // a name of CSS (CSS Syntax, section 4.3.9), without escapes
			isLetter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
			is.True(isLetter || i > 0 && (r == '-' || r >= '0' && r <= '9') || i == 0 && r == '-' && f.ID[1] == 'x')
		}
	}
}

// A counting struct counts the calls of Validate.
type counting struct{ Name string }

var countingCalls atomic.Int64

func (counting) Validate() error { countingCalls.Add(1); return nil }

// TestNoRequiredWithoutField: nothing calls Validate for a page that shows no Field.
func TestNoRequiredWithoutField(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"index.html": `{{.Value.Name}}`}))
	r.At("index").GET().Do(func(*flow.Request) (flow.Form[counting], error) { return flow.Form[counting]{}, nil })
	is.Equal(says(serve(r, "GET", "/")), "200 ")
	is.Equal(countingCalls.Load(), int64(0))
}

// every has a field of each Go type that a form fills.
type everyField struct {
	String  string
	Named   fieldText
	Bytes   []byte
	Bool    bool
	Int     int
	Int8    int8
	Uint64  uint64
	Float   float64
	Float32 float32
	Time    time.Time
	Addr    netip.Addr
	Big     big.Int
	BigP    *big.Int
	IntP    *int
	StringP *string
	BoolP   *bool
	TimeP   *time.Time
	Strings []string
	Ints    []int
	Bools   []bool
	Times   []time.Time
	Addrs   []netip.Addr
	Floats  *[]float64
}

type fieldText string

// inputTypeNames are all types of an input that As takes.
var inputTypeNames = []string{"checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "month", "number", "password", "radio", "range", "search", "select", "tel", "text", "textarea", "time", "url", "week"}

// layouts are how much of a time an input of a type shows.
var layouts = map[string]time.Time{
	"date":           time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC),
	"month":          time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
	"week":           time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC),
	"time":           time.Date(0, 1, 1, 4, 5, 6, 0, time.UTC),
	"datetime-local": time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
}

// TestFieldsComeBack: for each type in Go and each type of an input that fits, what a Field shows
// fills the same value when it is sent back unchanged, and is then shown again.
func TestFieldsComeBack(t *testing.T) {
	far, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	n, text, yes := -7, "  ", true
	fitted := 0
	for _, inputType := range inputTypeNames {
		at, ok := layouts[inputType]
		if !ok {
			at = time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
		}
		value := everyField{
			String: " a<b>&\"'é\n", Named: "n", Bytes: []byte("bytes"), Bool: true, Int: math.MinInt, Int8: -128, Uint64: math.MaxUint64, Float: 1e300, Float32: 0.1,
			Time: at, Addr: netip.MustParseAddr("192.0.2.1"), Big: *far, BigP: far, IntP: &n, StringP: &text, BoolP: &yes, TimeP: &at,
			Strings: []string{"a", "", "b"}, Ints: []int{0, -1}, Bools: []bool{true, false}, Times: []time.Time{at, at.AddDate(7, 0, 0)}, Addrs: []netip.Addr{netip.MustParseAddr("::1")}, Floats: &[]float64{1.5},
		}
		if inputType == "week" {
			value.Times[1] = at.AddDate(0, 0, 7)
		}
		if inputType == "time" {
			value.Times[1] = at.Add(time.Hour)
		}
		for _, form := range []flow.Form[everyField]{{Value: value}} {
			of := reflect.TypeFor[everyField]()
			for i := range of.NumField() {
				key := of.Field(i).Name
				f, err := form.Field(key)
				if err != nil {
					t.Fatal(err)
				}
				f, err = f.As(inputType)
				if err != nil || inputType == "password" {
					continue
				}
				fitted++
				t.Run(key+" "+inputType, func(t *testing.T) {
					is := is.New(t)
					is.True(f.Value != "")
					texts := f.Values
					if texts == nil {
						texts = []string{f.Value}
					}
					again := posted[everyField](t, url.Values{f.Name: texts}.Encode())
					is.Equal(len(again.Wrong), 0)
					want := reflect.ValueOf(value).Field(i).Interface()
					is.Equal(reflect.ValueOf(again.Value).Field(i).Interface(), want)
					for _, form := range []flow.Form[everyField]{again, {Value: again.Value}} {
						shownAgain, err := form.Field(key)
						is.NoErr(err)
						shownAgain, err = shownAgain.As(inputType)
						is.NoErr(err)
						is.Equal(shownAgain.Value, f.Value)
						is.Equal(shownAgain.Values, f.Values)
						is.Equal(shownAgain.Checked, f.Checked)
					}
				})
			}
		}
	}
	t.Log(fitted, "pairs")
	is.New(t).True(fitted > 150)
}

// fieldPartial is the markup of all fields of a form, as an application has it.
const fieldPartial = `<label for="{{.of.ID}}">{{.label}}</label><input id="{{.of.ID}}" name="{{.of.Name}}" type="{{.of.Type}}"` +
	`{{if eq .of.Type "checkbox"}}{{if .of.Checked}} checked{{end}}{{else}} value="{{.of.Value}}"{{end}}{{if .of.Required}} required{{end}}` +
	`{{with .of.Wrong}} aria-invalid="true" aria-describedby="{{$.of.ID}}-wrong"{{end}}>{{with .of.Wrong}}<span id="{{$.of.ID}}-wrong">{{$.label}} {{.}}.</span>{{end}}`

type shownForm struct {
	Form  flow.Form[booking]
	Langs []string
}

// TestFieldInPages: pages show fields by their plans as by html/template, which compares them here.
func TestFieldInPages(t *testing.T) {
	for _, plans := range []string{"", "off", "compare"} {
		t.Run(plans, func(t *testing.T) {
			t.Setenv("FLOW_PLANS", plans)
			r := flow.New(flowtest.Pages(map[string]string{
				"+field.html": fieldPartial,
				"+row.html":   `{{$of := .form.Field "items" .i "name"}}[{{$of.Name}} {{$of.Value}} {{$of.Wrong}}]`,
				"index.html": `{{template "+field" (dict "of" (.Form.Field "name") "label" "<Name>")}}
{{template "+field" (dict "of" ((.Form.Field "due").As "date") "label" "Due")}}
{{template "+field" (dict "of" (.Form.Field "terms") "label" "Terms")}}
{{with $l := .Form.Field "untold"}}<select name="{{.Name}}">{{range $.Langs}}<option{{if $l.Has .}} selected{{end}}>{{.}}</option>{{end}}</select>{{end}}
{{$form := .Form}}{{range $i, $_ := .Form.Value.Items}}{{template "+row" (dict "form" $form "i" $i)}}{{end}}`,
				"wrong.html": `{{(.Form.Field (print "nmae")).Value}}`, // a constant would be a fault
			}))
			body := func(w *httptest.ResponseRecorder) string {
				return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
			}
			page := func(in flow.Form[booking]) shownForm { return shownForm{in, []string{"de", "en"}} }
			for _, path := range []string{"index", "wrong"} {
				r.At(path).GET().Do(func(*flow.Request) (shownForm, error) { return page(flow.Form[booking]{}), nil })
				r.At(path).POST().Do(func(_ *flow.Request, in flow.Form[booking]) (flow.Response, error) {
					return flow.Page(page(in)).Status(422), nil
				})
			}
			is := is.New(t)
			is.NoErr(r.Check())
			is.Equal(body(serve(r, "GET", "/")), `200 <label for="name">&lt;Name&gt;</label><input id="name" name="name" type="text" value="">
<label for="due">Due</label><input id="due" name="due" type="date" value="">
<label for="terms">Terms</label><input id="terms" name="terms" type="checkbox">
<select name="untold"><option>de</option><option>en</option></select>`)
			is.Equal(body(ask(r, "POST", "/", "name=%22%3E%3Cscript%3E&due=%3C&terms=on&untold=en&items.4.name=b&items.2.name=")), `422 <label for="name">&lt;Name&gt;</label><input id="name" name="name" type="text" value="&#34;&gt;&lt;script&gt;">
<label for="due">Due</label><input id="due" name="due" type="date" value="&lt;" aria-invalid="true" aria-describedby="due-wrong"><span id="due-wrong">Due is not valid.</span>
<label for="terms">Terms</label><input id="terms" name="terms" type="checkbox" checked>
<select name="untold"><option>de</option><option selected>en</option></select>
[items.0.name  is required][items.1.name b ]`)
			is.Equal(serve(r, "GET", "/wrong").Code, 500)
		})
	}
}

// A signup3 is a form of three fields.
type signup3 struct {
	Name  string `form:"name"`
	Age   int    `form:"age"`
	Email string `form:"email"`
}

// TestFieldAllocations: a page allocates eight times more at most for each Field than by hand, and
// ten times with a partial for all fields, of which dict takes three.
func TestFieldAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates, too")
	}
	t.Setenv("FLOW_PLANS", "") // a comparison renders twice
	form := posted[signup3](t, "name=Ada&age=x&email=a%40example.com")
	is := is.New(t)
	pages := map[string]string{"+field.html": fieldPartial}
	for _, f := range []struct{ key, value, kind string }{{"name", "Name", "text"}, {"age", "Age", "number"}, {"email", "Email", "text"}} {
		pages["hand.html"] += fmt.Sprintf(`<input id="%[1]s" name="%[1]s" type="%[3]s" value="{{.Value.%[2]s}}"{{with .Wrong.%[1]s}} aria-describedby="%[1]s-wrong"{{end}}>`, f.key, f.value, f.kind)
		pages["field.html"] += fmt.Sprintf(`{{with .Field %q}}<input id="{{.ID}}" name="{{.Name}}" type="{{.Type}}" value="{{.Value}}"{{if .Wrong}} aria-describedby="{{.ID}}-wrong"{{end}}>{{end}}`, f.key)
		pages["partial.html"] += fmt.Sprintf(`{{template "+field" (dict "of" (.Field %q) "label" "L")}}`, f.key)
	}
	r := flow.New(flowtest.Pages(pages))
	allocs := map[string]float64{}
	for _, path := range []string{"hand", "field", "partial"} {
		r.At(path).GET().Do(func(*flow.Request) (flow.Form[signup3], error) { return form, nil })
	}
	is.NoErr(r.Check())
	for _, path := range []string{"hand", "field", "partial"} {
		req, w := request("GET", "/"+path), httptest.NewRecorder()
		allocs[path] = testing.AllocsPerRun(200, func() { w.Body.Reset(); r.ServeHTTP(w, req) })
		is.Equal(w.Code, http.StatusOK)
	}
	is.Equal(strings.ReplaceAll(serve(r, "GET", "/hand").Body.String(), `value="0"`, `value="x"`), serve(r, "GET", "/field").Body.String())
	t.Log(allocs)
	is.True(allocs["field"]-allocs["hand"] <= 3*8)
	is.True(allocs["partial"]-allocs["hand"] <= 3*10)
}
