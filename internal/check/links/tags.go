package links

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"
	"unique"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// An urlAttr says of some elements that an attribute holds a URL which a browser asks for with GET, or
// with POST for a ping.
type urlAttr struct {
	of    []string // the elements
	loads bool     // what it asks for is part of the page, and no page itself
}

// urlAttrs are the attributes with URLs, other than those of forms and of htmx.
var urlAttrs = map[string][]urlAttr{
	"href":        {{strings.Fields("a area"), false}, {strings.Fields("link"), false}, {strings.Fields("use image"), true}},
	"xlink:href":  {{strings.Fields("a"), false}, {strings.Fields("use image"), true}},
	"src":         {{strings.Fields("img script source track audio video input"), true}, {strings.Fields("iframe embed"), false}},
	"srcset":      {{strings.Fields("img source"), true}},
	"imagesrcset": {{strings.Fields("link"), true}},
	"poster":      {{strings.Fields("video"), true}},
	"data":        {{strings.Fields("object"), false}},
	"background":  {{strings.Fields("body table thead tbody tfoot tr td th"), true}},
	"cite":        {{strings.Fields("blockquote q ins del"), false}},
	"ping":        {{strings.Fields("a area"), false}},
}

// htmx are the attributes of htmx that send requests, with their methods.
var htmx = map[string]string{"hx-get": "GET", "hx-post": "POST", "hx-put": "PUT", "hx-patch": "PATCH", "hx-delete": "DELETE"}

// connects are the attributes of htmx's extensions that open a connection, which begins with GET.
var connects = []string{"sse-connect", "ws-connect"}

// isSrcset reports whether an attribute holds URLs of images, with their sizes.
func isSrcset(name string) bool { return strings.HasSuffix(name, "srcset") }

// isOurs reports whether the URLs of a tag may be those of the application.
func isOurs(w *markup.Way) bool {
	if w.MoreAttrs && strings.Contains(w.Name, pattern.Hole) { // nothing is known of the tag
		return false
	}
	rel, ok := w.Get("rel")
	isExternal := func(r string) bool { return strings.EqualFold(r, "external") }
	return !ok || !strings.Contains(rel.Value, pattern.Hole) && !slices.ContainsFunc(strings.Fields(rel.Value), isExternal)
}

// links notes the URLs of a tag, but for those of forms and their buttons.
func (sc *scanner) links(w *markup.Way) {
	eachAttr(w, func(a markup.Attr, l Link) {
		value := sc.url(a)
		for _, at := range urlsOf(a.Name, value) {
			sc.link(w, a, value[at.begin:at.end], l)
		}
	})
	switch w.Name {
	case "base":
		href, ok := w.Get("href")
		sc.file.moved = sc.file.moved || w.MoreAttrs || ok && !isPath(sc.url(href))
		sc.file.based = sc.file.based || w.MoreAttrs || ok
	case "meta":
		if content, at, ok := refreshOf(w); ok {
			sc.link(w, content, content.Value[at.begin:at.end], Link{Method: http.MethodGet})
		}
	}
}

// eachAttr calls visit for each attribute of a tag that holds URLs, but for those of forms and their
// buttons, with a Link that has the method of the requests and whether they load a part of the page.
func eachAttr(w *markup.Way, visit func(markup.Attr, Link)) {
	for i := range w.Attrs {
		a := &w.Attrs[i]
		for _, u := range urlAttrs[a.Name] {
			if slices.Contains(u.of, w.Name) {
				method := http.MethodGet
				if a.Name == "ping" {
					method = http.MethodPost
				}
				visit(*a, Link{Method: method, Loads: u.loads || w.Name == "link" && loads(w.Value("rel"))})
			}
		}
		name := strings.TrimPrefix(a.Name, "data-")
		if method := htmx[name]; method != "" {
			visit(*a, Link{Method: method})
		} else if slices.Contains(connects, name) {
			visit(*a, Link{Method: http.MethodGet})
		}
	}
}

// A span is where a URL stands in the value of an attribute.
type span struct{ begin, end int }

// refreshOf returns the attribute of a <meta http-equiv="refresh"> that holds a URL, and where.
func refreshOf(w *markup.Way) (content markup.Attr, at span, ok bool) {
	if !strings.EqualFold(strings.Trim(w.Value("http-equiv"), space), "refresh") {
		return content, at, false
	}
	content, _ = w.Get("content")
	m := refresh.FindStringSubmatchIndex(content.Value)
	if m == nil {
		return content, at, false
	}
	return content, span{m[2], m[3]}, true
}

