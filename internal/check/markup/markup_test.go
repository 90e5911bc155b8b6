package markup

import (
	"fmt"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/pattern"
)

// dump writes nodes as the tables of these tests have them: <a href=/x if .A|a unless .A> is a tag
// with two ways, {.A} a hole, and {} a hole in a name or a value.
func dump(nodes []Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, dumpNode(n))
	}
	return strings.ReplaceAll(strings.Join(all, " "), pattern.Hole, "{}")
}

func dumpNode(n Node) string {
	in := func(in In) string {
		return [...]string{"", in.Element, "tag", "comment", "unsure"}[in.Kind]
	}
	sides := func(what string, in string, nodes, otherwise []Node) string {
		text := in + "[" + what + ": " + dump(nodes)
		if otherwise != nil {
			text += " else " + dump(otherwise)
		}
		return text + "]"
	}
	switch n := n.(type) {
	case *Tag:
		var ways []string
		for _, w := range n.Ways {
			ways = append(ways, dumpWay(w))
		}
		return "<" + strings.Join(ways, "|") + ">"
	case *End:
		return "</" + n.Name + ">"
	case *Text:
		return fmt.Sprintf("%s%q", in(n.In), n.Text)
	case *Hole:
		return in(n.In) + "{" + n.Action.Pipe.String() + "}"
	case *Assign:
		return "{" + n.Pipe.String() + "}"
	case *Branch:
		return sides(dumpCond(n.Cond), in(n.In), n.Then, n.Else)
	case *Loop:
		return sides("each "+n.Pipe.String(), in(n.In), n.Body, n.Else)
	case *Call:
		return sides("call "+n.Action.Name, in(n.In), n.Nodes, nil)
	}
	return "jump"
}

func dumpWay(w Way) string {
	text := w.Name
	for _, a := range w.Attrs {
		text += " " + a.Name
		if a.Value != "" {
			text += "=" + a.Value
		}
	}
	if w.MoreAttrs {
		text += " ..."
	}
	if w.Scripts {
		text += " scripts"
	}
	for _, c := range w.When {
		text += " " + dumpCond(c)
	}
	if w.Partly {
		text += " partly"
	}
	return text
}

func dumpCond(c Cond) string {
	if c.False {
		return "unless " + c.Text
	}
	return "if " + c.Text
}

// parseText parses a template. It returns the trees by name.
func parseText(text string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	t := parse.New("a.html")
	t.Mode = parse.SkipFuncCheck
	_, err := t.Parse(text, "", "", trees)
	return trees, err
}

