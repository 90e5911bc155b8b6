package flow_test

import (
	"mime/multipart"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/fault"
)

// bookingPage is the data of a page with a form.
type bookingPage struct {
	Form  flow.Form[booking]
	Rows  []string
	Shown bool
	Own   ownField
	Mine  embedding
	Other overriding
	With  *pointing
}

// embedding and pointing have the method Field of the Form, and overriding one of its own.
type embedding struct{ flow.Form[booking] }

type pointing struct{ *flow.Form[booking] }

type overriding struct{ flow.Form[booking] }

func (overriding) Field(name string) (flow.Field, error) { return flow.Field{}, nil }

// ownField has a method Field of its own.
type ownField struct{}

func (ownField) Field(key string) string { return key }

// bookingReport returns the faults and warnings of an application with a page new.html, whose form is
// sent to itself and to /other, and with a partial +field.html, each with its line and column.
func bookingReport(page, partial string) string {
	r := flow.New(fstest.MapFS{
		"router/new.html":    {Data: []byte(page)},
		"router/+field.html": {Data: []byte(partial)},
		"router/other.http":  {},
	})
	r.At("new").GET().Do(func(*flow.Request) (bookingPage, error) { return bookingPage{}, nil })
	r.At("new").POST().Do(func(_ *flow.Request, in flow.Form[booking]) (bookingPage, error) { return bookingPage{Form: in}, nil })
	r.At("other").POST().Do(func(*flow.Request, struct {
		Name string `form:"name"`
	}) error {
		return nil
	})
	var lines []string
	for _, err := range []error{r.Check(), r.Warnings()} {
		for _, f := range fault.Of(err) {
			lines = append(lines, strings.TrimPrefix(f.Error(), "flow: "))
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "router/", "")
}

// A key that a form does not have is a fault where it is written, in whatever way it reaches Field.
func TestFieldKeysAreChecked(t *testing.T) {
	const partial = `{{with .form.Field .name}}<input id="{{.ID}}" name="{{.Name}}" value="{{.Value}}">{{end}}`
	for _, tt := range []struct{ page, partial, want string }{
		{`{{.Form.Field "nmae"}}`, "", `new.html:1:15: {{.Form.Field "nmae"}}: a form of flow_test.booking has no field "nmae": did you mean "name"?`},
		{`{{template "+field" (dict "form" .Form "name" "nmae")}}`, partial, `new.html:1:47: {{.form.Field .name}} in +field.html:1:14: a form of flow_test.booking has no field "nmae": did you mean "name"?`},
		{`{{template "+field" .Form}}`, `{{(.Field "nmae").ID}}`, `+field.html:1:11: {{.Field "nmae"}}: a form of flow_test.booking has no field "nmae": did you mean "name"?, with the dot of new.html:1:12 (with the data of new.html)`},
		{`{{$n := "nmae"}}{{with .Form.Field $n}}{{end}}`, "", `new.html:1:9: {{.Form.Field $n}} in new.html:1:30: a form of flow_test.booking has no field "nmae": did you mean "name"?`},
		{`{{range $i, $r := .Rows}}{{$.Form.Field "items" $i "nmae"}}{{end}}`, "", `new.html:1:52: {{$.Form.Field "items" $i "nmae"}}: a form of flow_test.booking has no field "items.0.nmae": did you mean "items.0.name"?`},
		{`{{range $i, $r := .Rows}}{{$.Form.Field "itmes" $i "name"}}{{end}}`, "", `new.html:1:41: {{$.Form.Field "itmes" $i "name"}}: a form of flow_test.booking has no field "itmes.0.name": did you mean "items.0.name"?`},
		{`{{range $i, $r := .Rows}}{{$.Form.Field "items" $i}}{{end}}`, "", `new.html:1:49: {{$.Form.Field "items" $i}}: a form of flow_test.booking has no field "items.0": did you mean "items.0.name"?`},
		{`{{.Form.Field "items" -1 "name"}}`, "", `new.html:1:23: {{.Form.Field "items" -1 "name"}}: a form of flow_test.booking has no field "items.-1.name": did you mean "items.0.name"?`},
		{`{{.Form.Field "items" .Shown "name"}}`, "", `new.html:1:24: {{.Form.Field "items" .Shown "name"}}: Field takes the parts of a key, which are texts and numbers of rows, and not a bool`},
		{`{{.Form.Field "name" 0}}`, "", `new.html:1:22: {{.Form.Field "name" 0}}: a form of flow_test.booking has no field "name.0": did you mean "name"?`},
		{`{{.Form.Field "buyer"}}`, "", `new.html:1:15: {{.Form.Field "buyer"}}: a form of flow_test.booking has no field "buyer": did you mean "buyer.city"?`},
		{`{{.Form.Field}}`, "", `new.html:1:9: {{.Form.Field}}: a form of flow_test.booking has no field ""`},
		{`{{.Form.Field .Own}}`, "", `new.html:1:16: {{.Form.Field .Own}}: Field takes the parts of a key, which are texts and numbers of rows, and not a flow_test.ownField`},
		{`{{.Mine.Field "nmae"}}`, "", `new.html:1:15: {{.Mine.Field "nmae"}}: a form of flow_test.booking has no field "nmae": did you mean "name"?`},
		{`{{with .With}}{{.Field "nmae"}}{{end}}`, "", `new.html:1:24: {{.Field "nmae"}}: a form of flow_test.booking has no field "nmae": did you mean "name"?`},

		{`{{(.Form.Field "age").As "date"}}`, "", `new.html:1:26: {{(.Form.Field "age").As "date"}}: the field "age": an input of type date does not fit its type, which is int: choose one of hidden, number, password, radio, range, search, select, tel, text`},
		{`{{(.Form.Field "name").As "emial"}}`, "", `new.html:1:27: {{(.Form.Field "name").As "emial"}}: the field "name": there is no input of type "emial": did you mean "email"?`},
		{`{{range .Rows}}{{($.Form.Field .).As "emial"}}{{end}}`, "", `new.html:1:38: {{($.Form.Field .).As "emial"}}: there is no input of type "emial": did you mean "email"?`},
		{`{{template "+field" (dict "of" (.Form.Field "due") "as" "text")}}`, `{{(.of.As .as).Value}}`, `new.html:1:57: {{.of.As .as}} in +field.html:1:8: the field "due": an input of type text does not fit its type, which is time.Time: choose one of date, datetime-local, hidden, month, radio, select, time, week`},
		{`{{$f := .Form.Field "age"}}{{$f.Has "old"}}`, "", `new.html:1:37: {{$f.Has "old"}}: the field "age": its type is int, and it never has the value "old"`},
		{`{{(.Form.Field "age").Has .Shown}}`, "", `new.html:1:28: {{(.Form.Field "age").Has .Shown}}: the field "age": its type is int, and it never has a bool`},
		{`{{(.Form.Field "tag").Has .Rows}}`, "", `new.html:1:28: {{(.Form.Field "tag").Has .Rows}}: the field "tag": it never has a []string, which is no value of a form`},
		{`{{(.Form.Field "year").Has "x"}}`, "", `new.html:1:28: {{(.Form.Field "year").Has "x"}}: the field "year": its type is []int, and it never has the value "x"`},
		{`{{(.Form.Field "terms").Has 7}}`, "", `new.html:1:29: {{(.Form.Field "terms").Has 7}}: the field "terms": its type is bool, and it never has the value 7`},

		{`{{.Form.Field "name"}}{{.Form.Field "NAME" | printf "%v"}}{{.Form.Field "untold"}}{{.Form.Field "page"}}{{.Form.Field "buyer.city"}}{{.Form.Field "items.3.name"}}{{.Form.Field "items" 0 "name"}}`, "", `new.html:1:37: {{.Form.Field "NAME"}}: a form of flow_test.booking has no field "NAME"`},
		{`{{range .Rows}}{{$.Form.Field .}}{{$.Form.Field "items" . "name"}}{{$.Form.Field "items" 0 .}}{{end}}{{.Form.Field (printf "%s" "nmae")}}`, "", ""},
		{`{{range $i, $r := .Rows}}{{template "+field" (dict "form" $.Form "name" (printf "items.%d.nmae" $i))}}{{end}}`, partial, ""},
		{`{{template "+field" (dict "form" .Form "name" "name")}}{{template "+field" (dict "form" .Form "name" "age")}}`, partial, ""},
		{`{{.Own.Field "nmae"}}{{.Other.Field "nmae"}}{{.Mine.Field "name"}}`, "", ""},
		{`{{(.Form.Field "age").As "number"}}{{((.Form.Field "due").As "date").As "week"}}{{(.Form.Field "year").Has 2026}}{{(.Form.Field "year").Has "2026"}}{{(.Form.Field "age").Has ""}}{{(.Form.Field "tag").Has 7}}{{(.Form.Field "due").Has "2026-01-02"}}{{(.Form.Field "terms").Has true}}{{(.Form.Field "age").Has nil}}`, "", ""},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			page := tt.page
			if !strings.Contains(page, "+field") {
				page += `{{if false}}{{template "+field"}}{{end}}`
			}
			is.Equal(bookingReport(page, tt.partial), tt.want)
		})
	}
}

