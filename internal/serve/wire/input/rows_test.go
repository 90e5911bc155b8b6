package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/matryer/is"
)

type (
	order struct {
		Note    string
		Buyer   buyer   `json:"buyer" form:"customer"`
		Ship    *buyer  `json:"ship,omitempty"`
		Items   []line  `json:"items"`
		More    []*line `json:"more,omitempty"`
		Grid    [][]line
		Dotted  string          `json:"a.b,omitempty"`
		Dots    *line           `json:"c.d.e,omitempty"`
		When    time.Time       `json:"when,omitzero"`
		Count   int             `json:"count,omitempty"`
		Decodes *both           `json:"decodes,omitempty"`
		Parent  *order          `json:"parent,omitempty"`
		Endless endless         `json:"endless,omitempty"`
		Fixed   [1]line         `json:"fixed,omitzero"`
		By      map[string]line `json:"by,omitempty"`
	}
	buyer struct {
		Street string `json:"street,omitempty"`
		Zip    int    `json:"zip,omitempty"`
		Of     struct {
			City string `json:"city,omitempty"`
		} `json:"of,omitzero"`
	}
	line struct {
		Name string `json:"name,omitempty"`
		Amount
		Tags []string   `json:"tags,omitempty"`
		On   *time.Time `json:"on,omitempty"`
		Dot  string     `json:"x.y,omitempty"`
	}
	Amount struct {
		Qty int8 `json:"qty,omitempty"`
	}
	endless []endless
)

const emptyOrder = `{"Note":"","buyer":{},"items":null,"Grid":null}`