// follow returns a callee for Read.
func follow(trees map[string]*parse.Tree) func(*parse.Tree, *parse.TemplateNode) *parse.Tree {
	return func(_ *parse.Tree, n *parse.TemplateNode) *parse.Tree { return trees[n.Name] }
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"text", "a < b &amp; <3", `"a < b &amp; <3"`},
		{"a tag", `<A HREF="/a&amp;b" class=x>b</a >`, `<a href=/a&b> "b" </a>`},
		{"attributes", `<input name=a required/type = 'b' name=c onclick="d" data-x=1>`, `<input name=a type=b onclick data-x scripts>`},
		{"the value of another attribute", `<a class="<b>" href=/a>`, `<a href=/a>`},
		{"attributes with text or without", `<a title=" " alt="{{.A}}" lang=de aria-label="a&nbsp;" placeholder="&#32;">`, `tag{.A} <a title alt=… lang=… aria-label=… placeholder>`},
		{"an end tag with an attribute", `</a title=">">b`, `</a> "b"`},
		{"an attribute in two texts", `<a hr{{/* a */}}ef="/a{{$x := 1}}/b">`, `{$x := 1} <a href=/a/b>`},
		{"an entity is no quote", `<a href="/&quot;a">`, `<a href=/"a>`},
		{"NUL is no hole", "<a href=\"/\x00\x00\">", "<a href=/\ufffd\ufffd>"},

		{"a hole", `a{{.A}}b`, `"a" {.A} "b"`},
		{"a hole in a value", `<a href="/{{.A}}/b">`, `tag{.A} <a href=/{}/b>`},
		{"a hole for a value", `<a href={{.A}} name=b>`, `tag{.A} <a href={} name=b>`},
		{"a hole in a tag", `<a {{.A}} href=b>`, `tag{.A} <a href=b ...>`},
		{"a hole in a name", `<a data-{{.A}}=b>`, `tag{.A} <a ...>`},
		{"a hole in the name of a tag", `<h{{.A}} name=b></h{{.A}}>`, `tag{.A} <h{} name=b> tag{.A} </h{}>`},
		{"a hole for the name of a tag", `<{{.A}} name=b></{{.A}}>`, `tag{.A} <{} name=b> tag{.A} </{}>`},
		{"a hole in a comment", `<!-- {{.A}} --><!doctype {{.B}}>`, `comment{.A} comment{.B}`},
		{"a query", `<a href="/a?{{.A}}/b" href=c>`, `tag{.A} <a href=/a?>`},
		{"a list of URLs", `<img srcset="/a?b 1x, /{{.A}} 2x">`, `tag{.A} <img srcset=/a?b 1x, /{} 2x>`},

		{"a title", `<title>a<b>{{.A}}</b></title>c`, `<title> title"a<b>" title{.A} title"</b>" </title> "c"`},
		{"an end of another element", `<style></stylex></style/>a`, `<style> style"</stylex>" </style> "a"`},
		{"a script", `<script>"<!-- <script>"</script>a`, `<script> script"\"<!-- <script>\"" </script> "a"`},
		{"an empty script", `<SCRIPT></Script>`, `<script> </script>`},
		{"a comment", `a<!-- <b> --!> <b> -->c<!-->d-->e`, `"a" "c" "e"`},
		{"a text behind a comment with a hole", `<!-- {{.A}} -->b`, `comment{.A} "b"`},
		{"a doctype", `<!DOCTYPE html>a`, `"a"`},
		{"what html/template escapes", `a</ b><? <c>`, `"a</ b><? " <c>`},
		{"a tag that does not end", `a<b name="`, `"a"`},

		{"a branch", `{{if .A}}<b>{{else}}c{{end}}`, `[if .A: <b> else "c"]`},
		{"with", `{{with .A}}{{.}}{{end}}`, `[if .A: {.}]`},
		{"not", `{{if not .A}}b{{end}}{{if (not (not (.A)))}}b{{end}}`, `[unless .A: "b"] [if .A: "b"]`},
		{"an attribute behind a condition", `<a {{if .A}}name=b{{end}}>`, `tag[if .A: ] <a name=b if .A|a unless .A>`},
		{"unless", `<a {{if not .A}}name=b{{end}}>`, `tag[unless .A: ] <a name=b unless .A|a if .A>`},
		{"two values", `<a name="{{if .A}}b{{else}}c{{end}}d">`, `tag[if .A: ] <a name=bd if .A|a name=cd unless .A>`},
		{"attributes of a policy", `<link as=font style="a" hx-vals="js:b" data-hx-sse:connect="/c" hx-vars="d" integrity="e">`, `<link as=font style=a hx-vals=js:b data-hx-sse:connect=/c hx-vars integrity scripts>`},
		{"attributes of no matter", `<a class="{{if .A}}b{{end}}" {{if .B}}checked{{end}}>`, `tag[if .A: ] tag[if .B: ] <a>`},
		{"a condition in a query", `<a href="/a?{{if .A}}b{{end}}">`, `tag[if .A: ] <a href=/a?>`},
		{"an action in one way", `<a {{if .A}}{{.B}}{{end}}>`, `tag[if .A: tag{.B}] <a ... if .A|a unless .A>`},
		{"two conditions", `<a {{if .A}}name=b{{end}} {{if .B}}rel=c{{end}}>`,
			`tag[if .A: ] tag[if .B: ] <a name=b rel=c if .A if .B|a rel=c unless .A if .B|a name=b if .A unless .B|a unless .A unless .B>`},
		{"a condition in another", `<a {{if .A}}{{if .B}}name=b{{end}}{{end}}>`, `tag[if .A: tag[if .B: ]] <a name=b if .B if .A|a partly>`},
		{"a condition in another, of no matter", `<a {{if .A}}{{if .B}}checked{{end}}{{end}}>`, `tag[if .A: tag[if .B: ]] <a>`},
		{"the alternatives of a condition, of no matter", `<a {{if .A}}x{{else if .B}}y{{else}}z{{end}}>`, `tag[if .A:  else tag[if .B: ]] <a>`},
		{"one condition twice", `<a {{if .A}}name=b{{end}} {{if not .A}}rel=c{{end}}>`, `tag[if .A: ] tag[unless .A: ] <a rel=c unless .A|a name=b if .A>`},
		{"another value of the same name", `<a {{if $.A}}name=b{{end}} {{with .B}}{{if .A}}rel=c{{end}}{{end}}>`,
			`tag[if $.A: ] tag[if .B: tag[if .A: ]] <a name=b rel=c if $.A if .A if .B|a rel=c unless $.A if .A if .B|a name=b if $.A partly|a unless $.A partly>`},
		{"two beginnings of a tag", `{{if .A}}<a{{else}}<b{{end}} name=c>d`, `[if .A: ] <a name=c if .A|b name=c unless .A> "d"`},
		{"two ends of a tag", `<a {{if .A}}name=b>c{{else}}>{{end}}d`, `tag[if .A: <a name=b> "c" else <a>] "d"`},
		{"two ends of a tag, after a condition", `<a {{if .B}}rel=c{{end}} {{if .A}}>{{else}}>{{end}}`,
			`tag[if .B: ] tag[if .A: <a rel=c if .B|a unless .B> else <a rel=c if .B|a unless .B>]`},
		{"the next tag has no condition", `<a {{if .A}}name=b{{end}}><i>`, `tag[if .A: ] <a name=b if .A|a unless .A> <i>`},
		{"two end tags", `</{{if .A}}a{{else}}b{{end}}>`, `tag[if .A: ] </{}>`},
		{"contexts that differ", `{{if .A}}<a {{end}}{{.B}}>c`, `[if .A: ] unsure{.B} <a ... if .A> ">c" "c"`},
		{"too many ways", `<a {{if .A}}name=a{{end}} {{if .B}}rel=b{{end}} {{if .C}}type=c{{end}} {{if .D}}id=d{{end}} {{if .E}}as=e{{end}}>f`,
			`tag[if .A: ] tag[if .B: ] tag[if .C: ] tag[if .D: ] tag[if .E: ] <a ...> "f"`},

		{"a loop", `{{range .A}}<b>{{break}}{{else}}c{{end}}`, `[each .A: <b> jump else "c"]`},
		{"a loop that leaves a side", `{{range .A}}{{if .B}}{{break}}<b>{{else}}<script>{{end}}"<a>"</script>{{end}}c`, `[each .A: [if .B: jump else <script>] script"\"<a>\"" </script>] "c"`},
		{"a loop that leaves both sides", `{{range .A}}<b>{{if .B}}{{break}}{{else}}{{continue}}{{end}}<script>{{else}}c{{end}}d`, `[each .A: <b> [if .B: jump else jump] else "c"] "d"`},
		{"a loop that leaves another one", `{{range .A}}<a {{range .B}}rel=c {{else}}name=b>{{continue}}{{end}}>{{end}}`, `[each .A: tag[each .B:  else <a name=b> jump] <a rel=c>]`},
		{"a loop that leaves a tag", `<a {{range .A}}{{if .B}}{{break}}{{end}}name=b {{end}}>`, `tag[each .A: tag[if .B: jump]] <a name=b unless .B partly|a partly>`},
		{"a loop in a tag", `<a {{range .A}}name=b {{end}}>`, `tag[each .A: ] <a name=b partly|a partly>`},
		{"a loop in a tag, with an alternative", `<a {{range .A}}name=b{{else}}rel=c{{end}}>`, `tag[each .A: ] <a name=b partly|a rel=c partly>`},
		{"a loop in a tag, of no matter", `<a {{range .A}}checked {{end}}class="{{range .A}}c{{end}}">`, `tag[each .A: ] tag[each .A: ] <a>`},
		{"a loop in a value", `<a href="/{{range .A}}b{{end}}">`, `tag[each .A: ] <a href=/{}>`},

		{"a call", `{{define "x"}}<b>{{end}}{{template "x"}}`, `[call x: <b>]`},
		{"a call in a tag", `{{define "x"}}name="{{end}}<a {{template "x" .}}b">`, `tag[call x: ] <a name=b>`},
		{"a call of what is not there", `<a href="/{{template "x"}}">`, `tag[call x: ] <a href=/{}>`},
		{"a recursive call", `{{define "x"}}<b>{{template "x"}}{{end}}{{template "x"}}`, `[call x: <b> [call x: ]]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			trees, err := parseText(tt.text)
			is.NoErr(err)
			is.Equal(dump(Read(trees["a.html"], Rules, follow(trees))), tt.want)
		})
	}
}

// TestTables reads a tag for the check of links and for rules.
func TestTables(t *testing.T) {
	is := is.New(t)
	trees, err := parseText(`<a id=a nonce=b {{if .A}}onclick{{end}} {{if .B}}:x{{end}} href=/c {{if .C}}class=d{{end}}>`)
	is.NoErr(err)
	last := func(nodes []Node) string { return dump(nodes[len(nodes)-1:]) }
	is.Equal(last(Read(trees["a.html"], Links, nil)), "<a id=a href=/c scripts partly|a id=a href=/c unless .A unless .B>")
	is.Equal(last(Read(trees["a.html"], Rules, nil)), "<a id=a nonce=b onclick :x href=/c scripts if .A if .B|a id=a nonce=b :x href=/c scripts unless .A if .B|"+
		"a id=a nonce=b onclick href=/c scripts if .A unless .B|a id=a nonce=b href=/c unless .A unless .B>")
}

// TestPage reads what templates cannot write: html/template escapes it, or removes it.
func TestPage(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{"", ""},
		{"a < b <> <3 </", `"a < b <> <3 </"`},
		{"a<", `"a<"`},
		{"a<b", `"a"`},
		{"a</ <b>c<? <b>d<!x <b>e", `"a" "c" "d" "e"`},
		{"<!--><b>--><!---><i>--><!-- --!><u><!-- <p>", `<b> "-->" <i> "-->" <u>`},
		{"<script><!-- <script>a</script> --></script>b", `<script> script"<!-- <script>a</script> -->" </script> "b"`},
		{"<script><!-- a</script>b", `<script> script"<!-- a" </script> "b"`},
		{"<script><!--><script>b</script>", `<script> script"<!--><script>b" </script>`},
		{"<script>a", `<script> script"a"`},
		{"<p title=><b =><i/name=\"x\"/>", `<p title> <b> <i name=x>`},
		{"<\u212a><b\u212a>", "\"<\u212a>\" <b\u212a>"},
	} {
		t.Run(tt.html, func(t *testing.T) {
			is.New(t).Equal(dump(Page(tt.html, Rules)), tt.want)
		})
	}
}

// TestKeys compares the conditions of two branches.
func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"{{if .A}}{{end}}{{if .A}}{{end}}", true},
		{"{{if not .A}}{{end}}{{if (.A)}}{{end}}", true},
		{"{{if $x := .A}}{{end}}{{if .A}}{{end}}", true},
		{"{{if .A}}{{end}}{{if .B}}{{end}}", false},
		{"{{if .A}}{{end}}{{with .B}}{{if .A}}{{end}}{{end}}", false},
		{"{{if $.A}}{{end}}{{with .B}}{{if $.A}}{{end}}{{end}}", true},
		{"{{if .A}}{{end}}{{range .B}}{{if .A}}{{end}}{{end}}", false},
		{"{{if .A}}{{end}}{{template `x` .}}{{define `x`}}{{if .A}}{{end}}{{end}}", true},
		{"{{if .A}}{{end}}{{template `x` .B}}{{define `x`}}{{if .A}}{{end}}{{end}}", false},
		{"{{if $.A}}{{end}}{{template `x` .}}{{define `x`}}{{if $.A}}{{end}}{{end}}", false},
		{"{{$x := 1}}{{if $x}}{{end}}{{if $x}}{{end}}", true},
		{"{{$x := 1}}{{if $x}}{{end}}{{$x = 2}}{{if $x}}{{end}}", false},
		{"{{$x := 1}}{{if $x}}{{end}}{{range .B}}{{if $x}}{{end}}{{$x = 2}}{{end}}", false},
		{"{{$x := 0}}{{with .B}}{{$x := 1}}{{if $x}}{{end}}{{end}}{{if $x}}{{end}}", false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			trees, err := parseText(tt.text)
			is.NoErr(err)
			var keys []Key
			var collect func(nodes []Node)
			collect = func(nodes []Node) {
				for _, n := range nodes {
					switch n := n.(type) {
					case *Branch:
						if n.Cond.Text != ".B" || len(n.Then) == 0 {
							keys = append(keys, n.Cond.Key)
						}
						collect(n.Then)
					case *Loop:
						collect(n.Body)
					case *Call:
						collect(n.Nodes)
					}
				}
			}
			collect(Read(trees["a.html"], Rules, follow(trees)))
			is.Equal(len(keys), 2)
			is.Equal(keys[0] == keys[1], tt.want)
		})
	}
}
