package move

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/pattern"
)

// A templateText is what is known of the text of a template.
type templateText struct {
	text       string
	references []reference
	handed     []argument   // strings that functions of the application are given
	entries    []dictEntry  // of dict
	routeKeys  []string     // keys whose values route is given, "to" of {{route .to}}; "" for any others
	understood map[int]bool // offsets of strings whose meaning is known
	plain      []byte       // the text, with a hole in place of each action, since a URL goes on behind one
	passages   []passage    // the strings and comments in actions; whole actions if they cannot be parsed
	links      []links.Link // that browsers follow
}

// A dictEntry is a pair of dict, whose key is a string.
type dictEntry struct {
	key   string
	value argument
}

// A passage is a part of the text of a template.
type passage struct {
	offset int
	text   string
}

// readTemplate finds the references in a template. What cannot be parsed has none, and is an
// error.
func readTemplate(text string) (*templateText, error) {
	s := &templateText{text: text, understood: map[int]bool{}}
	trees := map[string]*parse.Tree{}
	t := parse.New("template")
	t.Mode = parse.SkipFuncCheck | parse.ParseComments
	if _, err := t.Parse(strings.TrimPrefix(text, bom), "", "", trees); err != nil {
		s.plain = []byte(text)
		for _, at := range perhapsActions.FindAllStringIndex(text, -1) {
			s.passages = append(s.passages, passage{at[0], text[at[0]:at[1]]})
			copy(s.plain[at[0]:], strings.Repeat(pattern.Hole, at[1]-at[0]))
		}
		return s, err
	}
	s.plain = bytes.Repeat([]byte(pattern.Hole), len(text))
	for _, t := range trees {
		language.EachNode(t.Root, s.visit)
	}
	s.links = links.Scan(slices.Collect(maps.Values(trees)), nil).Links
	return s, nil
}

const bom = "\ufeff"

// perhapsActions match the actions of a template that cannot be parsed, if none has braces in a string.
var perhapsActions = regexp.MustCompile(`(?s){{.*?(?:}}|$)`)

// visit looks at one node.
func (s *templateText) visit(n parse.Node) {
	switch n := n.(type) {
	case *parse.TextNode: // with the white space around it that actions trim, so that no URL goes on behind it
		start := s.offset(n.Pos)
		end := len(s.text) - len(strings.TrimLeft(s.text[start+len(n.Text):], " \t\r\n"))
		start = len(strings.TrimRight(s.text[:start], " \t\r\n"))
		copy(s.plain[start:end], s.text[start:])
	case *parse.StringNode:
		s.passages = append(s.passages, passage{s.offset(n.Pos), n.Quoted})
	case *parse.CommentNode:
		s.passages = append(s.passages, passage{s.offset(n.Pos), n.Text})
	case *parse.TemplateNode:
		s.add(reference{kind: calls.Template, name: "template", argument: s.quoted(n.Pos, n.Name), sure: true})
	case *parse.CommandNode:
		s.command(n)
	}
}

// add adds a reference.
func (s *templateText) add(ref reference) {
	ref.template = true
	ref.what = fmt.Sprintf("{{%s …}}", ref.name)
	if ref.known {
		ref.what = fmt.Sprintf("{{%s %q}}", ref.name, ref.value)
		s.understood[ref.offset] = true
	}
	s.references = append(s.references, ref)
}

// The functions of templates that speak of the tree, and the methods of Request that do.
var (
	treeFuncs   = map[string]calls.Kind{"route": calls.RouteName, "asset": calls.Asset, "page": calls.Page, "pages": calls.List}
	treeMethods = map[string]calls.Kind{"Route": calls.RouteName, "Asset": calls.Asset, "Param": calls.Param, "PathValue": calls.Param, "Segments": calls.Segments}
)

// command looks at a call such as {{route "users"}}.
func (s *templateText) command(n *parse.CommandNode) {
	ref, kinds, args := reference{argument: s.at(n)}, treeMethods, n.Args[1:]
	switch fn := n.Args[0].(type) {
	case *parse.IdentifierNode:
		ref.name, ref.sure, kinds = fn.Ident, true, treeFuncs
		s.hand(fn.Ident, args)
	case *parse.ChainNode: // request.Param
		id, ok := fn.Node.(*parse.IdentifierNode)
		ref.name, ref.sure = fn.Field[len(fn.Field)-1], ok && id.Ident == "request" && len(fn.Field) == 1
	case *parse.FieldNode:
		ref.name = fn.Ident[len(fn.Ident)-1]
	case *parse.VariableNode:
		ref.name = fn.Ident[len(fn.Ident)-1]
	}
	if ref.kind = kinds[ref.name]; ref.kind == 0 || ref.kind == calls.Page && len(args) == 0 {
		return
	}
	if ref.kind == calls.RouteName {
		s.routeKeys = append(s.routeKeys, keyOf(args)...)
	}
	if len(args) > 0 {
		if t := s.look(args[0]); t.known {
			ref.argument = t
		}
	}
	for i := 1; i < len(args) && ref.known && ref.kind == calls.RouteName; i += 2 {
		ref.keys = append(ref.keys, s.key(args[i]))
	}
	if ref.sure || ref.known {
		s.add(ref)
	}
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
func (s *templateText) hand(function string, args []parse.Node) {
	if function == "dict" {
		for i := 0; i+1 < len(args); i += 2 {
			if key := s.key(args[i]); key.known {
				s.entries = append(s.entries, dictEntry{key.value, s.look(args[i+1])})
			}
		}
	}
	if _, builtIn := language.Builtin(function); builtIn || templates.IsOwn(function) || treeFuncs[function] != 0 {
		return
	}
	for _, arg := range args {
		if t := s.look(arg); t.known {
			s.handed = append(s.handed, t)
		}
	}
}

// key is look for a string whose meaning is known.
func (s *templateText) key(arg parse.Node) argument {
	t := s.look(arg)
	if t.known {
		s.understood[t.offset] = true
	}
	return t
}

// look returns what is known of an argument.
func (s *templateText) look(arg parse.Node) argument {
	if str, ok := arg.(*parse.StringNode); ok {
		return s.quoted(str.Pos, str.Text)
	}
	return s.at(arg)
}

// at returns an unknown text.
func (s *templateText) at(n parse.Node) argument {
	offset := s.offset(n.Position())
	return argument{offset: offset, line: lineAt(s.text, offset)}
}

// quoted returns a string that the parser has found.
func (s *templateText) quoted(pos parse.Pos, value string) argument {
	t := argument{value: value, offset: s.offset(pos)}
	t.line = lineAt(s.text, t.offset)
	literal, err := strconv.QuotedPrefix(s.text[min(t.offset, len(s.text)):])
	if written, _ := strconv.Unquote(literal); err == nil && written == value {
		t.known, t.size = true, len(literal)
	}
	return t
}

// offset returns the offset in the text of what the parser has found.
func (s *templateText) offset(pos parse.Pos) int {
	return len(s.text) - len(strings.TrimPrefix(s.text, bom)) + int(pos)
}
