package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/mail"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/matryer/is"

	"example.com/flow/internal/check/fit"
	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/describe/rules"
	"example.com/flow/internal/serve/wire/input"
)

// wrong is the error of the types of the tests.
type wrong map[string]string

func (w wrong) Error() string { return fmt.Sprint(map[string]string(w)) }

func (w wrong) err() error {
	if len(w) == 0 {
		return nil
	}
	return w
}

func (w wrong) when(is bool, key string) {
	if is {
		w[key] = "is wrong"
	}
}

func messages(err error) (map[string]string, bool) {
	w, ok := err.(wrong)
	return w, ok
}

type noParams struct{}

func (noParams) Param(string) string      { return "" }
func (noParams) Segments(string) []string { return nil }

// takes reports whether Bind takes a JSON body.
func takes(t reflect.Type, body []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false // a panic is a 500
		}
	}()
	r, _ := http.NewRequest("POST", "/", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	b := input.New(nil, r, 0, false, false)
	if b.Load(r, false) != nil {
		return false
	}
	dst := input.NewDefault(t)
	invalid, _, err := b.Bind(r, noParams{}, dst.Interface(), true, messages)
	return err == nil && len(invalid) == 0
}

// The types of the test, each with what is said of it.
var zoo = []struct {
	of   any
	want string
}{
	{plain{}, `{"type":"object","properties":{"title":{"type":"string"},"count":{"type":"integer"}}}`},
	{required{}, `{"type":"object","properties":{"title":{"type":"string","minLength":1},"note":{"type":"string"},"count":{"type":"integer"}},"required":["title","count"]}`},
	{lengths{}, `{"type":"object","properties":{"short":{"type":"string","maxLength":20},"exact":{"type":"string","minLength":7,"maxLength":7},"long":{"type":"string","minLength":1,"maxLength":1234}},"required":["exact","long"]}`},
	{bytes8{}, `{"type":"object","properties":{"Password":{"type":"string","minLength":2}},"required":["Password"]}`},
	{runes8{}, `{"type":"object","properties":{"Password":{"type":"string","minLength":8,"maxLength":72}},"required":["Password"]}`},
	{trims{}, `{"type":"object","properties":{"Title":{"type":"string"},"Note":{"type":"string","minLength":1},"Word":{"type":"string"}},"required":["Note"]}`},
	{trimsEmbedded{}, `{"type":"object","properties":{"Title":{"type":"string","minLength":1},"Note":{"type":"string"}},"required":["Title"]}`},
	{eitherOr{}, `{"type":"object","properties":{"Email":{"type":"string"},"Phone":{"type":"string"}}}`},
	{pair{}, `{"type":"object","properties":{"From":{"type":"integer"},"To":{"type":"integer"}}}`},
	{strictPair{}, `{"type":"object","properties":{"From":{"type":"number","format":"double","minimum":-10},"To":{"type":"number","format":"double"}}}`},
	{passwords{}, `{"type":"object","properties":{"Password":{"type":"string","minLength":2},"Again":{"type":"string"}},"required":["Password","Again"]}`},
	{even{}, `{"type":"object","properties":{"N":{"type":"integer"},"Text":{"type":"string"}}}`},
	{multiples{}, `{"type":"object","properties":{"Ten":{"type":"integer"},"Prime":{"type":"integer"},"Both":{"type":"integer"}}}`},
	{sets{}, `{"type":"object","properties":{"Color":{"type":"string"},"N":{"type":"integer"}},"required":["Color","N"]}`},
	{setOfShort{}, `{"type":"object","properties":{"Grade":{"type":"string"},"Key":{"type":"string"}},"required":["Grade","Key"]}`},
	{panics{}, `{"type":"object","properties":{"A":{"type":"string"}}}`},
	{panicsOnZero{}, `{"type":"object","properties":{"A":{"type":"array","items":{"type":"integer"}}}}`},
	{fails{}, `{"type":"object","properties":{"A":{"type":"string"}}}`},
	{failsOnZero{}, `{"type":"object","properties":{"A":{"type":"string"},"B":{"type":"integer","maximum":7}}}`},
	{clock{}, `{"type":"object","properties":{"At":{"type":"string","format":"date-time"},"Year":{"type":"integer","maximum":2026}},"required":["At"]}`},
	{pointers{}, `{"type":"object","properties":{"Name":{"type":"string","maxLength":5},"Count":{"type":"integer"},"Maybe":{"type":["integer","null"],"minimum":3}},"required":["Name","Count"]}`},
	{pointersTaken{}, `{"type":"object","properties":{"Name":{"type":["string","null"],"minLength":1},"Null":{"type":["integer","null"],"maximum":100}}}`},
	{nested{}, `{"type":"object","properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string","maxLength":5}},"required":["city"]}
{"type":"object","properties":{"home":{"$ref":"#/components/schemas/address"},"work":{"anyOf":[{"$ref":"#/components/schemas/address"},{"type":"null"}]}},"required":["home"]}`},
	{nestedSpoken{}, `{"type":"object","properties":{"title":{"type":"string"},"body":{"type":"string"}}}
{"type":"object","properties":{"article":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":30},"body":{"type":"string"}},"required":["title"]},"other":{"$ref":"#/components/schemas/article"}},"required":["article"]}`},
	{rows{}, `{"type":"object","properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string","maxLength":5}},"required":["city"]}
{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/address"},"minItems":1,"maxItems":3}},"required":["items"]}`},
	{rowsSpoken{}, `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":10},"body":{"type":"string"}},"required":["title"]}}}}`},
	{noDoubles{}, `{"type":"object","properties":{"Tags":{"type":"array","items":{"type":"string"}},"IDs":{"type":"array","items":{"type":"integer"},"maxItems":5}}}`},
	{fewTags{}, `{"type":"object","properties":{"Tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4}},"required":["Tags"]}`},
	{countsFull{}, `{"type":"object","properties":{"Tags":{"type":"array","items":{"type":"string"}}}}`},
	{evenList{}, `{"type":"object","properties":{"Tags":{"type":"array","items":{"type":"integer"}}}}`},
	{aliased{}, `{"type":"object","properties":{"Tags":{"type":"array","items":{"type":"string"},"default":["b","a"]},"Name":{"type":"string","minLength":1}},"required":["Name"]}`},
	{conditional{}, `{"type":"object","properties":{"Kind":{"type":"string"},"Company":{"type":"string"},"Other":{"type":"string"},"Flag":{"type":"boolean"},"Reason":{"type":"string"},"N":{"type":"integer"}}}`},
	{firstOnly{}, `{"type":"object","properties":{"A":{"type":"string","minLength":1},"B":{"type":"string","maxLength":12},"C":{"type":"integer","minimum":1,"maximum":9}},"required":["A","C"]}`},
	{email{}, `{"type":"object","properties":{"Email":{"type":"string"},"Title":{"type":"string","maxLength":10},"From":{"type":"integer"},"To":{"type":"integer"}},"required":["Email"]}`},
	{withDefault{}, `{"type":"object","properties":{"Limit":{"type":"integer","minimum":1,"maximum":100,"default":20},"Sort":{"type":"string","minLength":1,"default":"name"},"Since":{"type":"string","format":"date-time"},"Nonce":{"type":"integer","format":"int64"}}}`},
	{unsigned{}, `{"type":"object","properties":{"A":{"type":"integer","minimum":0,"maximum":100},"B":{"type":"integer","minimum":10},"C":{"type":"integer","minimum":0}},"required":["B"]}`},
	{floats{}, `{"type":"object","properties":{"Price":{"type":"number","format":"double","minimum":0.5,"maximum":99.95},"Rate":{"type":"number","format":"float","minimum":0,"maximum":1},"Odd":{"type":"number","format":"double","maximum":0.3333333333333334}},"required":["Price"]}`},
	{positive{}, `{"type":"object","properties":{"Price":{"type":"number","format":"double","minimum":0},"Count":{"type":"integer","minimum":1}},"required":["Price","Count"]}`},
	{own{}, `{"type":"object","properties":{"Name":{"type":"string","minLength":1}},"required":["Name"]}`},
	{ownNull{}, `{"type":"object","properties":{"Name":{"type":"string","maxLength":8},"Nick":{"type":["string","null"]}}}`},
	{evenTexts{}, `{"type":"object","properties":{"Text":{"type":"string","maxLength":8}}}`},
	{enum{}, `{"type":"string","enum":["red","green"]}
{"type":"object","properties":{"Color":{"$ref":"#/components/schemas/color"},"Note":{"type":"string"}},"required":["Color"]}`},
	{changes{}, `{"type":"object","properties":{"List":{"type":"array","items":{"type":"string"}},"Text":{"type":"string","maxLength":10}}}`},
	{alphabet{}, `{"type":"object","properties":{"Slug":{"type":"string","minLength":2,"maxLength":12}},"required":["Slug"]}`},
	{digits{}, `{"type":"object","properties":{"Zip":{"type":"string"}},"required":["Zip"]}`},
	{maps{}, `{"type":"object","properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string","maxLength":5}},"required":["city"]}
{"type":"object","properties":{"Labels":{"type":"object","additionalProperties":{"type":"string"}},"By":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/address"}}},"required":["Labels"]}`},
	{recursive{}, `{"type":"object","properties":{"Name":{"type":"string","maxLength":4},"Kids":{"type":"array","items":{"$ref":"#/components/schemas/recursive"}},"Next":{"anyOf":[{"$ref":"#/components/schemas/recursive"},{"type":"null"}]}}}`},
	{quoted{}, `{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}`},
	{sum{}, `{"type":"object","properties":{"A":{"type":"integer","minimum":0,"maximum":127},"B":{"type":"integer","minimum":-128,"maximum":127}}}`},
	{emojis{}, `{"type":"object","properties":{"Text":{"type":"string"}}}`},
	{wordsOf{}, `{"type":"object","properties":{"Text":{"type":"string"}},"required":["Text"]}`},
	{lines{}, `{"type":"object","properties":{"Text":{"type":"string"}}}`},
	{embeds{}, `{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":50,"default":20},"offset":{"type":"integer","minimum":0},"query":{"type":"string"}}}`},
	{sizes{}, `{"type":"object","properties":{"A":{"type":"integer","minimum":-300,"maximum":32767},"B":{"type":"integer","format":"int64","maximum":1099511627776},"C":{"type":"integer","minimum":0,"maximum":65535}}}`},
	{unlessPointer{}, `{"type":"object","properties":{"title":{"type":"string"},"count":{"type":"integer"}}}
{"type":"object","properties":{"Parent":{"anyOf":[{"$ref":"#/components/schemas/plain"},{"type":"null"}]},"Title":{"type":"string"},"Name":{"type":"string","minLength":1}},"required":["Name"]}`},
	{unlessRows{}, `{"type":"object","properties":{"title":{"type":"string"},"count":{"type":"integer"}}}
{"type":"object","properties":{"Rows":{"type":"array","items":{"$ref":"#/components/schemas/plain"}},"Title":{"type":"string"},"Name":{"type":"string","minLength":1}},"required":["Name"]}`},
	{unlessMap{}, `{"type":"object","properties":{"Labels":{"type":"object","additionalProperties":{"type":"string"}},"Title":{"type":"string"}}}`},
	{unlessAny{}, `{"type":"object","properties":{"Value":{},"Title":{"type":"string"}}}`},
	{unlessEnum{}, `{"type":"string","enum":["red","green"]}
{"type":"object","properties":{"Color":{"$ref":"#/components/schemas/color"},"Title":{"type":"string"}},"required":["Color"]}`},
	{unlessQuoted{}, `{"type":"object","properties":{"N":{"type":"string"},"Title":{"type":"string"}}}`},
	{random{}, `{"type":"object","properties":{"A":{"type":"string"}}}`},
}

