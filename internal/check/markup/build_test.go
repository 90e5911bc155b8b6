package markup

import (
	"html/template"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/pattern"
)

// dumpItems writes items as the tables of these tests have them: a(b "c") is an element in another one,
// a if .A|- unless .A(b) one that is only there under a condition, a? one whose end is not known, and ~a
// one of which it is not known what it stands in.
func dumpItems(items []Item) string {
	var all []string
	for _, i := range items {
		all = append(all, dumpItem(i))
	}
	return strings.ReplaceAll(strings.Join(all, " "), pattern.Hole, "{}")
}

func dumpItem(i Item) string {
	sides := func(what string, items, otherwise []Item) string {
		text := "[" + what + ": " + dumpItems(items)
		if otherwise != nil {
			text += " else " + dumpItems(otherwise)
		}
		return text + "]"
	}
	switch i := i.(type) {
	case *Element:
		var ways []string
		for _, w := range i.Ways {
			if w.Name == "" {
				w.Name = "-"
			}
			ways = append(ways, dumpWay(w))
		}
		text := strings.Join(ways, "|")
		if i.ParentUnknown {
			text = "~" + text
		}
		if i.EndUnknown {
			text += "?"
		}
		if i.Kids != nil {
			text += "(" + dumpItems(i.Kids) + ")"
		}
		return text
	case *Fork:
		return sides(dumpCond(i.Cond), i.Then, i.Else)
	case *Repeat:
		what := "each " + i.Pipe.String()
		if i.Jumps {
			what += ", jumps"
		}
		return sides(what, i.Body, i.Else)
	case *Hole:
		if i.Action == nil {
			return "{call}"
		}
	}
	return dumpNode(i.(Node))
}

