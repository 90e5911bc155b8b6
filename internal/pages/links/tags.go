package links

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/routes/pattern"
)

// An urlAttr is an attribute that holds a URL which a browser asks for with GET, or with POST
// for a ping.
type urlAttr struct {
	name  string
	of    string // the elements, each between spaces
	loads bool   // what it asks for is part of the page, and no page itself
}

// urlAttrs are the attributes with URLs, other than those of forms and of htmx.
var urlAttrs = []urlAttr{
	{"href", " a area ", false},
	{"href", " link ", false},
	{"href", " use image ", true},
	{"xlink:href", " a ", false},
	{"xlink:href", " use image ", true},
	{"src", " img script source track audio video input ", true},
	{"src", " iframe embed ", false},
	{"srcset", " img source ", true},
	{"imagesrcset", " link ", true},
	{"poster", " video ", true},
	{"data", " object ", false},
	{"background", " body table thead tbody tfoot tr td th ", true},
	{"cite", " blockquote q ins del ", false},
	{"ping", " a area ", false},
}

// htmx are the attributes of htmx that send requests, with their methods.
var htmx = map[string]string{"hx-get": "GET", "hx-post": "POST", "hx-put": "PUT", "hx-patch": "PATCH", "hx-delete": "DELETE"}

// connects are the attributes of htmx's extensions that open a connection, which begins with GET.
var connects = []string{"sse-connect", "ws-connect"}

// otherAttrs are the attributes that matter and hold no URL.
var otherAttrs = []string{"method", "formmethod", "enctype", "formenctype", "hx-encoding", "rel", "form", "name", "id", "type", "value", "multiple", "http-equiv", "content", "required", "minlength", "maxlength", "min", "max"}

// attrs has the attributes that matter to a scanner, and whether they hold a URL or a list of
// URLs.
var attrs = func() map[string]bool {
	all := map[string]bool{"action": true, "formaction": true}
	for _, a := range urlAttrs {
		all[a.name] = true
	}
	for _, name := range slices.AppendSeq(slices.Clone(connects), maps.Keys(htmx)) {
		all[name], all["data-"+name] = true, true
	}
	for _, name := range otherAttrs {
		all[name] = false
	}
	return all
}()

// isURL reports whether an attribute of some element holds a URL, or a list of them.
func isURL(name string) bool { return attrs[name] }

// isList reports whether an attribute holds a list of URLs.
func isList(name string) bool { return name == "ping" || strings.HasSuffix(name, "srcset") }

// endOfTag notes the links of a tag, and returns the state behind it.
func (sc *scanner) endOfTag(s state) state {
	after := state{form: s.form}
	if s.element == "form" {
		after.form = nil
	}
	if slices.Contains(rawElements, s.element) {
		after.context, after.element = rawText, s.element
	}
	if s.unknown && strings.Contains(s.element, pattern.Hole) { // nothing is known of the tag: see merge
		return after
	}
	if s.element == "base" {
		href, ok := s.get("href")
		sc.file.moved = sc.file.moved || s.unknown || ok && !isPath(href.value)
	}
	rel, _ := s.get("rel")
	if external := strings.Contains(rel.value, pattern.Hole) || slices.ContainsFunc(strings.Fields(rel.value), func(r string) bool { return strings.EqualFold(r, "external") }); external {
		return after
	}
	if s.element == "form" {
		after.form = sc.form(s)
	}
	for _, a := range s.attrs {
		for _, u := range urlAttrs {
			if u.name == a.name && strings.Contains(u.of, " "+s.element+" ") {
				method := http.MethodGet
				if a.name == "ping" {
					method = http.MethodPost
				}
				sc.links(s, a, method, u.loads || s.element == "link" && loads(rel.value))
			}
		}
		name := strings.TrimPrefix(a.name, "data-")
		if method := htmx[name]; method != "" {
			sc.links(s, a, method, false)
		} else if slices.Contains(connects, name) {
			sc.links(s, a, http.MethodGet, false)
		}
	}
	switch s.element {
	case "meta":
		content, _ := s.get("content")
		if equiv, _ := s.get("http-equiv"); strings.EqualFold(strings.Trim(equiv.value, space), "refresh") {
			if m := refresh.FindStringSubmatch(content.value); m != nil {
				sc.link(s, content, m[1], Link{Method: http.MethodGet})
			}
		}
	case "form":
		if action, ok := s.get("action"); ok && after.form != dialog {
			sc.link(s, action, action.value, Link{form: after.form})
		}
	case "button", "input", "select", "textarea":
		sc.field(s)
	}
	return after
}

// refresh matches the content of <meta http-equiv="refresh">, such as "5; url=/next".
var refresh = regexp.MustCompile(`(?is)^[^;,]*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)`)