func TestKeysWithDots(t *testing.T) {
	for _, tt := range []struct{ form, want string }{
		{"customer.street=x&customer.zip=7&customer.of.city=y", `{"Note":"","buyer":{"street":"x","zip":7,"of":{"city":"y"}},"items":null,"Grid":null}`},
		{"buyer.street=x", emptyOrder}, // its name is customer
		{"customer.Street=x", `{"Note":"","buyer":{"street":"x"},"items":null,"Grid":null}`},
		{"customer.Street=b&customer.street=a&customer.STREET=c", `{"Note":"","buyer":{"street":"a"},"items":null,"Grid":null}`},
		{"ship.zip=7", `{"Note":"","buyer":{},"ship":{"zip":7},"items":null,"Grid":null}`},
		{"ship.zip=&ship.street=&ship.of.city=", emptyOrder}, // an address that was left out
		{"ship.zip=&ship.street=+", `{"Note":"","buyer":{},"ship":{"street":" "},"items":null,"Grid":null}`},
		{"ship.none=x", `{"Note":"","buyer":{},"ship":{},"items":null,"Grid":null}`}, // as {"ship":{"none":"x"}}
		{"parent.ship.zip=&parent.Note=x", `{"Note":"","buyer":{},"items":null,"Grid":null,"parent":{"Note":"x","buyer":{},"items":null,"Grid":null}}`},
		{"items.3.name=&items.4.qty=&more.7.name=&more.9=", `{"Note":"","buyer":{},"items":[{},{}],"more":[{},{}],"Grid":null}`}, // a row is a row
		{"items.0.name=a&items.0.qty=1&items.1.name=b", `{"Note":"","buyer":{},"items":[{"name":"a","qty":1},{"name":"b"}],"Grid":null}`},
		{"items.10.name=c&items.5.name=b&items.2.name=a", `{"Note":"","buyer":{},"items":[{"name":"a"},{"name":"b"},{"name":"c"}],"Grid":null}`},
		{"items.1000000000000000000000.name=b&items.999999999999.name=a", `{"Note":"","buyer":{},"items":[{"name":"a"},{"name":"b"}],"Grid":null}`},
		{"items.01.name=a&items.1.qty=2&items.00.name=0", `{"Note":"","buyer":{},"items":[{"name":"0"},{"name":"a","qty":2}],"Grid":null}`},
		{"items.1.name=b&items.01.name=a&items.001.name=c", `{"Note":"","buyer":{},"items":[{"name":"b"}],"Grid":null}`},
		{"items.01.name=a&items.001.name=b", `{"Note":"","buyer":{},"items":[{"name":"b"}],"Grid":null}`}, // the first in byte order
		{"grid.0.0.name=b&Grid.0.0.name=a&gRID.0.0.name=c&grid.0.0.qty=1", `{"Note":"","buyer":{},"items":null,"Grid":[[{"name":"a","qty":1}]]}`},
		{"Grid.0.0.NAME=a&grid.0.0.name=b", `{"Note":"","buyer":{},"items":null,"Grid":[[{"name":"a"}]]}`},
		{"parent.Grid.0.0.name=a&parent.grid.0.0.name=b", `{"Note":"","buyer":{},"items":null,"Grid":null,"parent":{"Note":"","buyer":{},"items":null,"Grid":[[{"name":"a"}]]}}`},
		{"parent.a.b=dot&parent.A.B=no", `{"Note":"","buyer":{},"items":null,"Grid":null,"parent":{"Note":"","buyer":{},"items":null,"Grid":null,"a.b":"dot"}}`},
		{"c.d.e.name=n&c.d.e.qty=1&c.d.f=x", `{"Note":"","buyer":{},"items":null,"Grid":null,"c.d.e":{"name":"n","qty":1}}`},
		{"parent.c.d.e.tags=n&parent.C.D.E.qty=1&parent.c.d=x", `{"Note":"","buyer":{},"items":null,"Grid":null,"parent":{"Note":"","buyer":{},"items":null,"Grid":null,"c.d.e":{"qty":1,"tags":["n"]}}}`},
		{"c.d.e=x", "invalid: c.d.e: must be an object"},
		{"items.0.tags=a&items.0.tags=b&items.0.on=2026-02-03", `{"Note":"","buyer":{},"items":[{"tags":["a","b"],"on":"2026-02-03T00:00:00Z"}],"Grid":null}`},
		{"items.0.x.y=dot", `{"Note":"","buyer":{},"items":[{"x.y":"dot"}],"Grid":null}`},
		{"a.b=dot", `{"Note":"","buyer":{},"items":null,"Grid":null,"a.b":"dot"}`},
		{"more.3.name=a&more.3.qty=", `{"Note":"","buyer":{},"items":null,"more":[{"name":"a"}],"Grid":null}`},
		{"Grid.0.1.name=b&grid.0.0.name=a&Grid.1.0.name=c", `{"Note":"","buyer":{},"items":null,"Grid":[[{"name":"a"},{"name":"b"}],[{"name":"c"}]]}`},
		{"parent.items.7.name=a&parent.parent.Note=n", `{"Note":"","buyer":{},"items":null,"Grid":null,"parent":{"Note":"","buyer":{},"items":[{"name":"a"}],"Grid":null,"parent":{"Note":"n","buyer":{},"items":null,"Grid":null}}}`},
		{"items.0.none=1", `{"Note":"","buyer":{},"items":[{}],"Grid":null}`}, // as {"items":[{"none":1}]}
		{"items.=1&items..name=1&items.x.name=1&items.-1.name=1&items.%2b1.name=1&items.1e3.name=1&items.%D9%A1.name=1", emptyOrder},
		{".name=1&.=1&none.0.name=1&Note.x=1&count.0=1&when.wall=1&when.0.ext=1", emptyOrder},
		{"decodes.A=1&fixed.0.name=1&by.x.name=1&endless.0.0.0=1&items.0.x=1", `{"Note":"","buyer":{},"items":[{}],"Grid":null}`},
		{strings.Repeat("parent.", 15) + "Note=1", "15"},
		{strings.Repeat("parent.", 16) + "Note=1", emptyOrder},

		{"items.4.qty=x", "invalid: items.0.qty: must be a whole number from -128 to 127"},
		{"items.4.qty=1&items.5.Qty=x&customer.zip=1.5&ITEMS.6.on=x", "invalid: customer.zip: must be a whole number; items.1.qty: must be a whole number from -128 to 127"},
		{"items.0=x&items.1.name=a", "invalid: items.0: must be an object"},
		{"items=x", "invalid: items: must be a list"},
		{"customer=x", "invalid: customer: must be an object"},
		{"Grid.0.1.qty=300", "invalid: Grid.0.0.qty: must be a whole number from -128 to 127"},
	} {
		t.Run(tt.form, func(t *testing.T) {
			is := is.New(t)
			var o order
			got := bound(sending("POST", "/", formType, tt.form), &o)
			if tt.want == "15" {
				for range 15 {
					o = *o.Parent
				}
				is.Equal(o.Note, "1")
				return
			}
			is.Equal(got, tt.want)
			is.Equal(bound(httptest.NewRequest("GET", "/?"+tt.form, nil), new(order)), tt.want) // a query in place of a body
			var items []string
			for _, pair := range strings.Split(tt.form, "&") {
				item, err := url.QueryUnescape(pair)
				is.NoErr(err)
				items = append(items, item)
			}
			is.Equal(bound(sending("POST", "/", multiMedia, parts(items...)), new(order)), tt.want)
		})
	}
}