type plain struct {
	Title string `json:"title"`
	Count int    `json:"count"`
}

type required struct {
	Title string `json:"title"`
	Note  string `json:"note"`
	Count int    `json:"count"`
}

func (r required) Validate() error {
	w := wrong{}
	w.when(r.Title == "", "title")
	w.when(r.Count == 0, "count")
	return w.err()
}

type lengths struct {
	Short string `json:"short"`
	Exact string `json:"exact"`
	Long  string `json:"long"`
}

func (l lengths) Validate() error {
	w := wrong{}
	w.when(utf8.RuneCountInString(l.Short) > 20, "short")
	w.when(utf8.RuneCountInString(l.Exact) != 7, "exact")
	w.when(len(l.Long) < 3 || len(l.Long) > 1234, "long")
	return w.err()
}

type bytes8 struct{ Password string }

func (p bytes8) Validate() error {
	w := wrong{}
	w.when(len(p.Password) < 8, "Password")
	return w.err()
}

type runes8 struct{ Password string }

func (p runes8) Validate() error {
	w := wrong{}
	w.when(utf8.RuneCountInString(p.Password) < 8 || len(p.Password) > 72, "Password")
	return w.err()
}

type trims struct{ Title, Note, Word string }

func (p trims) Validate() error {
	w := wrong{}
	w.when(len(strings.TrimSpace(p.Title)) > 20, "Title")
	w.when(strings.TrimSpace(p.Note) == "", "Note")
	w.when(len(strings.ReplaceAll(p.Word, "-", "")) > 16, "Word")
	return w.err()
}