// loads reports whether a <link> with this rel makes something a part of the page.
func loads(rel string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(rel)), func(r string) bool {
		return r == "stylesheet" || r == "icon" || r == "modulepreload" || r == "manifest"
	})
}

// isPath reports whether a URL is the path of one on the same server.
func isPath(url string) bool {
	return strings.HasPrefix(url, "/") && !strings.HasPrefix(url, "//") && !strings.HasPrefix(url, `/\`)
}

// urlsOf returns the URLs in the list of a srcset, such as "/a.png 1x, /b.png 2x". A URL may
// contain commas.
func urlsOf(list string) (urls []string) {
	for {
		list = strings.TrimLeft(list, space+",")
		if list == "" {
			return urls
		}
		i := indexAny(list, space)
		url := strings.TrimRight(list[:i], ",")
		if urls = append(urls, url); url == list[:i] {
			i += indexAny(list[i:], ",")
		}
		list = list[i:]
	}
}

// links notes the URLs of an attribute.
func (sc *scanner) links(s state, a attr, method string, loads bool) {
	urls := []string{a.value}
	switch {
	case a.name == "ping":
		urls = strings.Fields(a.value)
	case isList(a.name):
		urls = urlsOf(a.value)
	}
	for _, url := range urls {
		sc.link(s, a, url, Link{Method: method, Loads: loads})
	}
}

// newlines removes what browsers remove from a URL.
var newlines = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// splitEscape matches an escape of which an action writes a part.
var splitEscape = regexp.MustCompile("%[0-9A-Fa-f]?" + pattern.Hole)

// link notes a URL of an attribute as l, if it is the path of one on the same server. To
// browsers a backslash is a slash. Braces and the like are for a program in the browser, which
// writes the URL.
func (sc *scanner) link(s state, a attr, url string, l Link) {
	if url = strings.Trim(url, space); strings.ContainsAny(url, space) {
		url = newlines.Replace(url)
	}
	if url = strings.ReplaceAll(path(url), `\`, "/"); !isPath(url) || strings.ContainsAny(url, "{}<>`$") || strings.Contains(url, "%") && splitEscape.MatchString(url) {
		return
	}
	l.Offset, l.URL, l.Attr, l.Element, l.in = a.offset, url, a.name, s.element, sc.name
	for i := len(sc.file.Links) - 1; i >= 0 && sc.file.Links[i].Offset == l.Offset; i-- { // of another state
		if sc.file.Links[i] == l {
			return
		}
	}
	sc.file.Links = append(sc.file.Links, l)
}

// dialog stands for a form that closes a dialog, and sends no request.
var dialog = &Form{Method: "DIALOG"}

// form returns the form that a tag begins.
func (sc *scanner) form(s state) *Form {
	method, ok := s.get("method")
	m := strings.ToUpper(strings.TrimSpace(method.value))
	if m == dialog.Method {
		return dialog
	}
	f := &Form{Offset: s.offset, Method: m, Multipart: s.unknown, in: sc.name, ranges: sc.ranges}
	switch {
	case s.unknown || ok && m != http.MethodPost && m != http.MethodGet: // another value may be for a script
		f.Method = ""
	case !ok:
		f.Method = http.MethodGet
	}
	action, _ := s.get("action")
	f.own = strings.TrimSpace(action.value) == "" && !s.unknown && !s.scripts
	f.URL = action.value
	for _, name := range []string{"enctype", "hx-encoding"} {
		if a, ok := s.get(name); ok {
			f.Multipart = f.Multipart || strings.Contains(a.value, pattern.Hole) || strings.EqualFold(a.value, "multipart/form-data")
		}
	}
	f.plain = f.Method
	f.unsaid = !ok && !s.scripts
	if sent, method := s.htmx(); method != "" {
		f.own, f.unsaid = false, false
		if !ok {
			f.plain = ""
		}
		if _, also := s.get("action"); !also {
			f.Method, f.URL = method, sent.value
		}
	}
	return sc.same(f)
}

// htmx returns the attribute by which htmx sends a request for a tag, and the method of the
// request. The method is "" if there is none.
func (s state) htmx() (a attr, method string) {
	for _, a := range s.attrs {
		if method := htmx[strings.TrimPrefix(a.name, "data-")]; method != "" {
			return a, method
		}
	}
	return attr{}, ""
}

// same returns the Form that another state has noted for the same tag, or else f.
func (sc *scanner) same(f *Form) *Form {
	for _, other := range sc.file.Forms {
		if other.Offset == f.Offset && other.Method == f.Method && other.plain == f.plain && other.URL == f.URL && other.own == f.own && other.Multipart == f.Multipart && other.in == f.in {
			return other
		}
	}
	sc.file.Forms = append(sc.file.Forms, f)
	return f
}

