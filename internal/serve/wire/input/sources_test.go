package input

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// params are the parameters of a route; a value with slashes is that of a catch-all.
type params map[string]string

func (p params) Param(name string) string { return p[name] }

func (p params) Segments(name string) []string { return strings.Split(p[name], "/") }

// placed has fields from everywhere.
type placed struct {
	ID    int       `param:"id"`
	Rest  string    `param:"rest"`
	Parts []string  `param:"parts"`
	Page  int       `query:"page"`
	Tags  []string  `query:"tag,omitempty"`
	Dash  string    `query:"dash" json:"-" form:"-"`
	Both  string    `query:"both" json:"both_json"`
	Owner int       `param:"owner" json:"owner"`
	Three int       `param:"three" query:"three" form:"three"`
	Name  string    `json:"name"`
	Since time.Time `query:"since"`
	Not   string    `param:"-" query:"-"`
	Plain string
}

func TestSources(t *testing.T) {
	routes := params{"id": "7", "rest": "a/b", "parts": "a/b", "owner": "9", "three": "1"}
	for _, tt := range []struct {
		name, query string
		route       params
		json        string
		form        string // the same as a form
		want        string // the fields that are set, or what is invalid
	}{
		{"route", "", routes, `{}`, "x=", "ID:7 Rest:a/b Parts:[a b] Owner:9 Three:1"},
		{"query beside a body", "page=2&tag=x&tag=y&dash=d&since=2026-01-02T03:04:05Z", nil, `{"name":"n"}`, "name=n", "Page:2 Tags:[x y] Dash:d Name:n Since:2026-01-02 03:04:05 +0000 UTC"},
		{"the query does not stand in for a body", "name=q&Plain=q&three=3&both_json=q", nil, `{"name":"n"}`, "name=n", "Three:3 Name:n"},
		{"a body fills nothing by its name", "", nil,
			`{"ID":1,"id":1,"Id":1,"Rest":"x","rest":"x","Parts":["x"],"Page":5,"page":5,"Tags":["x"],"tag":["x"],"Dash":"x","dash":"x","-":"x","Both":"x","both":"x"}`,
			"ID=1&id=1&Id=1&Rest=x&rest=x&Parts=x&Page=5&page=5&Tags=x&tag=x&Dash=x&dash=x&-=x&Both=x&both=x", ""},
		{"nor does the query fill what is of the route", "ID=1&id=1&Rest=x&rest=x", nil, `{}`, "x=", ""},
		{"the body, where a tag names it", "", nil, `{"owner":3,"both_json":"b","not":"n"}`, "owner=3&both_json=b&not=n", "Both:b Owner:3 Not:n"},
		{"the route before the body before the query", "three=3&both=q", params{"three": "1"}, `{"three":2,"both_json":"b"}`, "three=2&both_json=b", "Both:b Three:1"},
		{"the body before the query", "three=3&both=q", nil, `{"three":2}`, "three=2", "Both:q Three:2"},
		{"the query last", "three=3", nil, `{}`, "x=", "Three:3"},
		{"a source that does not count is not converted", "three=y", params{"three": "1"}, `{"three":"x"}`, "three=x", "Three:1"},
		{"tags are to the letter", "Page=2&PAGE=3", params{"ID": "1"}, `{}`, "x=", ""},
		{"faults", "page=x&since=y", params{"id": "x"}, `{"owner":"x"}`, "owner=x", "invalid: id: must be a whole number; owner: must be a whole number; page: must be a whole number; since: is not valid"},
		{"empty values", "page=&tag=", nil, `{}`, "x=", "Tags:[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for media, body := range map[string]string{jsonMedia: tt.json, formType: tt.form} {
				is := is.New(t)
				got, err := fill(sending("POST", "/?"+tt.query, media, body), tt.route, &placed{})
				is.NoErr(err)
				is.Equal(got, tt.want)
			}
		})
	}
}

// TestSourcesWithoutABody: the query stands in for it, but a tag for the query goes by its
// own name, and what is of the route is not filled.
func TestSourcesWithoutABody(t *testing.T) {
	for _, tt := range []struct {
		query string
		route params
		want  string
	}{
		{"name=n&plain=p&page=2&dash=d&three=3", nil, "Page:2 Dash:d Three:3 Name:n Plain:p"},
		{"both_json=b&Both=b&Page=2&Dash=d&Tags=x", nil, ""},
		{"both=b&both_json=c", nil, "Both:b"},
		{"id=1&ID=1&rest=x&Rest=x&Parts=x", nil, ""},
		{"owner=3", nil, "Owner:3"},
		{"owner=3&three=3", params{"owner": "9", "three": "1"}, "Owner:9 Three:1"},
		{"", params{"id": "7"}, "ID:7"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			for _, r := range []*http.Request{
				httptest.NewRequest("GET", "/?"+tt.query, nil),
				sending("POST", "/?"+tt.query, formType, ""),
				sending("POST", "/?"+tt.query, jsonMedia, ""),
			} {
				is := is.New(t)
				got, err := fill(r, tt.route, &placed{})
				is.NoErr(err)
				is.Equal(got, tt.want)
			}
		})
	}
}

