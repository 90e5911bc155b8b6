package move

import (
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/pages/language"
	"example.com/flow/internal/pages/templates"
)

// A mention is a string in a template that speaks of the tree, as an argument of route or
// asset or as the name of a template; or a call that has no string there.
type mention struct {
	kind         calls.Kind
	name         string // what is called, "route"
	value        string
	literal      bool
	offset, size int // of the string with its quotes, if literal; else of the call
	// sure is false for what may be a method of anything: {{.Route "users"}}.
	sure bool
	keys []key // of the parameters behind the name of a route
}

// A key is the name of a parameter among the arguments of a call.
type key struct {
	value        string
	literal      bool
	offset, size int
}

// An entry is a pair of dict, whose key is a string. The value is literal if it is one.
type entry struct{ key, value key }

// A source is what is known of the text of a template.
type source struct {
	mentions []mention
	handed   []key    // strings that functions of the application are given
	entries  []entry  // of dict
	names    []string // keys whose values route is given, "to" of {{route .to}}; "" for any others
	plain    string   // see apart
	actions  string
}

// readTemplate finds the mentions in a template. What cannot be parsed has none, and is an
// error.
func readTemplate(text string) (source, error) {
	body := strings.TrimPrefix(text, "\ufeff")
	r := &templateReader{text: text, skipped: len(text) - len(body)}
	plain, actions := apart(text)
	trees := map[string]*parse.Tree{}
	t := parse.New("template")
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(body, "", "", trees); err != nil {
		return source{plain: plain, actions: actions}, err
	}
	for _, t := range trees {
		language.EachNode(t.Root, r.visit)
	}
	return source{r.mentions, r.handed, r.entries, r.names, plain, actions}, nil
}

// apart takes a template apart. Both parts are as long as the template: plain is the text,
// with a hole in place of each action, since a URL goes on behind one; actions is what
// stands between the braces, comments included, with spaces in place of the text.
func apart(text string) (plain, actions string) {
	var outside, inside strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{{")
		outside.WriteString(before)
		inside.WriteString(strings.Repeat(" ", len(before)))
		if !ok {
			return outside.String(), inside.String()
		}
		size := actionSize(rest)
		outside.WriteString(strings.Repeat(string(hole), len("{{")+size))
		// The marks of a comment are no paths, and a hole is none of an action.
		inside.WriteString("  " + strings.NewReplacer("/*", "  ", "*/", "  ", string(hole), " ").Replace(rest[:size]))
		text = rest[size:]
	}
}

// actionSize returns how long an action is from behind its opening braces, with the
// closing ones. Braces in its strings and comments do not close it.
func actionSize(text string) int {
	inside := strings.TrimLeft(strings.TrimPrefix(text, "-"), " \t\r\n")
	if strings.HasPrefix(inside, "/*") {
		if _, after, ok := strings.Cut(inside, "*/"); ok {
			if i := strings.Index(after, "}}"); i >= 0 {
				return len(text) - len(after) + i + len("}}")
			}
		}
		return len(text)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "}}"):
			return i + len("}}")
		case c == '"' || c == '`' || c == '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
		}
	}
	return len(text)
}

// A templateReader collects mentions.
type templateReader struct {
	text     string
	skipped  int // bytes before what is parsed
	mentions []mention
	handed   []key
	entries  []entry
	names    []string
}

// visit looks at one node.
func (r *templateReader) visit(n parse.Node) {
	switch n := n.(type) {
	case *parse.TemplateNode:
		m := mention{kind: calls.Template, name: "template", value: n.Name, sure: true}
		m.offset, m.size, m.literal = r.quoted(n.Pos, n.Name)
		r.mentions = append(r.mentions, m)
	case *parse.CommandNode:
		if m, ok := r.command(n); ok {
			r.mentions = append(r.mentions, m)
		}
	}
}