// sendsElsewhere reports whether a button may send its form to another URL than that of the
// form, or with another method.
func (s state) sendsElsewhere() bool {
	_, action := s.get("formaction")
	_, method := s.get("formmethod")
	_, htmx := s.htmx()
	return action || method || htmx != "" || s.unknown || s.scripts
}

// field notes a field of a form, and the URL of a button.
func (sc *scanner) field(s state) {
	_, elsewhere := s.get("form")
	kind, _ := s.get("type")
	name, _ := s.get("name")
	f := Field{Offset: name.offset, Name: name.value, Type: strings.ToLower(strings.TrimSpace(kind.value))}
	button := s.element == "button" || f.Type == "submit" || f.Type == "image" || f.Type == "button" || f.Type == "reset"
	form := s.form
	if form != nil && form != dialog && button && !elsewhere && s.sendsElsewhere() {
		form.own = false
	}
	if elsewhere || s.unknown {
		form = nil
	}
	if action, ok := s.get("formaction"); ok {
		method, known := s.get("formmethod")
		m := strings.ToUpper(strings.TrimSpace(method.value))
		switch {
		case known && (m == http.MethodPost || m == http.MethodGet):
			sc.link(s, action, action.value, Link{Method: m})
		case m == dialog.Method, !known && form == dialog:
		case known || form == nil:
			sc.link(s, action, action.value, Link{})
		default:
			sc.link(s, action, action.value, Link{form: form})
		}
	}
	f.Value, f.Lists = sc.sends(s, f)
	isField := f.Name != "" && f.Name != "_charset_" && !button && isKnown(f.Name) && !strings.Contains(f.Type, pattern.Hole)
	switch {
	case form == dialog:
		return
	case form == nil:
		if isField && s.form == nil && !elsewhere && !s.unknown {
			sc.note(nil, f)
		}
		return
	}
	if enctype, ok := s.get("formenctype"); ok && !strings.EqualFold(enctype.value, "text/plain") {
		form.Multipart = true
	}
	switch {
	case f.Name == methodField:
		form.Method, form.plain = "", ""
	case f.Name == "" && !button:
		sc.unnamed(s, form, f)
	case isField:
		sc.note(form, f)
		sc.limits(s, form, f)
	}
}

// sends returns the value that an input element sends if nothing is typed, or "" if that is not known,
// and whether it, or another one of the name, may send several.
func (sc *scanner) sends(s state, f Field) (value string, lists bool) {
	a, written := s.get("value")
	switch isBox := f.Type == "checkbox" || f.Type == "radio"; {
	case s.element != "input" || s.scripts || f.Type == "file":
	case strings.Contains(a.value, pattern.Hole):
		isRow := strings.Contains(f.Name, pattern.Hole)
		return "", f.Type == "checkbox" && !isRow && s.form != nil && sc.ranges > s.form.ranges
	case isBox && !written && !sc.several:
		return "on", false
	default:
		return a.value, false
	}
	_, lists = s.get("multiple")
	return "", lists && (s.element == "select" || f.Type == "file")
}

// unnamed notes an input element without a name, of which nothing is sent.
func (sc *scanner) unnamed(s state, form *Form, f Field) {
	_, named := s.get("name")
	id, ok := s.get("id")
	if f.Offset, f.Name = id.offset, id.value; ok && !named && !s.scripts && !slices.Contains(form.unnamed, f) {
		form.unnamed = append(form.unnamed, f)
	}
}

// limits notes the attributes that limit a field, if they are always there and no action writes them.
func (sc *scanner) limits(s state, form *Form, f Field) {
	if sc.within > 0 || sc.several {
		return
	}
	for _, a := range s.attrs {
		if isLimit(a.name, f.Type) && !strings.Contains(a.value, pattern.Hole) {
			form.limits = append(form.limits, limit{f, a})
		}
	}
}

// isLimit reports whether an attribute limits the values of an input of a type.
func isLimit(attr, inputType string) bool {
	switch attr {
	case "minlength", "maxlength":
		return slices.Contains([]string{"", "text", "search", "url", "tel", "email", "password"}, inputType)
	case "min", "max":
		return inputType == "number" || inputType == "range"
	case "required":
		return !slices.Contains([]string{"hidden", "range", "color"}, inputType)
	}
	return false
}

// methodField is a field of which middleware may make another method of the request.
const methodField = "_method"

// isKnown reports whether the name of a field is known, except for numbers of rows: those of
// "items.{{$i}}.name".
func isKnown(name string) bool {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if strings.Contains(part, pattern.Hole) && (part != pattern.Hole || i == 0 || i == len(parts)-1) {
			return false
		}
	}
	return true
}