// TestTextsForStructs: a text where a struct or a list of structs is expected has the message that a
// text of JSON has.
func TestTextsForStructs(t *testing.T) {
	for _, tt := range []struct{ form, json, want string }{
		{"items=x", `{"items":"x"}`, "invalid: items: must be a list"},
		{"items=x&items=y", `{"items":"x"}`, "invalid: items: must be a list"},
		{"Grid=x", `{"Grid":"x"}`, "invalid: Grid: must be a list"},
		{"endless=x", `{"endless":"x"}`, "invalid: endless: must be a list"},
		{"ship=x", `{"ship":"x"}`, "invalid: ship: must be an object"},
		{"parent.items=x", `{"parent":{"items":"x"}}`, "invalid: parent.items: must be a list"},
		{"items=", `{}`, emptyOrder},
	} {
		t.Run(tt.form, func(t *testing.T) {
			is := is.New(t)
			is.Equal(bound(sending("POST", "/", formType, tt.form), new(order)), tt.want)
			is.Equal(bound(sending("POST", "/", jsonMedia, tt.json), new(order)), tt.want)
		})
	}
}

// TestKeysWithDotsOfTheQuery: a field with a tag query is filled from its own key alone, and one
// with a tag param from none.
func TestKeysWithDotsOfTheQuery(t *testing.T) {
	is := is.New(t)
	type filter struct {
		By struct{ Name string } `query:"by" form:"by" json:"by"`
		ID struct{ Name string } `param:"id"`
	}
	is.Equal(bound(httptest.NewRequest("GET", "/?by.name=x&id.name=x&ID.Name=x", nil), new(filter)), `{"by":{"Name":""},"ID":{"Name":""}}`)
	is.Equal(bound(sending("POST", "/?by.name=y", formType, "by.name=x&id.name=x&ID.Name=x"), new(filter)), `{"by":{"Name":"x"},"ID":{"Name":""}}`)
}

// sold is valid with a quantity.
type sold struct {
	Qty  int `json:"qty"`
	Name string
}

func (s *sold) Validate() error {
	if s.Qty == 0 {
		return invalidError{"qty": "is required"}
	}
	return nil
}

type invalidError map[string]string

func (e invalidError) Error() string { return "invalid" }

// TestRowsAreValidated: messages count rows as those of JSON do. One that does not convert has no
// other message.
func TestRowsAreValidated(t *testing.T) {
	is := is.New(t)
	var dst struct {
		Sold []sold `json:"sold"`
	}
	b, err := load(sending("POST", "/", formType, "sold.3.qty=1&sold.5.name=x&sold.8.Qty=x"))
	is.NoErr(err)
	invalid, _, err := b.Bind(sending("POST", "/", formType, ""), noParams{}, &dst, true, func(err error) (map[string]string, bool) {
		wrong, ok := errors.AsType[invalidError](err)
		return wrong, ok
	})
	is.NoErr(err)
	is.Equal(said(invalid), "sold.1.qty: is required; sold.2.qty: must be a whole number")
}

// TestRowsLeaveStoredDataAlone: a copy of what is stored is filled as from JSON, and what is stored
// stays as it was.
func TestRowsLeaveStoredDataAlone(t *testing.T) {
	for _, tt := range []struct{ form, json string }{
		{"ship.zip=7", `{"ship":{"zip":7}}`},
		{"items.0.qty=7", `{"items":[{"qty":7}]}`},
		{"more.0.qty=7", `{"more":[{"qty":7}]}`},
		{"parent.ship.zip=7&parent.Note=p", `{"parent":{"ship":{"zip":7},"Note":"p"}}`},
	} {
		t.Run(tt.form, func(t *testing.T) {
			is := is.New(t)
			stored := order{Ship: &buyer{Street: "s", Zip: 1}, Items: []line{{Name: "a"}, {Name: "b"}}, More: []*line{{Name: "m"}}}
			stored.Parent = &order{Note: "n", Ship: stored.Ship}
			before := asJSON(stored)
			fromForm, fromJSON := stored, stored
			got := bound(sending("POST", "/", formType, tt.form), &fromForm)
			is.Equal(got, bound(sending("POST", "/", jsonMedia, tt.json), &fromJSON))
			is.True(got != before)
			is.Equal(asJSON(stored), before)
		})
	}
}