func TestBuild(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"elements", `a<b>c<i name=d>e</i></b>f`, `"a" b("c" i name=d("e")) "f"`},
		{"an element without an end", `<p>a<br>b<img>`, `p("a" br "b" img)`},
		{"an end of nothing", `<b>a</i></b></b>c`, `b("a") "c"`},
		{"an end in another element", `<section><span>a</section>b`, `section(span("a")) "b"`},
		{"an end across a block", `<label><div>a</label>b</div>c`, `label(div("a" "b") "c")`},
		{"a link across a block", `<a><div>b</a>c</div>d`, `a?(div?("b")) "c" "d"`},
		{"an end out of a table", `<b><table><tr><td>a</b></td></tr></table></b>c`, `b(table(tr(td("a")))) "c"`},
		{"the end of another heading", `<h4>a</h2>b`, `h4("a") "b"`},
		{"list items", `<ul><li>a<li><ul><li>b</ul></ul>c`, `ul(li("a") li(ul(li("b")))) "c"`},
		{"paragraphs", `<p>a<p>b<div>c</div>d</p>e`, `p("a") p("b") div("c") "d" "e"`},
		{"a table", `<table><thead><tr><th>a<tbody><tr><td>b<td>c<tr><td>d</table>e`, `table(thead(tr(th("a"))) tbody(tr(td("b") td("c")) tr(td("d")))) "e"`},
		{"options", `<select><optgroup><option>a<option>b<optgroup></select>c`, `select(optgroup(option("a") option("b")) optgroup) "c"`},
		{"a title", `<title>a<b></title>c`, `title(title"a<b>") "c"`},
		{"holes", `{{.A}}<a href="{{.B}}">{{.C}}</a><!-- {{.D}} --><title>{{.E}}</title>`, `{.A} a href={}({.C}) title(title{.E})`},
		{"a call", `{{define "x"}}<li>{{end}}<ul>{{template "x"}}a</li>{{template "x"}}</ul>{{template "y"}}`, `ul(li("a") li) {call}`},

		{"a condition", `<b>{{if .A}}<i>c</i>{{else}}d{{end}}</b>`, `b([if .A: i("c") else "d"])`},
		{"a condition of no matter", `<b {{if .A}}class=c{{end}}>{{if .A}}{{end}}</b>`, `b`},
		{"two ways of an element", `{{if .A}}<a href=/b>{{else}}<span>{{end}}c{{if .A}}</a>{{else}}</span>{{end}}d`, `a href=/b if .A|span unless .A("c") "d"`},
		{"two beginnings of an element", `{{if .A}}<p id=a>b{{else}}<p>{{end}}c</p>d`, `p id=a if .A|p unless .A([if .A: "b"] "c") "d"`},
		{"two ends of an element", `<p>a{{if .A}}b</p>c{{else}}</p>{{end}}d`, `p("a" [if .A: "b"]) [if .A: "c"] "d"`},
		{"an element that may be absent", `{{if .A}}<a>{{else}}b{{end}}c{{if .A}}</a>{{end}}d`, `[if .A:  else "b"] a if .A|- unless .A("c") "d"`},
		{"two elements that may be absent", `{{if not .A}}<a><b>{{end}}c{{if .A}}{{else}}</b>d</a>{{end}}e`, `a unless .A|- if .A(b unless .A|- if .A("c") [if .A:  else "d"]) "e"`},
		{"an end that may be left out", `<ul>{{if .A}}<li>a{{end}}<li>b</ul>c`, `ul(li if .A|- unless .A([if .A: "a"]) li("b")) "c"`},
		{"an end that is left out before a condition", `<ul><li>a{{if .A}}<li>b</li>{{end}}</ul>c`, `ul(li?("a") [if .A: li("b")]) "c"`},
		{"an end of another condition", `<i>{{if .A}}<b>{{end}}c{{if .B}}</b>{{end}}</i><p>d</p>`, `i?(b if .A|- unless .A?("c")) ~p("d")`},
		{"an end under a condition", `<div>a{{if .A}}</div>{{end}}<p>b</p></div>c<b></b>`, `div?("a" ~p("b")) "c" ~b`},
		{"an end of one way", `{{if .A}}<a>{{else}}<b>{{end}}c</a>`, `a if .A|b unless .A?("c")`},
		{"an end and a beginning under a condition", `<div>{{if .A}}a</div><div>{{end}}b</div>c`, `div?([if .A: "a" div?] "b") "c"`},
		{"the conditions of an element in others", `{{if .A}}{{if .B}}<a>{{end}}{{end}}c{{if .A}}{{if .B}}</a>{{end}}{{end}}`, `a if .B if .A|- unless .B if .A|- unless .A("c")`},
		{"a name that an action writes", `<h{{.A}}>b</h{{.A}}>c`, `h{}("b") "c"`},
		{"a name that two conditions write", `<{{if .A}}a{{else}}b{{end}}>c</{{if .A}}a{{else}}b{{end}}>d<i></i>`, `a if .A|b unless .A?("c" "d" ~i)`},

		{"a loop", `<ul>{{range .A}}<li>a{{else}}b{{end}}</ul>c`, `ul([each .A: li("a") else "b"]) "c"`},
		{"a loop of ends", `<div>{{range .A}}a</div><div>{{end}}b</div>c<p></p>`, `div?([each .A: "a" div?] "b") "c" ~p`},
		{"a loop with a jump", `{{range .A}}{{if .B}}<i>c</i>{{break}}{{end}}<b>d</b>{{end}}<p></p>`, `[each .A, jumps: [if .B: i("c")] b("d")] p`},
		{"a jump in an element", `{{range .A}}<b>{{if .B}}{{break}}{{end}}c</b>{{end}}<p></p>`, `[each .A, jumps: b?("c")] ~p`},
		{"a jump in another loop", `{{range .A}}<b>{{range .B}}{{break}}{{end}}{{if .C}}d{{end}}</b>{{end}}`, `[each .A: b([if .C: "d"])]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			trees, err := parseText(tt.text)
			is.NoErr(err)
			is.Equal(dumpItems(Build(Read(trees["a.html"], Rules, follow(trees)))), tt.want)
		})
	}
}

// structure returns a template of elements, conditions around them, and around their tags.
func structure(random *rand.Rand, depth int) string {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	cond := func() string { return one("{{if $.A}}", "{{if $.B}}", "{{if not $.A}}", "{{with $.C}}") }
	var b strings.Builder
	for range 1 + random.IntN(3) {
		inner := ""
		if depth > 0 {
			inner = structure(random, depth-1)
		}
		name, other := one("div", "b", "a", "p", "li", "ul", "h2", "span", "td", "tr", "table"), one("a", "div", "i")
		end := "</" + name + ">"
		if random.IntN(20) == 0 {
			end = one("", "</i>", "</div>", "</p>", "</h3>")
		}
		switch c := cond(); random.IntN(9) {
		case 0:
			b.WriteString(one("x", "<br>", "{{$.V}}", "<img>", "<!-- <b> -->"))
		case 1:
			b.WriteString("<" + name + ">" + inner + end)
		case 2:
			b.WriteString(c + inner + "{{else}}" + one("y", "<b>z</b>") + "{{end}}")
		case 3:
			b.WriteString(c + "<" + name + ">{{end}}" + inner + c + end + "{{end}}")
		case 4:
			b.WriteString(c + "<" + name + ">{{else}}<" + other + ">{{end}}" + inner + c + end + "{{else}}</" + other + ">{{end}}")
		case 5:
			b.WriteString(c + "<" + name + " name=a>y{{else}}<" + name + ">{{end}}" + inner + one(end, c+end+"{{else}}"+end+"{{end}}"))
		case 6:
			b.WriteString(c + inner + one("", "<li>", "<p>", "<li>", "</p>", "<p></div>") + "{{end}}")
		default:
			b.WriteString("<" + name + ">" + inner + "</" + name + ">")
		}
	}
	return b.String()
}

// page returns the items that are there if the conditions have these outcomes.
func (d data) page(items []Item) (page []Item) {
	for _, i := range items {
		switch i := i.(type) {
		case *Element:
			kids := d.page(i.Kids)
			at := slices.IndexFunc(i.Ways, func(w Way) bool { return !slices.ContainsFunc(w.When, func(c Cond) bool { return !d.holds(c) }) })
			if w := i.Ways[at]; w.Name != "" {
				w.When = nil
				kids = []Item{&Element{Ways: []Way{w}, Kids: kids}}
			}
			page = append(page, kids...)
		case *Fork:
			if d.holds(i.Cond) {
				page = append(page, d.page(i.Then)...)
			} else {
				page = append(page, d.page(i.Else)...)
			}
		case *Text:
			page = append(page, &Text{Text: i.Text})
		case *Hole:
			page = append(page, &Text{Text: "v"})
		}
	}
	return page
}

// isSure reports whether Build knows all about the elements among items.
func isSure(items []Item) bool {
	return !slices.ContainsFunc(items, func(i Item) bool {
		switch i := i.(type) {
		case *Element:
			return i.EndUnknown || i.ParentUnknown || !isSure(i.Kids)
		case *Fork:
			return !isSure(i.Then) || !isSure(i.Else)
		}
		return false
	})
}

// TestBuildAsWritten compares the elements of random templates with those of the pages that html/template
// makes of them, whatever their conditions are.
func TestBuildAsWritten(t *testing.T) {
	is := is.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	compared, unsure := 0, 0
	for range 4000 {
		text := structure(random, 2)
		trees, err := parseText(text)
		is.NoErr(err)
		items := Build(Read(trees["a.html"], Rules, nil))
		if !isSure(items) {
			unsure++
			continue
		}
		compared++
		page, err := template.New("a.html").Parse(text)
		is.NoErr(err)
		for outcome := range 8 {
			data := data{"A": outcome&1 != 0, "B": outcome&2 != 0, "C": outcome&4 != 0, "V": "v"}
			var written strings.Builder
			is.NoErr(page.Execute(&written, data))
			joined := strings.NewReplacer(`" "`, ``, "?", "")
			got, want := joined.Replace(dumpItems(data.page(items))), joined.Replace(dumpItems(Build(Page(written.String(), Rules))))
			if got != want {
				t.Fatalf("%s\nwith %v is %s\ngot  %s\nwant %s", text, data, written.String(), got, want)
			}
		}
	}
	is.True(compared > 1000 && unsure > 1000) // so EndUnknown and ParentUnknown are told where they are needed
}

// texts returns the texts of nodes or of items, in their order.
func texts[T any](all []T) string {
	var b strings.Builder
	for _, n := range all {
		switch n := any(n).(type) {
		case *Text:
			b.WriteString(n.Text)
		case *Element:
			b.WriteString(texts(n.Kids))
		case *Fork:
			b.WriteString(texts(n.Then) + texts(n.Else))
		case *Repeat:
			b.WriteString(texts(n.Body) + texts(n.Else))
		case *Branch:
			b.WriteString(texts(n.Then) + texts(n.Else))
		case *Loop:
			b.WriteString(texts(n.Body) + texts(n.Else))
		case *Call:
			b.WriteString(texts(n.Nodes))
		}
	}
	return b.String()
}