// fill binds and returns the fields that are set, or what is invalid.
func fill(r *http.Request, route params, dst any) (string, error) {
	b, err := load(r)
	if err != nil {
		return "", err
	}
	invalid, _, err := b.Bind(r, route, dst, false, noMessages)
	if err != nil || len(invalid) > 0 {
		return "invalid: " + said(invalid), err
	}
	var set []string
	v := reflect.ValueOf(dst).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			set = append(set, fmt.Sprint(v.Type().Field(i).Name, ":", f))
		}
	}
	return strings.Join(set, " "), nil
}

// embedder embeds what is from the route and hides what a body could fill.
type (
	Paged struct {
		Page int `query:"page"`
	}
	Entity struct {
		ID   int `json:"id"`
		Name string
	}
)

func TestSourcesOfEmbedded(t *testing.T) {
	is := is.New(t)
	dst := struct {
		*Paged
		Entity
		ID int `param:"id"`
	}{}
	_, err := fill(sending("POST", "/?page=2", jsonMedia, `{"id":1,"ID":1,"name":"n","page":9,"Page":9}`), params{"id": "7"}, &dst)
	is.NoErr(err)
	is.Equal(dst.Page, 2)
	is.Equal(dst.ID, 7)
	is.Equal(dst.Entity, Entity{0, "n"}) // the parameter hides its ID, as it does in Go

	untouched := struct{ *Paged }{}
	_, err = fill(sending("POST", "/?x=2", jsonMedia, `{"page":9}`), nil, &untouched)
	is.NoErr(err)
	is.Equal(untouched.Paged, nil)
}

// TestOnlyPlaced: for a struct that takes nothing from the body, the body does not matter.
func TestOnlyPlaced(t *testing.T) {
	for media, body := range map[string]string{"image/png": "x", jsonMedia: "[]", formType: "page=5"} {
		is := is.New(t)
		var dst struct {
			Page int `query:"page"`
			ID   int `param:"id"`
		}
		got, err := fill(sending("PUT", "/?page=2", media, body), params{"id": "7"}, &dst)
		is.NoErr(err)
		is.Equal(got, "Page:2 ID:7")
	}
	is := is.New(t)
	_, err := fill(sending("PUT", "/", "image/png", "x"), nil, &struct{}{})
	is.True(err != nil) // it says nothing of where its data are from
}

type (
	custom struct {
		ID   int `param:"id"`
		text string
	}
	linked struct {
		Next *linked
		All  []linked
		Name string
	}
	loop  []loop
	owned struct {
		ID   int `param:"id"`
		Name string
	}
	listed struct {
		Name string
		Page int `query:"page" json:",omitempty"`
	}
)

func (c *custom) UnmarshalJSON(text []byte) error { c.ID, c.text = 1, string(text); return nil }

func TestCustomJSONBesideParams(t *testing.T) {
	is := is.New(t)
	dst := custom{}
	_, err := fill(sending("POST", "/", jsonMedia, `[5]`), params{"id": "7"}, &dst)
	is.NoErr(err)
	is.Equal(dst, custom{7, "[5]"})
}

// TestMisplacedTags: encoding/json fills what is nested by its name. It must not get into
// what a tag says to be from elsewhere.
func TestMisplacedTags(t *testing.T) {
	const why = " has a tag param or query, which is for fields of the struct itself and of those embedded in it, but JSON would fill it by its name: give it the tag json, with a name or with \"-\""
	for _, tt := range []struct {
		name string
		dst  any
		want string // the field
	}{
		{"field", &struct{ User owned }{}, "input.owned.ID"},
		{"pointer", &struct{ User *owned }{}, "input.owned.ID"},
		{"list", &struct{ Users []owned }{}, "input.owned.ID"},
		{"map of lists", &struct{ Users map[string][2]*listed }{}, "input.listed.Page"},
		{"deeper", &struct{ A struct{ B struct{ C owned } } }{}, "input.owned.ID"},
		{"embedded in what is nested", &struct{ A struct{ *owned } }{}, "struct { *input.owned }.ID"},
		{"embedded under a name", &struct {
			Paged `json:"p"`
		}{}, "input.Paged.Page"},
		{"no struct", &[]owned{}, "input.owned.ID"},
		{"of a form", &struct {
			U owned `form:"u"`
		}{}, "input.owned.ID"},

		{"itself", &owned{}, ""},
		{"embedded", &struct{ *Paged }{}, ""},
		{"left out", &struct {
			U owned `json:"-"`
		}{}, ""},
		{"from the query", &struct {
			U *owned `query:"u"`
		}{}, ""},
		{"named in JSON", &struct {
			A struct {
				ID int `param:"id" json:"id"`
				B  int `query:"b" json:"-"`
			}
		}{}, ""},
		{"decodes itself", &struct{ A custom }{}, ""},
		{"recursive", &struct {
			L linked
			M loop
		}{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []*http.Request{httptest.NewRequest("GET", "/", nil), sending("POST", "/", jsonMedia, "{}")} {
				is := is.New(t)
				_, err := bind(r, tt.dst)
				if tt.want != "" {
					is.True(err != nil)
					is.Equal(err.Error(), fmt.Sprintf("flow: Bind cannot fill %v: %s%s", reflect.TypeOf(tt.dst).Elem(), tt.want, why))
					continue
				}
				is.NoErr(err)
			}
		})
	}
}