type Trimmed struct{ Title string }

func (p *Trimmed) Validate() error {
	p.Title = strings.TrimSpace(p.Title)
	w := wrong{}
	w.when(p.Title == "" || len(p.Title) > 9, "Title")
	return w.err()
}

type trimsEmbedded struct {
	Trimmed
	Note string
}

type eitherOr struct{ Email, Phone string }

func (p eitherOr) Validate() error {
	w := wrong{}
	if p.Email == "" && p.Phone == "" {
		w["Email"], w["Phone"] = "or a number", "or an address"
	}
	return w.err()
}

type pair struct{ From, To int }

func (p pair) Validate() error {
	w := wrong{}
	w.when(p.To < p.From, "To")
	return w.err()
}

type strictPair struct{ From, To float64 }

func (p strictPair) Validate() error {
	w := wrong{}
	w.when(p.To <= p.From, "To")
	w.when(p.From < -10, "From")
	return w.err()
}

type passwords struct{ Password, Again string }

func (p passwords) Validate() error {
	w := wrong{}
	w.when(len(p.Password) < 6, "Password")
	w.when(p.Password != p.Again, "Again")
	return w.err()
}

type even struct {
	N    int
	Text string
}

func (p even) Validate() error {
	w := wrong{}
	w.when(p.N%2 != 0, "N")
	w.when(len(p.Text)%2 != 0, "Text")
	return w.err()
}