// What a form asks a Form for counts as its field. What is always there in a partial is told for each form
// by itself, and what stands behind a condition if it fits none of them.
func TestFieldsOfFormsAreCounted(t *testing.T) {
	const (
		other  = `<form method="post" action="/other">`
		own    = `<form method="post">`
		reads  = `warning: the handler of POST /other reads no field "age": did you mean "name"?`
		reads2 = `warning: the handler of POST /other, for the form in new.html:1, reads no field "age": did you mean "name"?`
	)
	for _, tt := range []struct{ page, partial, want string }{
		{other + `{{with .Form.Field "age"}}<input name="{{.Name}}">{{end}}</form>`, "", "new.html:1:56: " + reads},
		{other + `{{$f := .Form.Field "age"}}<input name="{{$f.Name}}"></form>`, "", "new.html:1:57: " + reads},
		{other + `{{if .Shown}}<input name="{{(.Form.Field "age").Name}}">{{end}}</form>`, "", "new.html:1:78: " + reads},
		{other + `{{range (.Form.Field "age").Values}}{{end}}{{if (.Form.Field "year").Values}}{{end}}</form>`, "", "new.html:1:58: " + reads + "\nnew.html:1:98: " + `warning: the handler of POST /other reads no field "year"`},
		{other + `{{template "+field" (dict "of" (.Form.Field "age"))}}</form>`, `{{.of.Name}}`, "new.html:1:81: " + reads},
		{other + `{{template "+field" (dict "form" .Form "name" "age")}}</form>`, `<input name="{{(.form.Field .name).Name}}">`, "new.html:1:83: " + reads},
		{other + `{{range $i, $r := .Rows}}{{$.Form.Field "items" $i "name"}}{{end}}</form>`, "", `new.html:1:88: warning: the handler of POST /other reads no field "items.0.name"`},
		{own + `{{template "+field" (dict "form" .Form "name" "age")}}</form>` + other + `{{template "+field" (dict "form" .Form "name" "name")}}</form>`, `<input name="{{(.form.Field .name).Name}}">`, ""},
		{other + `{{.Own.Field "age"}}{{.Other.Field "age"}}</form>{{.Form.Field "age"}}`, "", ""},

		// In the partial.
		{other + `{{template "+field" .Form}}</form>`, `{{(.Field "name").Name}}{{(.Field "age").Name}}`, "+field.html:1:35: " + reads2},
		{other + `{{template "+field"}}</form>`, `<input name="name"><input name="age">`, "+field.html:1:33: " + reads2},
		{other + `{{template "+field"}}{{template "+field"}}</form>` + own + `{{template "+field"}}</form>`, `<input name="age">`, "+field.html:1:14: " + reads2},
		{own + `{{template "+field"}}</form>` + own + `{{template "+field"}}</form>`, `<input name="nmae">`, `+field.html:1:14: warning: the handler of POST /new, for the form in new.html:1, reads no field "nmae": did you mean "name"?`},
		{other + `{{template "part" .}}</form>{{define "part"}}<p>{{template "+field" .}}</p>{{end}}`, `<input name="age">`, "+field.html:1:14: " + reads2},
		{other + `{{template "part" .}}</form>{{define "part"}}<input name="age">{{if false}}{{template "+field"}}{{end}}{{end}}`, ``, "new.html:1:95: " + reads2},
		{other + `<p {{if .Shown}}class="a"{{end}}>{{template "+field"}}</p></form>`, `<p {{if .}}class="a"{{end}}><input name="age"></p>`, "+field.html:1:42: " + reads2},
		{own + `{{template "+field"}}</form>`, `<input type="file" name="age">`, `+field.html:1:26: warning: a form sends files only with enctype="multipart/form-data", for the form in new.html:1`},
		{`<form method="post" action="{{if .Shown}}/other{{else}}/new{{end}}">{{template "+field"}}</form>`, `<input name="age">`, ""},
		{`<form method="post" action="{{.Shown}}">{{template "+field"}}</form>`, `<input name="agee">`, ""},
		{other + `{{if .Shown}}{{template "+field"}}{{end}}</form>`, `<input name="age">`, "+field.html:1:14: " + reads2},
		{other + `{{if .Shown}}{{template "+field"}}{{end}}</form>` + own + `{{template "+field"}}</form>`, `<input name="age">`, ""},
		{`{{if .Shown}}` + other + `{{template "+field"}}</form>{{end}}` + own + `{{template "+field"}}</form>`, `<input name="age">`, "+field.html:1:14: " + reads2},
		{other + `{{template "+field" .}}</form>`, `{{if .Shown}}<input name="age">{{end}}{{range .Rows}}<input {{if .}}name="age"{{else}}name="name"{{end}}>{{end}}`, "+field.html:1:27: " + reads2 + "\n+field.html:1:75: " + reads2},
		{other + `{{template "+field" .}}</form>` + own + `{{template "+field" .}}</form>`, `{{if .Shown}}<input name="age">{{end}}<input {{if .Shown}}name="age"{{else}}name="name"{{end}}>`, ""},
		{other + `{{template "+field" .}}</form><form method="{{.Shown}}" action="/new">{{template "+field" .}}</form>`, `{{if .Shown}}<input name="age">{{end}}`, ""},
		{other + `{{template "+field"}}</form>` + own + `{{template "+field"}}</form>`, `<input name="agee">`, `+field.html:1:14: warning: the handler of POST /new, for the form in new.html:1, reads no field "agee": did you mean "age"?` +
			"\n" + `+field.html:1:14: warning: the handler of POST /other, for the form in new.html:1, reads no field "agee"`},
		{other + `{{template "+field"}}</form>`, `</form><input name="age">`, ""},
		{other + `{{template "+field"}}</form>`, `<form method="post" action="/new"><input name="age"></form><button name="age"></button><input form="x" name="age"><input {{.}} name="age"><input type="hidden" name="csrf">`, ""},
		{other + `{{template "+field"}}</form>`, `<input type="hidden" name="_method" value="DELETE"><input name="age">`, ""},
		{`{{template "+field"}}` + other + `</form>`, `<input name="age">`, ""},
		{`{{if .Shown}}` + other + `{{else}}<form method="{{.Shown}}" action="/new">{{end}}{{template "+field"}}</form>`, `<input name="age">`, ""},
		{other + `{{template "part" .}}</form>{{define "part"}}</form>` + own + `{{template "+field"}}</form>{{end}}`, `<input name="age">`, ""},
		{other + `<textarea name="name">{{template "+field"}}</textarea></form>`, `<input name="age">`, ""},
	} {
		t.Run(tt.page+tt.partial, func(t *testing.T) {
			is := is.New(t)
			page := tt.page
			if !strings.Contains(page, "+field") {
				page += `{{if false}}{{template "+field"}}{{end}}`
			}
			is.Equal(bookingReport(page, tt.partial), tt.want)
		})
	}
}

