package flow_test

import (
	"mime/multipart"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// A signing is what the form of the tests below sends, with a field of each kind.
type signing struct {
	Title  string                  `form:"title"`
	Note   string                  `form:"note"`
	Lang   string                  `form:"lang"`
	Topics []string                `form:"topics"`
	Age    int                     `form:"age"`
	Due    time.Time               `form:"due"`
	News   bool                    `form:"news"`
	Photo  *multipart.FileHeader   `form:"photo"`
	Scans  []*multipart.FileHeader `form:"scans"`
	Buyer  buyerForm               `json:"buyer"`
	Items  []itemForm              `json:"items"`
	Attrs  map[string]string       `json:"attrs"`
}

func (r *signing) Validate() error {
	wrong := flow.Invalid{}
	if r.Title == "" {
		wrong["title"] = "is required"
	}
	if len(r.Note) > 200 {
		wrong["note"] = "has more than 200 characters"
	}
	return wrong
}

type signingData struct {
	Langs, Topics []string
	Form          flow.Form[signing]
}

const signingPage = `<form method="post" enctype="multipart/form-data">
{{template "+field" (dict "of" (.Form.Field "title") "label" "Title")}}
{{template "+field" (dict "of" ((.Form.Field "due").As "date") "label" "Due")}}
{{with $l := .Form.Field "lang"}}<select id="{{.ID}}" name="{{.Name}}">{{range $.Langs}}<option{{if $l.Has .}} selected{{end}}>{{.}}</option>{{end}}</select>{{end}}
{{$t := .Form.Field "topics"}}{{range .Topics}}<input type="checkbox" name="topics" value="{{.}}"{{if $t.Has .}} checked{{end}}>{{end}}
{{range $i, $item := .Form.Value.Items}}{{template "+field" (dict "of" ($.Form.Field "items" $i "name") "label" "Name")}}{{end}}
<textarea name="note" maxlength="200">{{.Form.Value.Note}}</textarea>
<input type="number" name="age" value="{{.Form.Value.Age}}">{{with .Form.Wrong.age}}<p>Age {{.}}.</p>{{end}}
<input type="checkbox" name="news"{{if .Form.Value.News}} checked{{end}}>
<input name="buyer.city" value="{{.Form.Value.Buyer.City}}">
<input type="file" name="photo"><input type="file" name="scans" multiple>
<button>Send</button>
</form>`

const signingField = `<label for="{{.of.ID}}">{{.label}}</label>
<input id="{{.of.ID}}" name="{{.of.Name}}" type="{{.of.Type}}" value="{{.of.Value}}"{{if .of.Required}} required{{end}}>
{{with .of.Wrong}}<span>{{$.label}} {{.}}.</span>{{end}}`

// signingReport returns what Check and the command check say of the form on /new, in which old is
// replaced by new.
func signingReport(old, new string) string {
	change := func(text string) []byte { return []byte(strings.ReplaceAll(text, old, new)) }
	r := flow.New(fstest.MapFS{"router/new.html": {Data: change(signingPage)}, "router/+field.html": {Data: change(signingField)}})
	r.At("new").GET().Do(func(*flow.Request) (signingData, error) { return signingData{}, nil })
	r.At("new").POST().Do(func(*flow.Request, flow.Form[signing]) (flow.Response, error) { return flow.Redirect("/new"), nil })
	return strings.ReplaceAll(linkReport(r), "router/", "")
}

// Each of these changes of a form that is right is a mistake that people make. It is told with its
// line; where each line of the partial is wrong, the first one is enough here.
func TestMistakesOfForms(t *testing.T) {
	const (
		title   = `(dict "of" (.Form.Field "title") "label" "Title")`
		due     = `((.Form.Field "due").As "date")`
		city    = `<input name="buyer.city"`
		note    = `<textarea name="note"`
		age     = `type="number" name="age"`
		reads   = `warning: the handler of POST /new reads no field `
		cannot  = `warning: the handler of POST /new cannot read `
		several = ` of this element: it may send several values, and its type is `
		of      = `, with the dot of new.html:2:12 (with the data of new.html)`
	)
	for _, tt := range []struct{ old, new, want string }{
		// The form and its buttons.
		{`<form method="post"`, `<form`, `1:1: warning: <form>: it has no method, so that browsers send GET, and the handler of POST /new reads its fields: write method="post"`},
		{`<form method="post" enctype="multipart/form-data"`, `<form`, `1:1: warning: <form>: it has no method, so that browsers send GET, and the handler of POST /new reads its fields: write method="post"`},
		{`<button>`, `<button formaction="/nwe">`, `12:21: formaction of <button>: nothing answers /nwe: did you mean /new?`},
		{`multipart/form-data`, `multipart/formdata`, `11:26: warning: a form sends files only with enctype="multipart/form-data"`},

		// Names.
		{`name="age"`, `id="age"`, `8:26: warning: the handler of POST /new reads "age", and browsers send nothing of an element without a name: write name="age"`},
		{city, `<input name="buyer[city]"`, `10:14: ` + reads + `"buyer[city]"`},
		{city, `<input name="items[0].name">` + city, `10:14: ` + reads + `"items[0].name"`},
		{city, `<input name="attrs">` + city, `10:14: ` + reads + `"attrs"`},
		{`name="topics"`, `name="topics[]"`, `5:77: ` + reads + `"topics[]": did you mean "topics"?`},
		{`(.Form.Field "title")`, `(.Form.Field "attrs")`, `2:45: {{.Form.Field "attrs"}}: a form of flow_test.signing has no field "attrs"`},

		// Types and values.
		{age, `type="date" name="age"`, `8:26: ` + cannot + `"age" of this element: an input of type date does not fit its type, which is int: choose one of hidden, number, password, radio, range, search, select, tel, text`},
		{age, `type="nubmer" name="age"`, `8:28: ` + cannot + `"age" of this element: there is no input of type "nubmer": did you mean "number"?`},
		{age, `type="checkbox" name="age"><input name="title"`, `8:30: ` + cannot + `"age" of this element: its type is int, and it never has the value "on"`},
		{age, `type="checkbox" name="age" value="yes" title="x"`, `8:30: ` + cannot + `"age" of this element: its type is int, and it never has the value "yes"`},
		{age, `type="radio" name="age"><input name="title"`, `8:27: ` + cannot + `"age" of this element: its type is int, and it never has the value "on"`},
		{age, `type="hidden" name="age" value="none"`, `8:28: ` + cannot + `"age" of this element: its type is int, and it never has the value "none"`},
		{city, `<input name="due" type="datetime">` + city, `10:14: ` + cannot + `"due" of this element: there is no input of type "datetime"`},
		{city, `<input name="due" type="number">` + city, `10:14: ` + cannot + `"due" of this element: an input of type number does not fit its type, which is time.Time: choose one of date, datetime-local, hidden, month, radio, select, time, week`},
		{`name="news"`, `name="news" value="yes"`, `9:30: ` + cannot + `"news" of this element: its type is bool, and it never has the value "yes"`},
		{`type="checkbox" name="news"`, `type="radio" name="news" value="maybe"`, `9:27: ` + cannot + `"news" of this element: its type is bool, and it never has the value "maybe"`},
		{`name="topics"`, `name="lang"`, `5:77: ` + cannot + `"lang"` + several + `string: make that a list`},
		{note, `<select multiple name="lang"></select>` + note, `7:24: ` + cannot + `"lang"` + several + `string: make that a list`},
		{`name="photo"`, `name="photo" multiple`, `11:26: ` + cannot + `"photo"` + several + `*multipart.FileHeader: make that a list`},

		// Fields of the Form.
		{due, `(.Form.Field "due" .As "date")`, `3:52: {{.As}}: flow_test.signingData has no field or method As`},
		{due, `(.Form.Field "due" | .As "date")`, `3:54: {{.As "date"}}: flow_test.signingData has no field or method As`},
		{due, `((.Form.Field "due").As)`, `3:53: {{(.Form.Field "due").As}}: As takes 1 argument, and gets 0`},
		{due, `((.Form.Field "due").as "date")`, `3:53: {{(.Form.Field "due").as "date"}}: flow.Field has no field or method as: did you mean "As"?`},
		{`.Form.Value.Age`, `.Form.Age`, `8:48: {{.Form.Age}}: flow.Form[flow_test.signing] has no field or method Age: did you mean ".Form.Value.Age"?`},
		{`{{range $.Langs}}`, `{{range .Langs}}`, `4:81: {{.Langs}}: flow.Field has no field or method Langs`},
		{`$l.Has .`, `.Has $l`, `4:102: {{.Has $l}}: string has no field or method Has`},
		{`$l.Has .`, `eq $l .`, `4:101: {{eq $l .}}: flow.Field and string cannot be compared`},
		{`$.Form.Field "items"`, `.Form.Field "items"`, `6:74: {{.Form.Field "items" $i "name"}}: flow_test.itemForm has no field or method Form`},
		{`"items" $i "name"`, `"items" "name"`, `6:94: {{$.Form.Field "items" "name"}}: a form of flow_test.signing has no field "items.name": did you mean "items.0.name"?`},
		{`"items" $i "name"`, `"items" $item "name"`, `6:94: {{$.Form.Field "items" $item "name"}}: Field takes the parts of a key, which are texts and numbers of rows, and not a flow_test.itemForm`},

		// The partial and what it is given.
		{title, `(dict "of" (.Form.Field.title) "label" "Title")`, `2:39: {{.Form.Field.title}}: a form of flow_test.signing has no field ""`},
		{title, `(dict "of" .Form.Field "title" "label" "Title")`, `2:22: {{dict "of" .Form.Field "title" "label" "Title"}}: dict takes keys and values in turn, and its last key has no value`},
		{title, `(dict "of" .Form "label" "Title")`, `+field.html:1:19: {{.of.ID}}: flow.Form[flow_test.signing] has no field or method ID` + of},
		{title, `(dict "of" .Form.Value.Title "label" "Title")`, `+field.html:1:19: {{.of.ID}}: string has no field or method ID` + of},
		{title, `(dict "off" (.Form.Field "title") "label" "Title")`, `+field.html:1:16: {{.of.ID}}: the dict that it gets has no key "of": did you mean "off"?` + of},
		{title, `(dict "of" (.Form.Field "title") "lable" "Title")`, `+field.html:1:28: {{.label}}: the dict that it gets has no key "label": did you mean "lable"?` + of},
		{title, `(.Form.Field "title")`, `+field.html:1:16: {{.of.ID}}: flow.Field has no field or method of: only a map has such a name, as dict makes one` + of},
		{title, `.`, `+field.html:1:16: {{.of.ID}}: flow_test.signingData has no field or method of: only a map has such a name, as dict makes one (with the data of new.html)`},
		{`.of.Value`, `.of.Vaule`, `+field.html:2:77: {{.of.Vaule}}: flow.Field has no field or method Vaule: did you mean "Value"?` + of},
		{`.of.Wrong`, `.of.Wrong.title`, `+field.html:3:18: {{.of.Wrong.title}}: string has no field or method title` + of},
	} {
		t.Run(tt.old+" "+tt.new, func(t *testing.T) {
			is := is.New(t)
			first, _, _ := strings.Cut(signingReport(tt.old, tt.new), "\n")
			is.Equal(strings.TrimPrefix(first, "new.html:"), tt.want)
		})
	}

	// These are right.
	for _, tt := range []struct{ old, new string }{
		{"", ""},
		{age, `type="radio" name="age" value="7"><input type="radio" name="age" value="{{.Form.Value.Age}}"><input name="title"`},
		{age, `type="radio" name="age" :value="n"`},
		{age, `type="radio" name="age"{{with .Form.Wrong.age}} value="1"{{else}} value="2"{{end}}><input name="title"`},
		{age, `type="hidden" name="age" value="7"`},
		{age, `type="checkbox" name="age" value="1"><input name="title"`},
		{age, `id="age" type="range" disabled><input name="age"`},
		{city, `<input id="filter"><input id="all" type="checkbox"><input type="email" multiple name="title">` + city},
		{city, `<input name="due" type="text"><input type="password" name="title"><input type="COLOR" name="title">` + city},
		{city, `<input type="hidden" name="due" value="2026-02-03">` + city},
		{`name="news"`, `name="news" value="true"`},
		{`type="checkbox" name="news"`, `type="hidden" name="news" value="false"><input type="checkbox" name="news" value="on"`},
		{note, `<select name="topics" multiple></select>` + note},
		{`<input type="checkbox" name="topics"`, `<input type="radio" name="lang"`},
		{`<textarea`, `{{range $i, $item := .Form.Value.Items}}<input type="checkbox" name="items.{{$i}}.name" value="{{.Name}}">{{end}}<textarea`},
		{`</form>`, `</form>{{range .Topics}}<form method="post" enctype="multipart/form-data"><input type="checkbox" name="title" value="{{.}}"><input type="file" name="photo"></form>{{end}}`},
		{`</form>`, `</form><form><input name="title"><button>Search</button></form><form method="get">{{(.Form.Field "title").Value}}</form>`},
		{`</form>`, `</form><form hx-post="/new" hx-encoding="multipart/form-data">{{(.Form.Field "title").Value}}</form><form @submit="x()">{{(.Form.Field "title").Value}}</form>`},
		{`.Form.Wrong.age`, `index .Form.Wrong "age"`},
		{`"label" "Title"`, `"label" (printf "%s:" "Title")`},
	} {
		t.Run("right "+tt.new, func(t *testing.T) {
			is := is.New(t)
			is.Equal(signingReport(tt.old, tt.new), "")
		})
	}
}