type multiples struct{ Ten, Prime, Both int }

func (p multiples) Validate() error {
	w := wrong{}
	w.when(p.Ten%10 != 0 || p.Ten < 0, "Ten")
	w.when(p.Prime%97 != 0, "Prime")
	w.when(p.Both%7 != 0 || p.Both > 700, "Both")
	return w.err()
}

type sets struct {
	Color string
	N     int
}

func (p sets) Validate() error {
	w := wrong{}
	w.when(!slices.Contains([]string{"red", "green", "blueish"}, p.Color), "Color")
	w.when(!slices.Contains([]int{1, 5, 10, 100000007}, p.N), "N")
	return w.err()
}

type setOfShort struct{ Grade, Key string }

func (p setOfShort) Validate() error {
	w := wrong{}
	w.when(!slices.Contains([]string{"k", "1", "long enough"}, p.Grade), "Grade")
	w.when(!slices.Contains([]string{"a", "kk", "kkkkk"}, p.Key), "Key")
	return w.err()
}

type panics struct{ A string }

func (panics) Validate() error { panic("no") }

type panicsOnZero struct{ A []int }

func (p panicsOnZero) Validate() error {
	w := wrong{}
	w.when(p.A[0] > 10, "A")
	return w.err()
}

type fails struct{ A string }

func (fails) Validate() error { return errors.New("no") }

type failsOnZero struct {
	A string
	B int
}

func (p failsOnZero) Validate() error {
	if p.A == "" {
		return errors.New("no")
	}
	w := wrong{}
	w.when(p.B > 7, "B")
	return w.err()
}

type clock struct {
	At   time.Time
	Year int
}

func (p clock) Validate() error {
	w := wrong{}
	w.when(p.At.Before(time.Now()), "At")
	w.when(p.Year > time.Now().Year(), "Year")
	return w.err()
}

type pointers struct {
	Name  *string
	Count *int
	Maybe *int
}

func (p pointers) Validate() error {
	w := wrong{}
	w.when(p.Name == nil || len(*p.Name) > 5, "Name")
	w.when(p.Count == nil, "Count")
	w.when(p.Maybe != nil && *p.Maybe < 3, "Maybe")
	return w.err()
}

type pointersTaken struct {
	Name *string
	Null *int
}

func (p pointersTaken) Validate() error {
	w := wrong{}
	w.when(p.Name != nil && *p.Name == "", "Name")
	w.when(p.Null != nil && *p.Null > 100, "Null")
	return w.err()
}

type address struct {
	City string `json:"city"`
	Zip  string `json:"zip"`
}

func (a address) Validate() error {
	w := wrong{}
	w.when(a.City == "", "city")
	w.when(len(a.Zip) > 5, "zip")
	return w.err()
}