// url returns the URL in an attribute. If it begins with a call of {{route}}, it begins with what that
// writes.
func (sc *scanner) url(a markup.Attr) string {
	if rest, ok := strings.CutPrefix(a.Value, pattern.Hole); ok {
		if n, ok := a.Holes[0].(*parse.ActionNode); ok {
			if url := sc.urls[n.Pipe.Cmds[len(n.Pipe.Cmds)-1]]; url != "" {
				return url + rest
			}
		}
	}
	return a.Value
}

// refresh matches the content of <meta http-equiv="refresh">, such as "5; url=/next".
var refresh = regexp.MustCompile(`(?is)^[^;,]*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)`)

// loads reports whether a <link> with this rel makes something a part of the page.
func loads(rel string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(rel)), func(r string) bool {
		return r == "stylesheet" || r == "icon" || r == "modulepreload" || r == "manifest"
	})
}

const space = " \t\n\r\f"

// path returns a URL without query and fragment.
func path(url string) string { return url[:indexAny(url, "?#")] }

// indexAny is strings.IndexAny, but returns the length of the text if none is there.
func indexAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}

// isPath reports whether a URL is the path of one on the same server.
func isPath(url string) bool {
	return strings.HasPrefix(url, "/") && !strings.HasPrefix(url, "//") && !strings.HasPrefix(url, `/\`)
}

// isRelative reports whether a URL without query and fragment is a relative path (RFC 3986, section 4.2), without
// actions.
func isRelative(url string) bool {
	first, _, _ := strings.Cut(url, "/")
	return url != "" && url[0] != '/' && !strings.Contains(first, ":") && !strings.Contains(url, pattern.Hole)
}

// urlsOf returns where the URLs stand in the value of an attribute.
func urlsOf(name, value string) []span {
	switch {
	case name == "ping":
		return words(value)
	case isSrcset(name):
		return candidates(value)
	}
	return []span{{0, len(value)}}
}

// words returns the words of a text.
func words(text string) (all []span) {
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], space))
		if at == len(text) {
			return all
		}
		end := at + indexAny(text[at:], space)
		all, at = append(all, span{at, end}), end
	}
}

// candidates returns the URLs in the list of a srcset, such as "/a.png 1x, /b.png 2x". A URL may
// contain commas.
func candidates(list string) (urls []span) {
	for at := 0; ; {
		at += len(list[at:]) - len(strings.TrimLeft(list[at:], space+","))
		if at == len(list) {
			return urls
		}
		end := at + indexAny(list[at:], space)
		url := strings.TrimRight(list[at:end], ",")
		if urls = append(urls, span{at, at + len(url)}); at+len(url) == end {
			end += indexAny(list[end:], ",")
		}
		at = end
	}
}

// newlines removes what browsers remove from a URL.
var newlines = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// splitEscape matches an escape of which an action writes a part.
var splitEscape = regexp.MustCompile("%[0-9A-Fa-f]?" + pattern.Hole)

// link notes a URL of an attribute as l, if it is the path of one on the same server, or a relative one. Braces and
// the like are for a program in the browser, which writes the URL.
func (sc *scanner) link(w *markup.Way, a markup.Attr, url string, l Link) {
	if url = path(clean(url)); strings.ContainsAny(url, "{}<>`$") || strings.Contains(url, "%") && splitEscape.MatchString(url) {
		return
	}
	list := &sc.file.Links
	if isRelative(url) {
		list = &sc.file.Relative
	} else if !isPath(url) {
		return
	}
	l.Offset, l.URL, l.Attr, l.Element, l.in = a.Offset, own(url), own(a.Name), own(w.Name), sc.name
	for i := len(*list) - 1; i >= 0 && (*list)[i].Offset == l.Offset; i-- { // of another way
		if (*list)[i] == l {
			return
		}
	}
	*list = append(*list, l)
}

// own returns a text that keeps nothing else in memory, as a part of the text of a file would keep all of
// that. Links with the same URL share it.
func own(text string) string { return unique.Make(text).Value() }

// dialog stands for a form that closes a dialog, and sends no request.
var dialog = &Form{Method: "DIALOG"}

// form returns the form that a tag begins, and notes its URL.
func (sc *scanner) form(w *markup.Way) *Form {
	method, ok := w.Get("method")
	m := strings.ToUpper(strings.TrimSpace(method.Value))
	if m == dialog.Method {
		return dialog
	}
	f := &Form{Offset: w.Offset, Method: m, Multipart: w.MoreAttrs, in: sc.name, ranges: sc.ranges, within: sc.within}
	switch {
	case w.MoreAttrs || ok && m != http.MethodPost && m != http.MethodGet: // another value may be for a script
		f.Method = ""
	case !ok:
		f.Method = http.MethodGet
	}
	action, has := w.Get("action")
	f.own = strings.TrimSpace(action.Value) == "" && !w.MoreAttrs && !w.Scripts
	f.URL = sc.url(action)
	for _, name := range []string{"enctype", "hx-encoding", "data-hx-encoding"} {
		if a, ok := w.Get(name); ok {
			f.Multipart = f.Multipart || strings.Contains(a.Value, pattern.Hole) || strings.EqualFold(a.Value, "multipart/form-data")
		}
	}
	f.plain = f.Method
	f.unsaid = !ok && !w.Scripts
	if sent, method := htmxOf(w); method != "" {
		f.own, f.unsaid = false, false
		if !ok {
			f.plain = ""
		}
		if !has {
			f.Method, f.URL = method, sc.url(sent)
		}
	}
	f = sc.same(f)
	if has {
		sc.link(w, action, f.URL, Link{form: f})
	}
	return f
}

