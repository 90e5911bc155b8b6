package input

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// typedIn has fields that are found in a form under several spellings, or in the query.
type typedIn struct {
	order
	Page  int `query:"page"`
	Sort  string
	Exact string `form:"exact"`
	Yes   bool
	Marks []bool
	Nums  []int
}

// TestSent: what was typed is found under the path of its message, which is in the key that a page
// writes. Of several spellings the one counts that Bind takes.
func TestSent(t *testing.T) {
	deep := sending("POST", "/?page=7&Note=q", formType, "note=n&items.2.Name=a&items.5.name=b&items.5.NAME=c&items.5.qty=&Grid.7.3.tags=x&Grid.7.3.tags=y&none=1&customer.none=1&a.b=dot&count=x&parent.items.4.qty=1&ship.zip=+&yes=on")
	flat := sending("POST", "/", formType, "NOTE=b&Note=a&note=c&SORT=b&sort=c&Exact=x&count=&count=7&Yes=t&Marks=on&Marks=0&Marks=x&Nums=&Nums=1&Nums=y")
	query := sending("GET", "/?page=x&sort=s&items.3.name=", "", "")
	for _, tt := range []struct {
		name string
		r    *http.Request
		want map[string]string
	}{
		{"with rows", deep, map[string]string{
			"Note": "n", "note": "n", "items.0.name": "a", "items.1.name": "b", "items.1.qty": "none", "items.0.qty": "not sent", "items.2.name": "not sent", "items.5.name": "not sent", "items.2.qty": "not sent",
			"grid.0.0.tags": "x|y", "grid.7.3.tags": "not sent", "a.b": "dot", "count": "x", "parent.items.0.qty": "1", "parent.items.4.qty": "not sent", "customer.street": "not sent", "ship.zip": " ", "Yes": "true", "page": "not sent",
		}},
		{"flat", flat, map[string]string{
			"Note": "a", "nOTE": "a", "Sort": "b", "exact": "not sent", "count": "7", "Yes": "true", "Marks": "true|false|x", "Nums": "1|y", "items.0.name": "not sent",
		}},
		{"query", query, map[string]string{"page": "x", "Sort": "s", "items.0.name": "", "items.3.name": "not sent"}},
		{"nothing", sending("GET", "/", "", ""), map[string]string{"page": "not sent", "Sort": "not sent"}},
		{"JSON", sending("POST", "/?Sort=s", jsonMedia, `{"Sort":"s","items":[{"name":"a"}]}`), map[string]string{"Sort": "not sent", "items.0.name": "not sent"}},
	} {
		b, err := load(tt.r)
		is.New(t).NoErr(err)
		sent, _, err := b.BindForm(tt.r, noParams{}, &typedIn{}, noMessages)
		is.New(t).NoErr(err)
		for key, want := range tt.want {
			t.Run(tt.name+" "+key, func(t *testing.T) {
				is := is.New(t)
				of := reflect.TypeFor[typedIn]()
				to, _, ok := FormTarget(of, false, key)
				if !ok {
					to, _, ok = FormTarget(of, true, key)
				}
				is.True(ok)
				texts, ok := sent.Texts(of, to)
				switch {
				case !ok:
					is.Equal(want, "not sent")
				case len(texts) == 0:
					is.Equal(want, "none")
				default:
					is.Equal(strings.Join(texts, "|"), want)
				}
			})
		}
	}
}

// TestSentIsTheForm: a form of flat keys is not copied, and no form is changed.
func TestSentIsTheForm(t *testing.T) {
	for _, form := range []string{"Sort=a&none=b", "Sort=a&items.7.name=b"} {
		is := is.New(t)
		r := sending("POST", "/", formType, form)
		b, err := load(r)
		is.NoErr(err)
		sent, _, err := b.BindForm(r, noParams{}, &typedIn{}, noMessages)
		is.NoErr(err)
		is.Equal(b.Inputs(r, strings.Split(form, "&")[1][:4]), b.Inputs(r, "none"))
		is.Equal(len(b.form), 2)
		is.Equal(reflect.ValueOf(sent).Pointer() == reflect.ValueOf(b.form).Pointer(), !strings.Contains(form, "items"))
	}
}