type nested struct {
	Home address  `json:"home"`
	Work *address `json:"work"`
}

type article struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

type nestedSpoken struct {
	Article article `json:"article"`
	Other   article `json:"other"`
}

func (p nestedSpoken) Validate() error {
	w := wrong{}
	w.when(p.Article.Title == "", "article.title")
	w.when(len(p.Article.Title) > 30, "article.title")
	return w.err()
}

type rows struct {
	Items []address `json:"items"`
}

func (p rows) Validate() error {
	w := wrong{}
	w.when(len(p.Items) == 0, "items")
	w.when(len(p.Items) > 3, "items")
	return w.err()
}

type rowsSpoken struct {
	Items []article `json:"items"`
}

func (p rowsSpoken) Validate() error {
	w := wrong{}
	for i, item := range p.Items {
		w.when(item.Title == "" || len(item.Title) > 10, fmt.Sprintf("items.%d.title", i))
	}
	return w.err()
}

type noDoubles struct {
	Tags []string
	IDs  []int
}

func (p noDoubles) Validate() error {
	w := wrong{}
	tags := slices.Compact(slices.Sorted(slices.Values(p.Tags)))
	w.when(len(tags) != len(p.Tags), "Tags")
	ids := slices.Compact(slices.Sorted(slices.Values(p.IDs)))
	w.when(len(ids) != len(p.IDs) || len(ids) > 5, "IDs")
	return w.err()
}

type fewTags struct{ Tags []string }

func (p fewTags) Validate() error {
	w := wrong{}
	w.when(len(p.Tags) < 1 || len(p.Tags) > 4, "Tags")
	return w.err()
}

// countsFull counts only what is not empty, once.
type countsFull struct{ Tags []string }

func (p countsFull) Validate() error {
	w, seen := wrong{}, map[string]bool{}
	for _, tag := range p.Tags {
		if strings.TrimSpace(tag) != "" {
			seen[strings.ToLower(tag)] = true
		}
	}
	w.when(len(seen) > 3, "Tags")
	return w.err()
}

type evenList struct{ Tags []int }

func (p evenList) Validate() error {
	w := wrong{}
	w.when(len(p.Tags)%2 == 1, "Tags")
	return w.err()
}

var shared = []string{"b", "a"}

// aliased has memory that all values share, and changes it.
type aliased struct {
	Tags []string
	Name string
}

func (p *aliased) Default() { p.Tags = shared }

func (p *aliased) Validate() error {
	w := wrong{}
	w.when(len(p.Tags) > 0 && p.Tags[0] == "x", "Tags")
	if len(p.Tags) > 0 {
		p.Tags[0] = "x"
	}
	w.when(p.Name == "", "Name")
	return w.err()
}

type conditional struct {
	Kind    string
	Company string
	Other   string
	Flag    bool
	Reason  string
	N       int
}

func (p conditional) Validate() error {
	w := wrong{}
	w.when(p.Kind == "company" && p.Company == "", "Company")
	w.when(p.Kind != "" && p.Kind != "person" && p.Other == "", "Other")
	w.when(p.Flag && len(p.Reason) < 10, "Reason")
	w.when(!p.Flag && p.N > 50, "N")
	return w.err()
}

// firstOnly ends at the first mistake.
type firstOnly struct {
	A string
	B string
	C int
}

func (p firstOnly) Validate() error {
	switch {
	case p.A == "":
		return wrong{"A": "is missing"}
	case len(p.B) > 12:
		return wrong{"B": "is long"}
	case p.C < 1 || p.C > 9:
		return wrong{"C": "is out of range"}
	}
	return nil
}

type email struct {
	Email string
	Title string
	From  int
	To    int
}

func (p email) Validate() error {
	w := wrong{}
	_, err := mail.ParseAddress(p.Email)
	w.when(err != nil || len(p.Email) > 40, "Email")
	w.when(len(p.Title) > 10, "Title")
	w.when(p.To < p.From, "To")
	return w.err()
}

type withDefault struct {
	Limit int
	Sort  string
	Since time.Time
	Nonce int64
}

func (p *withDefault) Default() {
	p.Limit, p.Sort, p.Since, p.Nonce = 20, "name", time.Now(), time.Now().UnixNano()
}

func (p withDefault) Validate() error {
	w := wrong{}
	w.when(p.Limit < 1 || p.Limit > 100, "Limit")
	w.when(p.Sort == "", "Sort")
	return w.err()
}

