package templates

import (
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

// made returns the views of a tree, for a host that has no routes, public files or users.
func made(files fs.FS) (*Views, error) {
	tree := routetree.Parse(files, nil)
	texts, faults := ReadTexts(tree)
	views, more := NewViews(tree, texts, Host{
		Plans: ComparePlans,
		Route: func(_ any, name string, _ []any) (string, error) {
			return "", fmt.Errorf("no route is called %q", name)
		},
		Asset: func(_ any, name string) (string, error) { return "", fmt.Errorf("no public file is called %q", name) },
		User:  func(any) any { return nil },
	}, nil)
	return views, fault.Join(slices.Concat(tree.Faults, faults, more))
}

func TestTooMuchInOnePiece(t *testing.T) {
	doubling := func(page string) map[string]string { // each partial calls the next one twice
		texts := map[string]string{"a.html": page, "+30.html": "x"}
		for i := range 30 {
			texts[fmt.Sprintf("+%d.html", i)] = fmt.Sprintf(`{{if .}}{{template "+%d"}}{{template "+%[1]d"}}{{end}}`, i+1)
		}
		return texts
	}
	for _, tt := range []struct {
		name  string
		texts map[string]string
		want  string
	}{
		{"in text, where html/template calls them", doubling(`{{template "+0"}}`), ""},
		{"in a title", doubling(`<title>{{template "+0"}}</title>`), `router/a.html: templates that are called within tags, attributes, titles, scripts and styles call others, again and again, to more than 16 MB: call fewer there`},
		{"beside another fault", map[string]string{
			"a.html":    strings.Repeat(`{{template "+big"}}`, 2000) + `<a href=x"y>`,
			"+big.html": strings.Repeat("x", 10_000),
		}, `router/a.html:1: "\"" in unquoted attr: "x\"y"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := ""
			if _, err := made(flowtest.Pages(tt.texts)); err != nil {
				got = err.Error()
			}
			is.Equal(got, tt.want)
		})
	}
}

// A scrap is a part of a page.
type scrap struct {
	kind scrapKind
	text string  // what it says, or the name of the field or the template
	then []scrap // of a branch or a loop
	els  []scrap
}

type scrapKind int

const (
	aText scrapKind = iota
	aValue
	aBranch
	aWith // the dot remains what it is
	aLoop
	aLeave // of a loop
	aCall
)

// A pageMaker makes pages of what bytes say. It writes a page in one piece, and then
// moves scraps of it, whatever they begin or end, to templates.
type pageMaker struct {
	bytes     []byte
	templates map[string]*[]scrap
	recursive bool // a template calls itself
	files     map[string]string
	written   map[string]bool // blocks
	inLayout  bool
	depth     map[string]int // of calls
	calls     int
}

// pick returns a number below n: 0 when there are no more bytes.
func (m *pageMaker) pick(n int) int {
	if len(m.bytes) == 0 {
		return 0
	}
	b := int(m.bytes[0])
	m.bytes = m.bytes[1:]
	return b % n
}

func (m *pageMaker) oneOf(texts ...string) string { return texts[m.pick(len(texts))] }

// scraps are what a page is made of: | parts the scraps of a text, @ stands for a
// value, and #p for more of the kind p.
var scraps = map[byte][]string{
	'h': { // HTML
		"x", "@", "<p>|#h|</p>", "<p title=\"|#p|\">", "<a href=\"|#u|\">|#h|</a>", "<a href='|#u|'>", "<a href=|#u|>",
		"<script>|#j|</script>", "<style>|#c|</style>", "<title>|#p|</title>", "<textarea>|#p|</textarea>", "<!-- |#p| -->",
		"<button onclick=\"|#j|\">", "<button onclick='|#j|'>", "<p style=\"|#c|\">", "<p title=|@|>", "<img srcset=\"|#s|\">",
		"<meta content=\"|#m|\">", "<p |@|>", "<p |@|=\"|#p|\">", "<script type=\"|text/template|\">|#h|</script>", "a < b", "<br/>",
		"<iframe srcdoc=\"|#p|\">", "<p data-x='|#p|' |class=\"|#p|\">", "&lt;|<svg><title>|#p|</title></svg>",
	},
	'p': {"x", "@", "a |@| b", "&quot;", " ", "@|#p"},
	'u': {"@", "/|@", "/x?q=|@", "#|@", "https://e.org/|@", "@|?a=|@|&b=|@", "/|#u"},
	'j': {
		"1;", "a = |@|;", "f(|#j|);", "s = '|#q|';", "`|#p|${ |#j| }|#q|`", "r = /|#q|/;", "a / |@|;", "// |#q|\n", "/* |#q| */", "@",
		"{ |#j| }", "return /|x|/;", "x = |@| / 2 / |@|;", "[|@|, |@|];", "if (a) { |#j| }", "a++ / |@|;", "#j|#j",
	},
	'q': {"x", "@", " ", "\\n", "@|#q"},
	'c': {"p { color: |@| }", "a: |@|;", "b { background: url(|#u|) }", "c: url('|#u|');", "/* |#p| */", "d: '|#u|';", "#c|#c"},
	's': {"@", "/a 1x, |@| 2x", "@|, |#s"},
	'm': {"x", "@", "0;url=|#u", "1; URL = |@|; |@"},
}

// strays are put anywhere.
var strays = []string{
	"\"", "'", ">", " ", "<", "</", "=", "`", "/", "*/", "-->", "<!--", "<!", "\n", "</script>", "<script>", "ipt>", "<scr", "</scr", "onc", "lick=\"",
	"${ ", "}", "\">", "'>", "\");", "/*", "//", "<p ", "href=", "<a href=", "</style>", "</title>", "<title>", "url(", ")", "&quo", "t;", "\\", "x", "#", "?",
}

// write returns scraps of a kind.
func (m *pageMaker) write(kind byte, depth int) []scrap {
	var list []scrap
	for range 1 + m.pick(3) {
		texts := scraps[kind]
		if depth == 0 {
			texts = texts[:2]
		}
		for part := range strings.SplitSeq(m.oneOf(texts...), "|") {
			switch {
			case part == "@":
				list = append(list, scrap{kind: aValue, text: m.oneOf("A", "B", "C")})
			case len(part) < 2 || part[0] != '#':
				list = append(list, m.cut(part)...)
			case depth > 0:
				list = append(list, m.nest(part[1], depth-1)...)
			}
		}
	}
	return list
}

// cut sometimes cuts a text in the middle of a word.
func (m *pageMaker) cut(text string) []scrap {
	if len(text) < 2 || m.pick(12) != 1 {
		return []scrap{{text: text}}
	}
	i := 1 + m.pick(len(text)-1)
	if text[i-1] == '{' { // it may come before {{
		i++
	}
	return []scrap{{text: text[:i]}, {text: text[i:]}}
}

// nest returns scraps of a kind, sometimes in a branch or a loop.
func (m *pageMaker) nest(kind byte, depth int) []scrap {
	switch m.pick(9) {
	case 1:
		return []scrap{{kind: aBranch, text: m.oneOf("T", "F"), then: m.write(kind, depth), els: m.write(kind, depth)}}
	case 2:
		loop := scrap{kind: aLoop, then: m.write(kind, depth)}
		if m.pick(3) == 1 {
			loop.els = m.write(kind, depth)
		}
		if m.pick(4) == 1 {
			leave := scrap{kind: aBranch, text: "T", then: []scrap{{kind: aLeave, text: m.oneOf("break", "continue")}}}
			loop.then = slices.Insert(loop.then, m.pick(len(loop.then)+1), leave)
		}
		return []scrap{loop}
	case 3:
		return []scrap{{kind: aWith, then: m.write(kind, depth), els: m.write(kind, depth)}}
	}
	return m.write(kind, depth)
}

// nested returns a list and all lists in it.
func nested(list *[]scrap) []*[]scrap {
	all := []*[]scrap{list}
	for i := range *list {
		s := &(*list)[i]
		if len(s.then) > 0 {
			all = append(all, nested(&s.then)...)
		}
		if len(s.els) > 0 {
			all = append(all, nested(&s.els)...)
		}
	}
	return all
}

// leaves reports whether scraps leave a loop that is not theirs.
func leaves(list []scrap) bool {
	return slices.ContainsFunc(list, func(s scrap) bool {
		return s.kind == aLeave || s.kind != aLoop && leaves(s.then) || leaves(s.els)
	})
}

func same(a, b []scrap) bool {
	return slices.EqualFunc(a, b, func(a, b scrap) bool {
		return a.kind == b.kind && a.text == b.text && same(a.then, b.then) && same(a.els, b.els)
	})
}

// move moves some scraps of one of the lists to a template, and calls it in most
// places where the same scraps are.
func (m *pageMaker) move(name string, all []*[]scrap) {
	list := all[m.pick(len(all))]
	from := m.pick(len(*list) + 1)
	body := slices.Clone((*list)[from : from+m.pick(min(3, len(*list)-from)+1)])
	if leaves(body) {
		return
	}
	call := scrap{kind: aCall, text: name}
	*list = slices.Replace(*list, from, from+len(body), call)
	m.templates[name] = &body
	switch {
	case len(body) == 0:
		return
	case !strings.HasPrefix(name, slot) && m.pick(6) == 1:
		m.recursive = true
		loop := scrap{kind: aLoop, then: []scrap{call}}
		if m.pick(2) == 1 {
			loop.then = slices.Insert(loop.then, m.pick(2), scrap{text: m.oneOf(" ", "x", ", ", "<br>")})
		}
		body = slices.Insert(body, m.pick(len(body)+1), loop)
		return
	}
	for _, list := range all {
		for i := 0; i+len(body) <= len(*list); i++ {
			if same((*list)[i:i+len(body)], body) && m.pick(4) > 0 {
				*list = slices.Replace(*list, i, i+len(body), call)
			}
		}
	}
}

// A testPage is a page of templates, and what should be the same.
type testPage struct {
	files     map[string]string
	whole     string            // the page in one piece
	parts     map[string]string // templates that can be asked for, in one piece
	recursive bool
}

// makePage returns a page, or false if it is too long.
func makePage(bytes []byte) (p testPage, ok bool) {
	m := &pageMaker{bytes: bytes, templates: map[string]*[]scrap{}, files: map[string]string{}, written: map[string]bool{}, depth: map[string]int{}}
	page := m.write('h', 4)
	for range m.pick(3) {
		all := nested(&page)
		list := all[m.pick(len(all))]
		*list = slices.Insert(*list, m.pick(len(*list)+1), scrap{text: m.oneOf(strays...)})
	}
	for i := range m.pick(6) { // partials, defines, blocks, and blocks that the page fills
		all := nested(&page)
		for _, name := range slices.Sorted(maps.Keys(m.templates)) {
			all = append(all, nested(m.templates[name])...)
		}
		m.move(m.oneOf("+p", "d", "b", "f")+string(rune('0'+i)), all)
	}
	root := &page
	for _, dir := range []string{"", "x/"} {
		if m.pick(3) == 0 {
			continue
		}
		name := slot + dir
		m.move(name, nested(root))
		inner := m.templates[name]
		if inner == nil {
			continue
		}
		if m.pick(4) == 1 {
			m.move("b"+dir, nested(root))
		}
		m.inLayout = true
		m.files[dir+"+layout.html"] = m.template(*root)
		m.inLayout = false
		root = inner
	}
	text, parts := m.template(*root), map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(m.templates)) {
		body := *m.templates[name]
		if strings.HasPrefix(name, slot) {
			continue
		}
		parts[name] = m.onePiece(body)
		switch name[0] {
		case '+':
			m.files[name+".html"] = m.template(body)
		case 'd', 'f':
			define := fmt.Sprintf("{{define %q}}%s{{end}}", name, m.template(body))
			if m.pick(2) == 1 {
				text += define
			} else {
				text = define + text
			}
		}
	}
	m.files["x/page.html"] = text
	return testPage{m.files, m.onePiece(page), parts, m.recursive}, m.calls < 500
}

// onePiece writes scraps with what is called in the place of the calls.
func (m *pageMaker) onePiece(list []scrap) string {
	return m.join(list, func(name string) string {
		m.calls++
		if m.depth[name] == 3 || m.calls > 500 { // the data is not as deep
			return ""
		}
		m.depth[name]++
		defer func() { m.depth[name]-- }()
		return m.onePiece(*m.templates[name])
	})
}

// template writes scraps for a file.
func (m *pageMaker) template(list []scrap) string {
	return m.join(list, func(name string) string {
		switch {
		case strings.HasPrefix(name, slot):
			name = slot
		case m.written[name]:
		case name[0] == 'b':
			m.written[name] = true
			return fmt.Sprintf("{{block %q .}}%s{{end}}", name, m.template(*m.templates[name]))
		case name[0] == 'f' && m.inLayout:
			m.written[name] = true
			return fmt.Sprintf("{{block %q .}}<script>{{.A}}{{end}}", name)
		}
		return fmt.Sprintf("{{template %q .}}", name)
	})
}

func (m *pageMaker) join(list []scrap, call func(name string) string) string {
	var b strings.Builder
	for _, s := range list {
		if s.kind == aCall {
			b.WriteString(call(s.text))
			continue
		}
		then, els := m.join(s.then, call), ""
		if s.els != nil {
			els = "{{else}}" + m.join(s.els, call)
		}
		switch s.kind {
		case aText:
			b.WriteString(s.text)
		case aValue:
			b.WriteString("{{." + s.text + "}}")
		case aBranch:
			b.WriteString("{{if ." + s.text + "}}" + then + els + "{{end}}")
		case aWith:
			b.WriteString("{{with .}}" + then + els + "{{end}}")
		case aLoop:
			b.WriteString("{{range .L}}" + then + els + "{{end}}")
		case aLeave:
			b.WriteString("{{" + s.text + "}}")
		}
	}
	return b.String()
}

// A row is the data of a page, and of each turn of a loop.
type row struct {
	A, B, C string
	T, F    bool
	L       []row
}

// hostile is what visitors write.
var hostile = []string{
	"1);alert(1)", `"><script>alert(1)</script>`, "javascript:alert(1)", "*/alert(1)/*", "</script><script>alert(1)//", "`+alert(1)+`", "${alert(1)}",
	"' onfocus='alert(1)", "-->", "</title><img src=x onerror=alert(1)>", "\\", "\\\";alert(1)//", "/x y,z", "expression(alert(1))", "\n alert(1)", "{{.}}", "onclick",
}

// hostileData returns data as deep as pages look.
func hostileData(seed []byte) row {
	i := len(seed)
	next := func(t bool, l ...row) row {
		i += 3
		return row{hostile[i%len(hostile)], hostile[(i+1)%len(hostile)], hostile[(i+2)%len(hostile)], t, false, l}
	}
	return next(true, next(true, next(false)), next(false))
}

const (
	pageRefused = iota
	pageRefusedWrongly
	pageRendered
)

// comparePieces holds a page of templates against the same page in one piece, and
// so the templates that can be asked for by themselves. What it returns is about
// the page.
func comparePieces(t *testing.T, p testPage, data row) int {
	t.Helper()
	views, err := made(flowtest.Pages(p.files))
	want, wantErr := inOnePiece(p.whole, data)
	switch {
	case err == nil && wantErr != nil:
		t.Errorf("%q\nis %s\nof which html/template says %v", p.files, p.whole, wantErr)
	case err != nil && wantErr == nil:
		if !p.recursive {
			t.Errorf("%q\nis %s\nCheck says %v", p.files, p.whole, err)
		}
		return pageRefusedWrongly
	case err != nil:
		return pageRefused
	}
	if got, err := render(views, views.byName["x/page"], "", data); err != nil || got != want {
		t.Errorf("%q\nis  %s\ngot  %s, %v\nwant %s", p.files, p.whole, got, err, want)
	}
	for name, text := range p.parts {
		want, wantErr := inOnePiece(text, data)
		v, block := views.byName["x/page"], name
		if name[0] == '+' || strings.Contains(name, "/+") {
			v, block = views.byName[name], ""
		}
		if got, err := render(views, v, block, data); err == nil && (wantErr != nil || got != want) {
			t.Errorf("%q\n%s is %s\ngot  %s\nwant %s, %v", p.files, name, text, got, want, wantErr)
		}
	}
	return pageRendered
}

// render returns a view as a string.
func render(views *Views, v *View, block string, data any) (string, error) {
	page, err := views.Render(v, nil, block, data)
	if err != nil {
		return "", err
	}
	defer page.Free()
	return string(page.HTML()), nil
}

// inOnePiece returns what html/template makes of a text.
func inOnePiece(text string, data any) (string, error) {
	var b strings.Builder
	err := template.Must(template.New("").Parse(text)).Execute(&b, data)
	return b.String(), err
}

// byItself reports whether html/template, which is given a page as it is, gets it
// right, and whether it calls templates elsewhere than in text.
func byItself(t *testing.T, p testPage, data row) (right, elsewhere bool) {
	t.Helper()
	tree := routetree.Parse(flowtest.Pages(p.files), nil)
	texts, _ := ReadTexts(tree)
	l := newLibrary(tree, Host{})
	l.parseAll(texts)
	s, _ := l.assemble(l.files["x/page"], l.layoutsOf("x/page"))
	templates := template.New("")
	for name, tree := range s.trees {
		template.Must(templates.AddParseTree(name, tree.Copy()))
	}
	var got strings.Builder
	err := templates.ExecuteTemplate(&got, s.Outer, data)
	want, _ := inOnePiece(p.whole, data)
	return err == nil && got.String() == want, err != nil || strings.Contains(templates.DefinedTemplates(), "$htmltemplate_")
}

// TestOnePiece makes pages at random. It also tells how good they are: html/template
// by itself must get some of them wrong, or they show nothing.
func TestOnePiece(t *testing.T) {
	n := 3_000
	if race.Enabled {
		n = 300
	}
	random := rand.New(rand.NewPCG(1, 2))
	seed := make([]byte, 400)
	var counts struct{ refused, refusedWrongly, rendered, elsewhere, wrong, recursive int }
	for range n {
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		p, ok := makePage(seed[:50+random.IntN(350)])
		if !ok {
			continue
		}
		data := hostileData(seed[:random.IntN(len(hostile))])
		switch comparePieces(t, p, data) {
		case pageRefused:
			counts.refused++
		case pageRefusedWrongly:
			counts.refusedWrongly++
		case pageRendered:
			counts.rendered++
			right, elsewhere := byItself(t, p, data)
			if !right {
				counts.wrong++
			}
			if elsewhere {
				counts.elsewhere++
			}
			if p.recursive {
				counts.recursive++
			}
		}
	}
	t.Logf("%+v", counts)
	if counts.rendered < n/2 || counts.elsewhere < n/5 || counts.wrong < n/200 || counts.recursive < n/100 || counts.refusedWrongly > n/25 {
		t.Errorf("of %d pages: %+v", n, counts)
	}
}

// FuzzOnePiece makes pages of bytes.
func FuzzOnePiece(f *testing.F) {
	f.Add([]byte("0"))
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		seed := make([]byte, 100)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed []byte) {
		if p, ok := makePage(seed); ok {
			comparePieces(t, p, hostileData(seed))
		}
	})
}