// htmxOf returns the attribute by which htmx sends a request for a tag, and the method of the
// request. The method is "" if there is none.
func htmxOf(w *markup.Way) (a markup.Attr, method string) {
	for _, a := range w.Attrs {
		if method := htmx[strings.TrimPrefix(a.Name, "data-")]; method != "" {
			return a, method
		}
	}
	return markup.Attr{}, ""
}

// same returns the Form that another way has noted for the same tag, or else f.
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
func sendsElsewhere(w *markup.Way) bool {
	_, htmx := htmxOf(w)
	return w.Has("formaction") || w.Has("formmethod") || htmx != "" || w.MoreAttrs || w.Scripts
}

// field notes the field of a form that a tag may be, and the URL of a button. around is the form around
// it, or nil.
func (sc *scanner) field(w *markup.Way, around *Form) {
	elsewhere := w.Has("form")
	name, _ := w.Get("name")
	f := Field{Offset: name.Offset, Name: name.Value, Type: strings.ToLower(strings.TrimSpace(w.Value("type")))}
	button := w.Name == "button" || f.Type == "submit" || f.Type == "image" || f.Type == "button" || f.Type == "reset"
	form := around
	if form != nil && form != dialog && button && !elsewhere && sendsElsewhere(w) {
		form.own = false
	}
	if elsewhere || w.MoreAttrs {
		form = nil
	}
	if action, ok := w.Get("formaction"); ok {
		method, known := w.Get("formmethod")
		m := strings.ToUpper(strings.TrimSpace(method.Value))
		switch {
		case known && (m == http.MethodPost || m == http.MethodGet):
			sc.link(w, action, sc.url(action), Link{Method: m})
		case m == dialog.Method, !known && form == dialog:
		case known || form == nil || form == sc.outer:
			sc.link(w, action, sc.url(action), Link{})
		default:
			sc.link(w, action, sc.url(action), Link{form: form})
		}
	}
	f.Value, f.Lists = sc.sends(w, around, f)
	isField := f.Name != "" && f.Name != "_charset_" && !button && isKnown(f.Name) && !strings.Contains(f.Type, pattern.Hole)
	if form == nil || form == dialog {
		return
	}
	if enctype, ok := w.Get("formenctype"); ok && !strings.EqualFold(enctype.Value, "text/plain") {
		form.Multipart = true
	}
	switch {
	case f.Name == methodField:
		form.Method, form.plain = "", ""
	case f.Name == "" && !button:
		sc.unnamed(w, form, f)
	case isField:
		sc.note(form, f)
		sc.limits(w, form, f)
	}
}

// sends returns the value that an input element sends if nothing is typed, or "" if that is not known,
// and whether it, or another one of the name, may send several.
func (sc *scanner) sends(w *markup.Way, form *Form, f Field) (value string, lists bool) {
	a, written := w.Get("value")
	switch isBox := f.Type == "checkbox" || f.Type == "radio"; {
	case w.Name != "input" || w.Scripts || f.Type == "file":
	case strings.Contains(a.Value, pattern.Hole):
		isRow := strings.Contains(f.Name, pattern.Hole)
		return "", f.Type == "checkbox" && !isRow && form != nil && sc.ranges > form.ranges
	case isBox && !written && !sc.several:
		return "on", false
	default:
		return a.Value, false
	}
	return "", w.Has("multiple") && (w.Name == "select" || f.Type == "file")
}

// unnamed notes an input element without a name, of which nothing is sent.
func (sc *scanner) unnamed(w *markup.Way, form *Form, f Field) {
	id, ok := w.Get("id")
	if f.Offset, f.Name = id.Offset, id.Value; ok && !w.Has("name") && !w.Scripts && !slices.Contains(form.unnamed, f) {
		form.unnamed = append(form.unnamed, f)
	}
}

// limits notes the attributes that limit a field, if they are always there and no action writes them.
func (sc *scanner) limits(w *markup.Way, form *Form, f Field) {
	if sc.within > 0 || sc.several {
		return
	}
	for _, a := range w.Attrs {
		if isLimit(a.Name, f.Type) && !strings.Contains(a.Value, pattern.Hole) {
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