// A page that asks a Form for fields needs a handler for GET, which gives it an empty one.
func TestFormsNeedAHandlerForGET(t *testing.T) {
	const partial = `<input name="{{(.form.Field .name).Name}}">`
	for _, tt := range []struct{ page, partial, asks string }{
		{`<input name="{{(.Form.Field "name").Name}}">`, "", `{{.Form.Field "name"}}`},
		{`<p>{{with .Form.Field "name"}}{{.Name}}{{end}}`, "", `{{.Form.Field "name"}}`},
		{`{{range (.Form.Field "tag").Values}}{{end}}`, "", `{{.Form.Field "tag"}}`},
		{`{{if ($.Form.Field "terms").Checked}}{{end}}`, "", `{{$.Form.Field "terms"}}`},
		{`{{$f := (.Form.Field "due").As "date"}}`, "", `{{.Form.Field "due"}}`},
		{`{{template "+field" (dict "of" (.Form.Field "name"))}}`, `{{.of.ID}}`, `{{.Form.Field "name"}}`},
		{`{{template "+field" (dict "form" .Form "name" "age")}}`, partial, `{{dict "form" .Form "name" "age"}}`},
		{`{{with .}}{{.Form.Field "name"}}{{end}}{{if .}}{{template "+field" (dict "form" .Form "name" "age")}}{{end}}`, partial, ""},
		{`{{template "+field" (dict "form" "x" "name" "age")}}`, ``, ""},
		{`<input value="{{.Form.Value.Name}}">`, "", ""},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			page := tt.page
			if !strings.Contains(page, "+field") {
				page += `{{if false}}{{template "+field"}}{{end}}`
			}
			r := flow.New(fstest.MapFS{"router/new.html": {Data: []byte(page)}, "router/+field.html": {Data: []byte(tt.partial)}})
			r.At("new").POST().Do(func(_ *flow.Request, in flow.Form[booking]) (bookingPage, error) { return bookingPage{Form: in}, nil })
			want := ""
			if tt.asks != "" {
				want = "router/new.html:1: " + tt.asks + ` asks for data, and no handler for GET gives any: call At("new").GET().Do(…) on this Router, which was made in a test file and so has no static calls, or write {{with .}} around it`
			}
			is.Equal(errorText(r.Check()), want)
		})
	}
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/new.html": {Data: []byte(`{{template "+field" (dict "of" (.Form.Field "name"))}}`)}, "router/+field.html": {Data: []byte(`{{.of.ID}}`)}})
	is.True(strings.HasPrefix(errorText(r.Check()), `router/new.html:1: {{.Form.Field "name"}} asks for data, and no handler for GET gives any: `)) // and not where the partial fails
}