type unsigned struct {
	A uint8
	B uint
	C uint64
}

func (p unsigned) Validate() error {
	w := wrong{}
	w.when(p.A > 100, "A")
	w.when(p.B < 10, "B")
	return w.err()
}

type floats struct {
	Price float64
	Rate  float32
	Odd   float64
}

func (p floats) Validate() error {
	w := wrong{}
	w.when(p.Price < 0.5 || p.Price > 99.95, "Price")
	w.when(p.Rate < 0 || p.Rate > 1, "Rate")
	w.when(p.Odd*3 > 1, "Odd")
	return w.err()
}

type positive struct {
	Price float64
	Count int
}

func (p positive) Validate() error {
	w := wrong{}
	w.when(p.Price <= 0, "Price")
	w.when(p.Count <= 0, "Count")
	return w.err()
}

// A name is a text with a method of its own.
type name string

func (n *name) UnmarshalJSON(text []byte) error {
	var s string
	err := json.Unmarshal(text, &s)
	*n = name(strings.TrimSpace(s))
	return err
}

type own struct{ Name name }

func (p own) Validate() error {
	w := wrong{}
	w.when(p.Name == "" || len(p.Name) > 8, "Name")
	return w.err()
}

type optional struct {
	Set, Null bool
	Value     string
}

func (o *optional) UnmarshalJSON(text []byte) error {
	o.Set, o.Null = true, string(text) == "null"
	if o.Null {
		return nil
	}
	return json.Unmarshal(text, &o.Value)
}

type ownNull struct{ Name, Nick optional }

func (p ownNull) Validate() error {
	w := wrong{}
	w.when(p.Name.Null || p.Name.Set && len(p.Name.Value) > 8, "Name")
	return w.err()
}

type evenText string

func (e *evenText) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	*e = evenText(s)
	if len(s)%2 != 0 {
		return errors.New("odd")
	}
	return nil
}

type evenTexts struct{ Text evenText }

func (p evenTexts) Validate() error {
	w := wrong{}
	w.when(len(p.Text) > 8, "Text")
	return w.err()
}

type color string

func (color) JSONSchema(s map[string]any) { s["enum"] = []color{"red", "green"} }

type enum struct {
	Color color
	Note  string
}

func (p enum) Validate() error {
	w := wrong{}
	w.when(p.Color != "red" && p.Color != "green", "Color")
	w.when(p.Color == "green" && p.Note == "", "Note")
	return w.err()
}

// changes changes what it looks at.
type changes struct {
	List []string
	Text string
}

func (p *changes) Validate() error {
	w := wrong{}
	for i := range p.List {
		p.List[i] = "changed"
	}
	p.Text += strings.Repeat("x", 3)
	w.when(len(p.Text) > 13, "Text")
	w.when(slices.Contains(p.List, "k1"), "List")
	return w.err()
}

type alphabet struct{ Slug string }

func (p alphabet) Validate() error {
	w := wrong{}
	w.when(strings.Trim(p.Slug, "abcdefghijklmnopqrstuvwxyz-") != "" || len(p.Slug) < 2 || len(p.Slug) > 12, "Slug")
	return w.err()
}

type digits struct{ Zip string }

func (p digits) Validate() error {
	w := wrong{}
	w.when(len(p.Zip) != 5 || strings.Trim(p.Zip, "0123456789") != "", "Zip")
	return w.err()
}

type maps struct {
	Labels map[string]string
	By     map[string]address
}

func (p maps) Validate() error {
	w := wrong{}
	w.when(len(p.Labels) == 0, "Labels")
	return w.err()
}

type recursive struct {
	Name string
	Kids []recursive
	Next *recursive
}

func (p recursive) Validate() error {
	w := wrong{}
	w.when(len(p.Name) > 4, "Name")
	return w.err()
}

type quoted struct {
	N int `json:"n,string"`
}

func (p quoted) Validate() error {
	w := wrong{}
	w.when(p.N < 1000, "n")
	return w.err()
}

type sum struct{ A, B int8 }

func (p sum) Validate() error {
	w := wrong{}
	w.when(int(p.A)+int(p.B) > 100, "B")
	w.when(p.A < 0, "A")
	return w.err()
}

// emojis counts each rune above the first plane as nothing.
type emojis struct{ Text string }

