package links

import (
	"html"
	"net/http"
	"strings"

	"example.com/flow/internal/check/markup"
)

// A Page is what a page that is rendered leads to, as a browser reads it.
type Page struct {
	URLs []URL    // without those of tags with rel="external"
	IDs  []string // what a fragment can name
	// Base is the URL of <base>, which relative URLs are relative to; "" if there is none.
	Base string
	// Scripts are the texts of the script elements.
	Scripts []string
}

// A URL is one in a page or in a style sheet.
type URL struct {
	Text    string // whole, and without what browsers remove from it
	Offset  int    // of the attribute, or of the URL in a style sheet
	Method  string // of the requests for it
	Attr    string // that has it; the name of the element if none has; "url()" in a style sheet
	Element string // "" for those in a style sheet
	Loads   bool   // it loads a part of the page, which is no page itself
	Style   bool   // it is in CSS
	at      span   // of the URL in the value of the attribute
}

// What returns how messages call what has the URL.
func (u URL) What() string {
	switch {
	case u.Element == "":
		return u.Attr
	case u.Element == u.Attr:
		return "<" + u.Element + ">"
	}
	return u.Attr + " of <" + u.Element + ">"
}

// OfPage reads a page.
func OfPage(text string) *Page {
	p := &Page{}
	form := URL{Method: http.MethodGet} // the one around a button
	for _, n := range markup.Page(text, markup.URLs) {
		switch n := n.(type) {
		case *markup.Tag:
			w := &n.Ways[0]
			p.id(w)
			if !isOurs(w) {
				break
			}
			eachURL(w, func(a markup.Attr, at span, l Link) { p.add(w, a, at, l) })
			p.style(w)
			p.sent(w, &form)
			if href, ok := w.Get("href"); ok && w.Name == "base" && p.Base == "" {
				p.Base = clean(href.Value)
			}
		case *markup.End:
			if n.Name == "form" {
				form = URL{Method: http.MethodGet}
			}
		case *markup.Text:
			switch n.In.Element {
			case "style":
				for _, u := range OfStyle(n.Text) {
					u.Offset, u.Attr, u.Element = n.Offset+u.Offset, "style", "style"
					p.URLs = append(p.URLs, u)
				}
			case "script":
				p.Scripts = append(p.Scripts, n.Text)
			}
		}
	}
	return p
}

// eachURL calls visit for each URL that a tag has, but for those of forms, of their buttons, of style
// attributes and of <base>.
func eachURL(w *markup.Way, visit func(markup.Attr, span, Link)) {
	eachAttr(w, func(a markup.Attr, l Link) {
		for _, at := range urlsOf(a.Name, a.Value) {
			visit(a, at, l)
		}
	})
	if w.Name == "meta" {
		if content, at, ok := refreshOf(w); ok {
			visit(content, at, Link{Method: http.MethodGet})
		}
	}
}

func (p *Page) id(w *markup.Way) {
	if id, ok := w.Get("id"); ok {
		p.IDs = append(p.IDs, id.Value)
	}
	if name, ok := w.Get("name"); ok && w.Name == "a" {
		p.IDs = append(p.IDs, name.Value)
	}
}

func (p *Page) add(w *markup.Way, a markup.Attr, at span, l Link) {
	p.URLs = append(p.URLs, URL{Text: clean(a.Value[at.begin:at.end]), Offset: a.Offset, Method: l.Method, Attr: a.Name, Element: w.Name, Loads: l.Loads, at: at})
}

func (p *Page) style(w *markup.Way) {
	if a, ok := w.Get("style"); ok {
		for _, u := range OfStyle(a.Value) {
			u.Offset, u.Attr, u.Element = a.Offset, a.Name, w.Name
			p.URLs = append(p.URLs, u)
		}
	}
}