// A limited input has limits in Validate, and a Default.
type limitedInput struct {
	Note string `form:"note"`
	Age  int    `form:"age"`
	News bool   `form:"news"`
	Text string `form:"text"`
}

func (l *limitedInput) Default() { l.News = true }

func (l *limitedInput) Validate() error {
	switch {
	case l.Note == "":
		return flow.Invalid{"note": "is required"}
	case len(l.Note) > 20:
		return flow.Invalid{"note": "has more than 20 characters"}
	case l.Age > 120:
		return flow.Invalid{"age": "is too old"}
	}
	return nil
}

// What the markup says of a field is held against Validate and Default of the handler's input.
func TestLimitsOfTheMarkup(t *testing.T) {
	for _, tt := range []struct{ fields, want string }{
		{`<input name="note" maxlength="30">`, `new.html:1:51: warning: maxlength: "note" may have 30 characters here, and Validate of flow_test.limitedInput says that it has more than 20 characters`},
		{`<textarea name="note" maxlength="10" required></textarea>`, `new.html:1:54: warning: maxlength: "note" may not have 11 characters here, and Validate of flow_test.limitedInput takes that`},
		{`<input name="age" type="number" max=150>`, `new.html:1:57: warning: max: "age" may be 150 here, and Validate of flow_test.limitedInput says that it is too old`},
		{`<select name="text" required></select>`, `new.html:1:41: warning: required: "text" must have a value here, and Validate of flow_test.limitedInput takes it without one`},
		{`<input name="note" maxlength="20" required {{with .Wrong}}aria-invalid="true"{{end}}><input name="age" type="number" max="120" value="{{.}}"><input name="text">`, ""},
		{`{{if .}}<input name="note" maxlength="30">{{end}}<input name="note" {{if .}}maxlength="30"{{end}}><input name="note" maxlength="{{.}}"><input {{.}} name="note" maxlength="30">`, ""},
		{`<input name="age" max="150"><input name="note" type="hidden" required><input name="text" type="checkbox" maxlength="3"><input name="{{.}}" maxlength="3">`, ""},
		{`<input name="news" type="checkbox">`, `new.html:1:34: warning: the checkbox "news" cannot be unticked: browsers send nothing for it then, and Default of the handler's input sets it: set it in the handler for GET`},
		{`<input name="news" type="checkbox" value="true"><input name="news" type="hidden" value="false"><select name="text"></select>`, ""},
		{`<select name="news"></select><input type="checkbox" name="text">`, ""},
		{`{{with .Form.Field "news"}}<input name="{{.Name}}" type="{{.Type}}">{{end}}`, `new.html:1:40: warning: the checkbox "news" cannot be unticked: browsers send nothing for it then, and Default of the handler's input sets it: set it in the handler for GET`},
		{`{{with (.Form.Field "news").As "select"}}<select name="{{.Name}}"></select>{{end}}`, ``},
		{`{{template "+news" .}}<input type="hidden" name="news" value="false">`, ""},
		{`{{template "+note" .}}`, `+note.html:1:19: warning: the handler of POST /new, for the form in new.html:1, reads "age", and browsers send nothing of an element without a name: write name="age"` +
			"\n" + `+note.html:1:54: warning: maxlength: "note" may have 30 characters here, and Validate of flow_test.limitedInput says that it has more than 20 characters, for the form in new.html:1`},
		{`{{template "+news" .}}`, `+news.html:1:14: warning: the checkbox "news" cannot be unticked, for the form in new.html:1: browsers send nothing for it then, and Default of the handler's input sets it: set it in the handler for GET`},
	} {
		t.Run(tt.fields, func(t *testing.T) {
			is := is.New(t)
			page := `<form method="post">` + tt.fields + `</form>`
			r := flow.New(fstest.MapFS{
				"router/new.html":   {Data: []byte(page)},
				"router/page.html":  {Data: []byte(`{{if false}}{{template "+news" .}}{{template "+note" .}}{{end}}`)},
				"router/+news.html": {Data: []byte(`<input name="news" type="checkbox">`)},
				"router/+note.html": {Data: []byte(`<p></p><input id="age"><input name="note" maxlength="30">`)},
			})
			if strings.Contains(page, ".Form") {
				r.At("new").GET().Do(func(*flow.Request) (limitedPage, error) { return limitedPage{}, nil })
			}
			r.At("new").POST().Do(func(*flow.Request, flow.Form[limitedInput]) (flow.Response, error) { return flow.Redirect("/"), nil })
			is.NoErr(r.Check())
			is.Equal(strings.ReplaceAll(errorText(r.Warnings()), "router/", ""), tt.want)
		})
	}
}

// A form of a layout has the fields of the pages that define them.
func TestFieldsOfPagesInAFormOfTheLayout(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{
		"router/a/+layout.html": {Data: []byte(`<form method="post" action="/a/new">{{block "fields" .}}<input name="txet">{{end}}</form>{{template "content" .}}`)},
		"router/a/new.html":     {Data: []byte(`{{define "fields"}}<input name="nwes">{{end}}`)},
		"router/a/page.html":    {Data: []byte(`x`)},
		"router/b.html":         {Data: []byte(`{{block "fields" .}}<input name="other">{{end}}`)},
	})
	r.At("a/new").POST().Do(func(*flow.Request, flow.Form[limitedInput]) (flow.Response, error) { return flow.Redirect("/"), nil })
	is.NoErr(r.Check())
	is.Equal(strings.ReplaceAll(errorText(r.Warnings()), "router/", ""), `a/+layout.html:1:70: warning: the handler of POST /a/new, for the form in a/+layout.html:1, reads no field "txet": did you mean "text"?`+"\n"+
		`a/new.html:1:33: warning: the handler of POST /a/new, for the form in a/+layout.html:1, reads no field "nwes": did you mean "news"?`)
}

type limitedPage struct{ Form flow.Form[limitedInput] }

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