// command returns the mention of a call such as {{route "users"}}.
func (r *templateReader) command(n *parse.CommandNode) (mention, bool) {
	m := mention{offset: r.skipped + int(n.Pos)}
	switch fn := n.Args[0].(type) {
	case *parse.IdentifierNode:
		m.name, m.sure = fn.Ident, true
		switch fn.Ident {
		case "route":
			m.kind = calls.RouteName
		case "asset":
			m.kind = calls.Asset
		default:
			r.hand(fn.Ident, n.Args[1:])
			return m, false
		}
	case *parse.ChainNode: // request.Param
		id, ok := fn.Node.(*parse.IdentifierNode)
		m.name, m.sure = fn.Field[len(fn.Field)-1], ok && id.Ident == "request" && len(fn.Field) == 1
	case *parse.FieldNode:
		m.name = fn.Ident[len(fn.Ident)-1]
	case *parse.VariableNode:
		m.name = fn.Ident[len(fn.Ident)-1]
	default:
		return m, false
	}
	if m.kind == 0 {
		m.kind = map[string]calls.Kind{"Route": calls.RouteName, "Asset": calls.Asset, "Param": calls.Param, "PathValue": calls.Param, "Segments": calls.Segments}[m.name]
	}
	if m.kind == 0 {
		return m, false
	}
	if m.kind == calls.RouteName {
		r.names = append(r.names, keyOf(n.Args[1:])...)
	}
	if len(n.Args) == 1 {
		return m, m.sure && m.kind != calls.Param && m.kind != calls.Segments // it is piped in
	}
	first, ok := n.Args[1].(*parse.StringNode)
	if !ok {
		return m, m.sure
	}
	m.value = first.Text
	m.offset, m.size, m.literal = r.quoted(first.Pos, first.Text)
	for i := 2; i < len(n.Args) && m.kind == calls.RouteName; i += 2 {
		k, ok := r.string(n.Args[i])
		if !ok {
			k.offset = r.skipped + int(n.Args[i].Position())
		}
		m.keys = append(m.keys, k)
	}
	return m, true
}

// keyOf returns the key of dict whose value the first of some arguments is, as far as is seen,
// "" if it may be any, and nothing if it is a string.
func keyOf(args []parse.Node) []string {
	if len(args) == 0 { // it is piped in
		return []string{""}
	}
	switch arg := args[0].(type) {
	case *parse.StringNode:
		return nil
	case *parse.FieldNode:
		return arg.Ident[len(arg.Ident)-1:]
	case *parse.VariableNode:
		if len(arg.Ident) > 1 { // $.to
			return arg.Ident[len(arg.Ident)-1:]
		}
	}
	return []string{""}
}

// hand collects the strings that a function of the application is given, and those of dict,
// which a partial may give to route.
func (r *templateReader) hand(function string, args []parse.Node) {
	if function == "dict" {
		for i := 0; i+1 < len(args); i += 2 {
			if k, ok := r.string(args[i]); ok {
				v, _ := r.string(args[i+1])
				r.entries = append(r.entries, entry{k, v})
			}
		}
	}
	if _, builtIn := language.Builtin(function); builtIn || templates.IsOwn(function) {
		return
	}
	for _, arg := range args {
		if k, ok := r.string(arg); ok {
			r.handed = append(r.handed, k)
		}
	}
}

// string returns where a string stands, if an argument is one.
func (r *templateReader) string(arg parse.Node) (k key, ok bool) {
	s, ok := arg.(*parse.StringNode)
	if ok {
		k.value = s.Text
		k.offset, k.size, k.literal = r.quoted(s.Pos, s.Text)
	}
	return k, ok
}

// quoted returns where a string stands that the parser has found, and whether it does.
func (r *templateReader) quoted(pos parse.Pos, value string) (offset, size int, ok bool) {
	offset = r.skipped + int(pos)
	literal, err := strconv.QuotedPrefix(r.text[min(offset, len(r.text)):])
	if err != nil {
		return offset, 0, false
	}
	text, err := strconv.Unquote(literal)
	return offset, len(literal), err == nil && text == value
}