func (p emojis) Validate() error {
	n := 0
	for _, r := range p.Text {
		if r < 0x10000 {
			n++
		}
	}
	w := wrong{}
	w.when(n > 10, "Text")
	return w.err()
}

type wordsOf struct{ Text string }

func (p wordsOf) Validate() error {
	w := wrong{}
	w.when(len(strings.Fields(p.Text)) < 2 || len(strings.Fields(p.Text)) > 5, "Text")
	return w.err()
}

type lines struct{ Text string }

func (p lines) Validate() error {
	w := wrong{}
	for line := range strings.Lines(p.Text) {
		w.when(len(line) > 20, "Text")
	}
	return w.err()
}

type Base struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

func (b *Base) Default() { b.Limit = 20 }

func (b Base) Validate() error {
	w := wrong{}
	w.when(b.Limit < 1 || b.Limit > 50, "limit")
	w.when(b.Offset < 0, "offset")
	return w.err()
}

type embeds struct {
	Base
	Query string `json:"query"`
}

type sizes struct {
	A int16
	B int64
	C uint16
}

func (p sizes) Validate() error {
	w := wrong{}
	w.when(p.A < -300, "A")
	w.when(p.B > 1<<40, "B")
	w.when(p.C > 40000, "C")
	return w.err()
}

// random says no now and then.
// What is required depends on whether another field has a value, and Validate of a new struct speaks of
// a third one.
type unlessPointer struct {
	Parent      *plain
	Title, Name string
}

func (p unlessPointer) Validate() error {
	w := wrong{}
	w.when(p.Parent != nil && p.Title == "", "Title")
	w.when(p.Name == "", "Name")
	return w.err()
}

type unlessRows struct {
	Rows        []plain
	Title, Name string
}

func (p unlessRows) Validate() error {
	w := wrong{}
	w.when(len(p.Rows) > 0 && p.Title == "", "Title")
	w.when(p.Name == "", "Name")
	return w.err()
}

type unlessMap struct {
	Labels map[string]string
	Title  string
}

func (p unlessMap) Validate() error {
	w := wrong{}
	w.when(len(p.Labels) == 0 && p.Title == "", "Title")
	return w.err()
}

type unlessAny struct {
	Value any
	Title string
}

func (p unlessAny) Validate() error {
	w := wrong{}
	w.when(p.Value == nil && p.Title == "", "Title")
	return w.err()
}

type unlessEnum struct {
	Color color
	Title string
}

func (p unlessEnum) Validate() error {
	w := wrong{}
	w.when(p.Color != "red" && p.Color != "green", "Color")
	w.when(p.Color != "green" && p.Title == "", "Title")
	return w.err()
}

type unlessQuoted struct {
	N     int `json:",string"`
	Title string
}

func (p unlessQuoted) Validate() error {
	w := wrong{}
	w.when(p.N < 50 && p.Title == "", "Title")
	return w.err()
}

type random struct{ A string }

func (p random) Validate() error {
	w := wrong{}
	w.when(rand.IntN(3) == 0, "A")
	return w.err()
}

// bodyOf returns the schema of the JSON body of a type, and without rules.
func bodyOf(of any, with bool) (*schema.Schema, []*schema.Component) {
	var s schema.Set
	in := s.Input(reflect.TypeOf(of))
	if with {
		book := rules.NewBook(messages, nil)
		in = book.Input(reflect.TypeOf(of), in)
		book.Components(in.Body)
	}
	return in.Body, schema.Name(in.Body)
}

func TestRules(t *testing.T) {
	for _, tt := range zoo {
		t.Run(reflect.TypeOf(tt.of).Name(), func(t *testing.T) {
			is := is.New(t)
			_, all := bodyOf(tt.of, true)
			var got []string
			for _, c := range all {
				text, err := json.Marshal(c.Schema)
				is.NoErr(err)
				got = append(got, string(text))
			}
			is.Equal(strings.Join(got, "\n"), tt.want)
		})
	}
}