// A deepest struct has all that keys lead into.
type deepest struct {
	S    string
	N    int
	B    bool
	P    *int
	L    []string
	I    []int
	Name string `json:"name"`
	In   struct {
		S string
		T *deepest
	}
	To   *deepest
	Rows []deepest `json:"rows"`
	Ptrs []*deepest
	Grid [][]deepest
	Dots *deepest `json:"a.b"`
}

// A formKey is a key of a form, in parts.
type formKey struct {
	parts []string
	texts []string
	order string // of those for one value, the first counts: a digit for each name before, 1 if it is spelled in another way
}

// behind returns the key behind a name, which may have dots, and how the key spells the name.
func (k formKey) behind(name string) (spelled string, rest formKey) {
	n, digit := min(1+strings.Count(name, "."), len(k.parts)), "0"
	if spelled = strings.Join(k.parts[:n], "."); spelled != name {
		digit = "1"
	}
	return spelled, formKey{k.parts[n:], k.texts, k.order + digit}
}

// objectOf returns the JSON that a form stands for, of keys in byte order. It is plain, and slow.
func objectOf(t reflect.Type, keys []formKey, top bool) string {
	var members []string
	for i := range t.NumField() {
		sf := t.Field(i)
		name := sf.Tag.Get("json")
		exact := top && name != ""
		if name == "" {
			name = sf.Name
		}
		var texts []string
		var inside []formKey
		order := ""
		for _, k := range keys {
			spelled, rest := k.behind(name)
			switch {
			case spelled != name && (exact || !strings.EqualFold(spelled, name)):
			case len(rest.parts) > 0:
				inside = append(inside, rest)
			case order == "" || rest.order < order:
				order, texts = rest.order, k.texts
			}
		}
		if value := valueOf(sf.Type, inside, texts); value != "" {
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func valueOf(t reflect.Type, inside []formKey, texts []string) string {
	if t.Kind() == reflect.Pointer {
		blank := func(k formKey) bool { return strings.Join(k.texts, "") == "" }
		if len(slices.DeleteFunc(slices.Clone(inside), blank)) == 0 {
			inside = nil
		}
		t = t.Elem()
	}
	filled := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	isList := t.Kind() == reflect.Slice
	switch {
	case t.Kind() == reflect.Struct && len(inside) == 0:
		return ""
	case t.Kind() == reflect.Struct:
		return objectOf(t, inside, false)
	case isList && t.Elem().Kind() > reflect.Float64 && t.Elem().Kind() != reflect.String:
		return listOf(t.Elem(), inside)
	case t == reflect.TypeFor[[]string]() && len(texts) > 0:
		b, _ := json.Marshal(texts)
		return string(b)
	case t.Kind() == reflect.String && len(texts) > 0:
		b, _ := json.Marshal(texts[0])
		return string(b)
	case isList && len(filled) > 0:
		for i, text := range filled {
			filled[i] = scalarOf(t.Elem(), text)
		}
		return "[" + strings.Join(filled, ",") + "]"
	case !isList && len(filled) > 0:
		return scalarOf(t, filled[0])
	}
	return ""
}

// scalarOf returns the JSON of a number or a boolean that converts.
func scalarOf(t reflect.Type, text string) string {
	if t.Kind() == reflect.Bool {
		b, _ := strconv.ParseBool(text)
		return strconv.FormatBool(b || text == "on")
	}
	n, _ := strconv.Atoi(text)
	return strconv.Itoa(n)
}

func listOf(t reflect.Type, keys []formKey) string {
	empty := "null"
	if t.Kind() == reflect.Pointer {
		t, empty = t.Elem(), "{}"
	}
	rows := map[string][]formKey{} // by number
	var numbers []*big.Int
	for _, k := range keys {
		if strings.Trim(k.parts[0], "0123456789") != "" || k.parts[0] == "" {
			continue
		}
		n, _ := new(big.Int).SetString(k.parts[0], 10)
		if rows[n.String()] == nil {
			numbers = append(numbers, n)
		}
		rows[n.String()] = append(rows[n.String()], k)
	}
	slices.SortFunc(numbers, (*big.Int).Cmp)
	var items []string
	for _, n := range numbers {
		var inside []formKey
		for _, k := range rows[n.String()] {
			if _, rest := k.behind(n.String()); len(rest.parts) > 0 {
				inside = append(inside, rest)
			}
		}
		item := valueOf(t, inside, nil)
		if item == "" {
			item = empty
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return ""
	}
	return "[" + strings.Join(items, ",") + "]"
}

// longest returns the length of the longest list in a value.
func longest(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			n = longest(v.Elem())
		}
	case reflect.Slice:
		n = v.Len()
		for i := range v.Len() {
			n = max(n, longest(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n = max(n, longest(v.Field(i)))
		}
	}
	return n
}

// checkForm fills a struct from a form, from the JSON that it stands for, and from the texts that count.
func checkForm(t *testing.T, query string) {
	form, err := url.ParseQuery(query)
	if err != nil || !utf8.ValidString(query) {
		return
	}
	var keys []formKey
	values := 0
	for _, key := range slices.Sorted(maps.Keys(form)) {
		if !utf8.ValidString(key) || slices.ContainsFunc(form[key], func(v string) bool { return !utf8.ValidString(v) }) {
			return
		}
		values += len(form[key])
		if parts := strings.Split(key, "."); len(parts) <= maxParts {
			keys = append(keys, formKey{parts, form[key], ""})
		}
	}
	var got, want deepest
	invalid, err := bind(sending("POST", "/", formType, query), &got)
	if err != nil {
		t.Fatal(err)
	}
	if n := longest(reflect.ValueOf(got)); n > values {
		t.Errorf("%s: %d values make a list of %d", query, values, n)
	}
	if len(invalid) > 0 { // JSON has one message for each field of the struct
		return
	}
	object := objectOf(reflect.TypeFor[deepest](), keys, true)
	if invalid, err = bind(sending("POST", "/", jsonMedia, object), &want); err != nil || len(invalid) > 0 {
		t.Fatalf("%s: %s: %v %v", query, object, err, invalid)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %s:\ngot  %s\nwant %s", query, object, asJSON(got), asJSON(want))
	}
	for key := range form {
		if to, _, ok := FormTarget(reflect.TypeFor[deepest](), false, key); !ok || to.Type == nil {
			return // it may make a row of which nothing was sent
		}
	}
	var again deepest
	r := sending("POST", "/", formType, query)
	b, err := load(r)
	if err != nil {
		t.Fatal(err)
	}
	shown, _, err := b.BindForm(r, noParams{}, &deepest{}, noMessages)
	if err != nil {
		t.Fatal(err)
	}
	sent := url.Values(shown)
	for key, texts := range form {
		to, _, _ := FormTarget(reflect.TypeFor[deepest](), false, key)
		if strings.Join(texts, "") != "" && strings.Join(sent[to.Path], "") == "" {
			return // a text that does not count, and is not shown, may have made a struct behind a pointer
		}
	}
	if invalid, err = bind(sending("POST", "/", formType, sent.Encode()), &again); err != nil || len(invalid) > 0 {
		t.Fatalf("%s: %v %v", sent.Encode(), err, invalid)
	}
	if !reflect.DeepEqual(got, again) {
		t.Errorf("%s fills %s\n%s, which was sent, fills %s", query, asJSON(got), sent.Encode(), asJSON(again))
	}
}

var deepForms = []string{
	"S=a&N=1&B=on&P=2&L=a&L=&L=b&I=1&I=&I=2&name=n",
	"In.S=a&In.T.S=b&In.T.T.S=c&in.t.in.t.s=d&To.To.To.N=3",
	"rows.0.S=a&rows.0.name=x&rows.0.Name=y&rows.7.N=1&rows.07.B=true&rows.3.rows.1.S=b&rows.3.rows.0.L=c",
	"Rows.0.S=a&ROWS.1.S=b",
	"Ptrs.1.S=&Ptrs.0.N=&Ptrs.2.x=1&Ptrs.x.S=1",
	"Grid.1.1.S=a&Grid.1.0.S=b&Grid.0.5.Ptrs.0.P=4&Grid.0=&Grid.9.=1",
	"In.=1&In..S=1&.S=1&S.S=1&rows..S=1&rows.0.=1&To=&To.x.y=1&L.0=a&P.0=1",
	"rows.1000000000.S=a&rows.99999999999999999999999999.S=b&rows.00000000000000000000001.S=c",
	"To.To.To.To.To.To.To.To.To.To.To.To.To.To.To.S=15&To.To.To.To.To.To.To.To.To.To.To.To.To.To.To.To.S=16",
	"a.b.S=1&In.T.a.b.N=2&In.T.A.B.N=3&a.b.a.b.S=4&a.b.a.S=5&a=6&rows.0.a.b.L=7&A.B.S=8&a.b=9",
	"in.s=1&In.S=2&IN.s=3&iN.S=4&rows.0.S=1&rows.00.S=2&Rows.0.S=3",
	"In.S=0&In.T.S&in.t.s=0",
	"In.s=1&in.S=2&IN.S=3&To.rows.0.S=1&to.rows.00.S=2&TO.Rows.0.s=3&To.rows.00.N=1&To.rows.000.N=2",
}

// TestFormsLikeJSON has many forms of parts that fit, in all orders.
func TestFormsLikeJSON(t *testing.T) {
	for _, form := range deepForms {
		checkForm(t, form)
	}
	parts := []string{"S", "s", "N", "B", "P", "L", "I", "name", "Name", "In", "in", "T", "To", "TO", "rows", "Rows", "Ptrs", "Grid", "a.b", "A.b", "a", "b", "0", "1", "00", "2", "10", "x", ""}
	values := []string{"", "1", "0", "on", "-7", "a"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		form := url.Values{}
		for range 1 + random.IntN(8) {
			var key []string
			for range 1 + random.IntN(6) {
				key = append(key, parts[random.IntN(len(parts))])
			}
			form.Add(strings.Join(key, "."), values[random.IntN(len(values))])
		}
		checkForm(t, form.Encode())
	}
}

func FuzzFormLikeJSON(f *testing.F) {
	for _, form := range deepForms {
		f.Add(form)
	}
	f.Fuzz(checkForm)
}

// TestManyKeys: what a form allocates grows with its size, whatever its keys say. url.ParseQuery
// takes 10,000 of them, and no more structs are made.
func TestManyKeys(t *testing.T) {
	const n = 9_900
	type (
		item struct {
			Name string `json:"name"`
			Rows []item `json:"rows"`
			To   *item  `json:"to"`
		}
		wide struct {
			Name string    `json:"name"`
			Much [64]int64 `json:"-"`
			To   *wide     `json:"to"`
		}
	)
	for name, tt := range map[string]struct {
		key   func(i int) string
		limit float64 // in MB, with room for the race detector
		err   string
	}{
		"flat":               {func(i int) string { return "x" + strconv.Itoa(i) }, 12, ""},
		"rows":               {func(i int) string { return fmt.Sprintf("rows.%d.name", i) }, 12, ""},
		"rows far apart":     {func(i int) string { return fmt.Sprintf("rows.%d000000.name", i) }, 12, ""},
		"rows in rows":       {func(i int) string { return fmt.Sprintf("rows.%d.rows.%d.name", i%100, i) }, 12, ""},
		"one row":            {func(i int) string { return fmt.Sprintf("rows.0.x%d", i) }, 12, ""},
		"spellings":          {func(i int) string { return "rows." + strings.Repeat("0", i%100) + strconv.Itoa(i/100) + ".name" }, 12, ""},
		"wide rows":          {func(i int) string { return fmt.Sprintf("wide.%d.name", i) }, 18, ""},
		"deep rows":          {func(i int) string { return "rows." + strconv.Itoa(i) + strings.Repeat(".rows.0", 6) + ".name" }, 12, tooMany},
		"deep pointers":      {func(i int) string { return "rows." + strconv.Itoa(i) + strings.Repeat(".to", 13) + ".name" }, 12, tooMany},
		"deep wide pointers": {func(i int) string { return "wide." + strconv.Itoa(i) + strings.Repeat(".to", 13) + ".name" }, 18, tooMany},
		"blank":              {func(i int) string { return "rows." + strconv.Itoa(i) + strings.Repeat(".to", 13) + ".name" }, 12, ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var dst struct {
				Rows []item `json:"rows"`
				Wide []wide `json:"wide"`
			}
			value := "=v&"
			if name == "blank" {
				value = "=&"
			}
			var form strings.Builder
			for i := range n {
				form.WriteString(tt.key(i) + value)
			}
			text := strings.TrimSuffix(form.String(), "&")
			r := sending("POST", "/", formType, text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b, err := load(r)
			is.NoErr(err)
			invalid, _, err := b.Bind(httptest.NewRequest("POST", "/", nil), noParams{}, &dst, true, noMessages)
			runtime.ReadMemStats(&after)
			allocated := float64(after.TotalAlloc-before.TotalAlloc) / 1e6
			t.Logf("%.0f KB make %.1f MB", float64(len(text))/1e3, allocated)
			if tt.err != "" {
				is.True(err != nil)
				is.Equal(err.Error(), tt.err)
			} else {
				is.NoErr(err)
			}
			is.Equal(said(invalid), "")
			is.True(len(dst.Rows) <= n)
			is.True(allocated < tt.limit)
		})
	}
}

const tooMany = "400 the body holds too many values"

// TestMostStructs: a form, and a query without a body, makes 10,000 rows and structs behind pointers.
func TestMostStructs(t *testing.T) {
	type tree struct {
		N    int
		To   *tree
		Rows []tree
	}
	var form strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&form, "Rows.%d%s.N=1&", i, strings.Repeat(".To", 9))
	}
	for _, tt := range []struct{ more, bodyErr, queryErr string }{
		{"N=1", "", ""},
		{"To.N=", "", ""},
		{"To.N=1", tooMany, "400 the query holds too many values"},
		{"Rows.1000.N=1&Rows.1000.To.N=x", tooMany, "400 the query holds too many values"},
	} {
		t.Run(tt.more, func(t *testing.T) {
			is := is.New(t)
			for _, sent := range []struct {
				r   *http.Request
				err string
			}{
				{sending("POST", "/", formType, form.String()+tt.more), tt.bodyErr},
				{httptest.NewRequest("GET", "/?"+form.String()+tt.more, nil), tt.queryErr},
			} {
				var dst tree
				invalid, err := bind(sent.r, &dst)
				is.Equal(said(invalid), "")
				if sent.err == "" {
					is.NoErr(err)
					is.Equal(len(dst.Rows), 1_000)
					continue
				}
				refused, ok := errors.AsType[*Error](err)
				is.True(ok)
				is.Equal(refused.Error(), sent.err)
				is.True(strings.HasSuffix(refused.Cause.Error(), " keys makes more than 10000 rows and structs behind pointers"))
			}
		})
	}
}

// TestRowsComeBack: the texts that are shown for the fields of rows fill equal rows.
func TestRowsComeBack(t *testing.T) {
	is := is.New(t)
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	before := order{Note: "n", Buyer: buyer{Zip: 7}, Items: []line{{Name: "a", Tags: []string{"x", ""}}, {Amount: Amount{3}, On: &day}}, More: []*line{{Dot: "d"}}, Grid: [][]line{{{Name: "g"}}}}
	form := url.Values{}
	for _, key := range []string{"Note", "customer.zip", "items.0.name", "items.0.tags", "items.1.qty", "items.1.on", "more.0.x.y", "Grid.0.0.name"} {
		v, ok := FormValue(reflect.ValueOf(before), false, key)
		is.True(ok)
		form[key] = Texts(v, "date")
		of, _, ok := FormTarget(reflect.TypeFor[order](), false, key)
		is.True(ok)
		is.Equal(of.Type, v.Type())
		is.Equal(of.Path, key)
		is.Equal(of.FirstRow, strings.ReplaceAll(key, ".1.", ".0."))
	}
	var after order
	is.Equal(bound(sending("POST", "/", formType, form.Encode()), &after), asJSON(before))
	is.Equal(after, before)
	for _, key := range []string{"items.2.name", "items.99999999999999999999.name", "items.x.name", "items.-1.name", "items.+1.name", "items.0.none", "items.0.name.x", "ship.zip", "none", "", "count.0", "fixed.0.name"} {
		v, ok := FormValue(reflect.ValueOf(before), false, key)
		is.True(!ok)
		is.True(!v.IsValid())
	}
}

// TestFormValue: a value behind a pointer that is nil is not there, nor is one that Bind would not
// fill.
func TestFormValue(t *testing.T) {
	type (
		Base  struct{ Name string }
		other struct{ City string }
		row   struct {
			*Base
			*other
			Zip int
		}
		list struct {
			*Base
			Rows []row `json:"rows"`
			Next *list
			Page int `query:"page"`
		}
	)
	full := list{Base: &Base{"a"}, Rows: []row{{Base: &Base{"b"}, other: &other{"c"}, Zip: 7}, {Zip: 8}}, Page: 9}
	full.Next = &full
	for _, tt := range []struct {
		of    any
		query bool
		key   string
		want  string // "" if there is none
	}{
		{full, false, "Name", "a"},
		{full, false, "rows.0.Name", "b"},
		{full, false, "rows.0.City", "c"},
		{full, false, "rows.1.Name", ""},
		{full, false, "rows.1.City", ""},
		{full, false, "rows.1.Zip", "8"},
		{list{}, false, "Name", ""},
		{list{}, false, "rows.0.Name", ""},
		{list{}, false, "Next.Name", ""},
		{full, false, strings.Repeat("Next.", 15) + "Name", "a"},
		{full, false, strings.Repeat("Next.", 16) + "Name", ""},
		{full, false, "page", ""},
		{full, true, "page", "9"},
		{full, true, "rows.1.Zip", "8"},
		{[]list{full}, false, "0.Name", ""},
		{7, true, "", ""},
	} {
		t.Run(fmt.Sprintf("%T %.20s", tt.of, tt.key), func(t *testing.T) {
			is := is.New(t)
			v, ok := FormValue(reflect.ValueOf(tt.of), tt.query, tt.key)
			is.Equal(ok, tt.want != "")
			is.Equal(v.IsValid(), ok)
			if ok {
				is.Equal(Texts(v, ""), []string{tt.want})
			}
		})
	}
}

// TestKeysOfOtherTypes: a form fills nothing of a type that is no struct.
func TestKeysOfOtherTypes(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[[]line](), reflect.TypeFor[map[string]line](), reflect.TypeFor[int](), reflect.TypeFor[*order](), reflect.TypeFor[any]()} {
		t.Run(typ.String(), func(t *testing.T) {
			is := is.New(t)
			_, near, ok := FormTarget(typ, true, "0.name")
			is.True(!ok)
			is.Equal(len(near), 0)
		})
	}
}

// TestFormTarget: which keys of a form fill something, and which are meant by others.
func TestFormTarget(t *testing.T) {
	for _, tt := range []struct{ key, want string }{
		{"Note", "string"},
		{"note", "string"},
		{"items", "items.0.name items.0.on items.0.qty items.0.tags items.0.x.y"},
		{"items.0", "items.0.name items.0.on items.0.qty items.0.tags items.0.x.y"},
		{"items." + Unknown + "x", "unknown"},
		{"Grid.3", "Grid.3.0.name Grid.3.0.on Grid.3.0.qty Grid.3.0.tags Grid.3.0.x.y"},
		{"ship", "ship.of ship.street ship.zip"},
		{"fixed", ""},
		{"by", ""},
		{"endless", ""},
		{"items.0.tags", "[]string"},
		{"items.7.qty", "int8"},
		{"items.7.x.y", "string"},
		{"items." + Unknown + ".on", "*time.Time"},
		{"items." + Unknown, "unknown"},
		{"items.1" + Unknown + ".on", "*time.Time"},
		{"items.0." + Unknown, "unknown"},
		{"customer." + Unknown + ".city", "unknown"},
		{Unknown, "unknown"},
		{Unknown + ".name", "unknown"},
		{"more.0.name", "string"},
		{"parent.ship.of.city", "string"},
		{"Grid.0." + Unknown + ".tags", "[]string"},
		{"itms.0.name", "Grid.0.name c.d.e.0.name customer.0.name items.0.name more.0.name parent.0.name ship.0.name"},
		{"items." + Unknown + ".nmae", "items.\\x00.name items.\\x00.on items.\\x00.qty items.\\x00.tags items.\\x00.x.y"},
		{"customer.fo.city", "customer.of.city customer.street.city customer.zip.city"},
		{"items.name", "items.0.name"},
		{"count.0", "count"},
		{"when.year", "when"},
		{strings.Repeat("parent.", 15) + "Note", "string"},
		{strings.Repeat("parent.", 16) + "Note", ""},
	} {
		t.Run(tt.key, func(t *testing.T) {
			is := is.New(t)
			of, near, ok := FormTarget(reflect.TypeFor[order](), false, tt.key)
			switch {
			case ok && of.Type == nil:
				is.Equal(tt.want, "unknown")
			case ok:
				is.Equal(of.Type.String(), tt.want)
			default:
				slices.Sort(near)
				is.Equal(strings.ReplaceAll(strings.Join(near, " "), Unknown, `\x00`), tt.want)
			}
		})
	}
}