// sent adds where a form is sent, or the form around a button if the button says otherwise. A form that
// htmx sends, and without a URL of its own, sends nothing else.
func (p *Page) sent(w *markup.Way, form *URL) {
	method, hasMethod := w.Get("method")
	action, hasURL := w.Get("action")
	if w.Name != "form" {
		kind := strings.ToLower(w.Value("type"))
		isButton := w.Name == "button" || w.Name == "input" && (kind == "submit" || kind == "image")
		method, hasMethod = w.Get("formmethod")
		if action, hasURL = w.Get("formaction"); !isButton || !hasMethod && !hasURL {
			return
		}
	}
	u := URL{Text: clean(action.Value), Offset: w.Offset, Method: http.MethodGet, Attr: w.Name, Element: w.Name, at: span{0, len(action.Value)}}
	if hasURL {
		u.Offset, u.Attr = action.Offset, action.Name
	}
	switch m := strings.ToUpper(strings.Trim(method.Value, space)); {
	case m == dialog.Method:
		*form = URL{Method: m}
		return
	case m == http.MethodPost:
		u.Method = m
	case w.Name != "form" && !hasMethod:
		u.Method = form.Method
	}
	if w.Name == "form" {
		*form = u
		if _, sent := htmxOf(w); sent != "" && !hasURL {
			return
		}
	} else if !hasURL {
		u.Text = form.Text
	}
	if hasURL || u.Method != http.MethodGet {
		p.URLs = append(p.URLs, u)
	}
}

// clean returns a URL without what browsers remove from it. To them, a backslash in its path is a slash.
func clean(url string) string {
	url = strings.Trim(url, space)
	if strings.ContainsAny(url, space) {
		url = newlines.Replace(url)
	}
	if i := indexAny(url, "?#"); strings.Contains(url[:i], `\`) && !strings.HasPrefix(strings.ToLower(url), "data:") {
		url = strings.ReplaceAll(url[:i], `\`, "/") + url[i:]
	}
	return url
}

// Below returns a page with a prefix before the URLs that begin with one slash, wherever OfPage reads a
// URL except in CSS.
func Below(prefix, text string) string {
	var b strings.Builder
	done := 0
	write := func(a markup.Attr, urls []span) {
		value, from := &strings.Builder{}, 0
		for _, at := range urls {
			url := a.Value[at.begin:at.end]
			if isPath(clean(url)) {
				begin := at.begin + len(url) - len(strings.TrimLeft(url, space))
				value.WriteString(a.Value[from:begin] + prefix)
				from = begin
			}
		}
		if from == 0 && value.Len() == 0 {
			return
		}
		value.WriteString(a.Value[from:])
		b.WriteString(text[done:a.Offset])
		raw := rawValue(text, a.Offset)
		written := value.String()
		if raw != a.Value {
			written = html.EscapeString(written)
		}
		b.WriteString(written)
		done = a.Offset + len(raw)
	}
	for _, n := range markup.Page(text, markup.URLs) {
		t, ok := n.(*markup.Tag)
		if !ok || !isOurs(&t.Ways[0]) {
			continue
		}
		w := &t.Ways[0]
		for _, a := range w.Attrs { // in the order of the text
			var urls []span
			eachURL(w, func(of markup.Attr, at span, _ Link) {
				if of.Offset == a.Offset {
					urls = append(urls, at)
				}
			})
			isButton := w.Name == "button" || w.Name == "input"
			if a.Name == "action" && w.Name == "form" || a.Name == "formaction" && isButton || a.Name == "href" && w.Name == "base" {
				urls = append(urls, span{0, len(a.Value)})
			}
			write(a, urls)
		}
	}
	b.WriteString(text[done:])
	return b.String()
}

// rawValue returns the value of an attribute that begins at an offset of a page, with its character
// references.
func rawValue(text string, offset int) string {
	rest := text[offset:]
	if quote := text[offset-1]; quote == '"' || quote == '\'' {
		raw, _, _ := strings.Cut(rest, string(quote))
		return raw
	}
	return rest[:indexAny(rest, space+">")]
}

// IsPath reports whether a URL begins with one slash, so that it is one on the same server.
func (u URL) IsPath() bool { return isPath(u.Text) }