// value returns random JSON for a schema: mostly of its kind, and near the limits that the types of the
// test have.
func value(r *rand.Rand, s *schema.Schema, depth int) string {
	s = s.Resolve()
	if len(s.AnyOf) == 2 {
		if r.IntN(5) == 0 {
			return "null"
		}
		return value(r, s.AnyOf[0], depth)
	}
	if len(s.Enum) > 0 && r.IntN(4) > 0 {
		text, _ := json.Marshal(s.Enum[r.IntN(len(s.Enum))])
		return string(text)
	}
	if len(s.Type) == 0 {
		return []string{"1", `"a"`, "[]", "{}", "true"}[r.IntN(5)]
	}
	switch kind := s.Type[r.IntN(len(s.Type))]; kind {
	case "object":
		return object(r, s, depth)
	case "array":
		items, n := []string{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 20}[r.IntN(9)]
		for range n {
			item := `"a"`
			if s.Items != nil {
				item = value(r, s.Items, depth+1)
			}
			items = append(items, item)
		}
		if len(items) > 1 && r.IntN(3) == 0 {
			items[1] = items[0]
		}
		return "[" + strings.Join(items, ",") + "]"
	case "string":
		text, _ := json.Marshal(randomText(r, s))
		return string(text)
	case "integer":
		return fmt.Sprint(number(r))
	case "number":
		return fmt.Sprintf("%.3f", float64(number(r))/float64([]int{1, 10, 100, 1000}[r.IntN(4)]))
	case "boolean":
		return fmt.Sprint(r.IntN(2) == 0)
	}
	return "null"
}

func number(r *rand.Rand) int64 {
	switch r.IntN(4) {
	case 0:
		return r.Int64N(20) - 6
	case 1:
		return r.Int64N(400) - 200
	case 2:
		return []int64{1 << 40, 1<<40 + 1, -1 << 40, 100000007, 97, 970, -97, 49, -7, 7000, 1000, 999, 2026, 2027, 40000, 40001, -300, -301, 127, -128}[r.IntN(20)]
	}
	return int64(r.Uint64()>>r.IntN(64)) / 1024
}

func randomText(r *rand.Rand, s *schema.Schema) string {
	if s.Format == "date-time" {
		return []string{"2026-01-02T03:04:05Z", "2126-01-02T03:04:05Z", "1926-01-02T03:04:05Z", "0001-01-01T00:00:00Z"}[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		return []string{"", "a", "k", "red", "green", "blueish", "company", "person", "a@b.co", "a@example.com", "1", "12345", "1000", "999", "-5", "long enough", "kk", "kkkkk", "a-b-c", "two words", "  padded  ", "x"}[r.IntN(22)]
	}
	n := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 20, 21, 30, 31, 40, 72, 80, 1233, 1234, 1235}[r.IntN(24)]
	if r.IntN(4) == 0 {
		n = r.IntN(100)
	}
	from := []rune([]string{"a", "é", "😀", " ", "ab", "a ", "a-", "0123456789", "aé😀 -\n", "  a", "\t", "A"}[r.IntN(12)])
	text := make([]rune, n)
	for i := range text {
		text[i] = from[r.IntN(len(from))]
	}
	if r.IntN(4) == 0 {
		return strings.Repeat(" ", r.IntN(40)) + string(text) + strings.Repeat("\n", r.IntN(4))
	}
	return string(text)
}

func object(r *rand.Rand, s *schema.Schema, depth int) string {
	var members []string
	same := ""
	for _, p := range s.Properties {
		if r.IntN(8) == 0 || depth > 3 {
			continue
		}
		text := value(r, p.Schema, depth+1)
		if same != "" && r.IntN(4) == 0 {
			text = same // for fields that have to be equal
		}
		if strings.HasPrefix(text, `"`) {
			same = text
		} else {
			same = ""
		}
		members = append(members, fmt.Sprintf("%q: %s", p.Name, text))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// What the schema refuses, Bind refuses. The random values also have to show that the schema takes some,
// and refuses some, of most types.
func TestRulesTellNoLie(t *testing.T) {
	refused := 0
	for _, tt := range zoo {
		of := reflect.TypeOf(tt.of)
		t.Run(of.Name(), func(t *testing.T) {
			is := is.New(t)
			with, _ := bodyOf(tt.of, true)
			shape, _ := bodyOf(tt.of, false)
			r := rand.New(rand.NewPCG(1, uint64(len(tt.want))))
			refusals := 0
			for range 1000 {
				body := []byte(value(r, shape, 0))
				found := fit.Judge(with, body)
				if len(fit.Judge(shape, body)) == 0 && len(found) > 0 {
					refusals++
				}
				if len(found) > 0 && takes(of, body) {
					t.Errorf("%s: %s, and Bind takes it", body, found[0].Text)
				}
			}
			if refusals > 0 {
				refused++
			}
			is.True(!t.Failed())
		})
	}
	is.New(t).True(refused > len(zoo)/2)
}
