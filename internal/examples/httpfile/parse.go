package httpfile

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/flow/internal/fault"
)

// Parse returns the File of a text, as far as it can be read, and everything that is wrong
// with it. name is the name of the file in messages.
func Parse(name string, text []byte) (*File, []fault.Fault) {
	p := &parser{file: &File{Name: name}}
	if !utf8.Valid(text) {
		return p.file, []fault.Fault{fault.In(name, "is not UTF-8: save it as UTF-8, and put other data into a file of its own, < ./file")}
	}
	for i, part := range split(text) {
		for _, l := range part.lines {
			if strings.HasPrefix(strings.TrimSpace(l.text), "###") {
				p.fault(l.number, "### stands at the beginning of a line, or clients differ in where the next request begins")
			}
		}
		p.part(part, i == 0)
	}
	p.checkNames()
	return p.file, p.faults
}

// A parser parses one file.
type parser struct {
	file   *File
	faults []fault.Fault
}

// fault adds a fault of a line.
func (p *parser) fault(line int, format string, args ...any) {
	p.faults = append(p.faults, fault.InLine(p.file.Name, line, format, args...))
}

// A part is what stands between two separators.
type part struct {
	title string
	lines []line
}

// A line is one line of a file.
type line struct {
	number int
	text   string
	kind   lineKind
	rest   string // of a comment: what follows # or //
}

type lineKind uint8

const (
	lineText lineKind = iota
	lineBlank
	lineComment
)

// split returns the parts of a text. The first one is what stands before the first separator.
func split(text []byte) []part {
	parts := []part{{}}
	number := 0
	for text := range bytes.Lines(bytes.TrimPrefix(text, []byte("\uFEFF"))) {
		number++
		l := line{number: number, text: strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")}
		if strings.HasPrefix(l.text, "###") {
			parts = append(parts, part{title: strings.TrimSpace(strings.TrimLeft(l.text, "#"))})
			continue
		}
		switch trimmed := strings.TrimSpace(l.text); {
		case trimmed == "":
			l.kind = lineBlank
		case strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "//"):
			l.kind, l.rest = lineComment, strings.TrimSpace(strings.TrimLeft(trimmed, trimmed[:1]))
		}
		last := &parts[len(parts)-1]
		last.lines = append(last.lines, l)
	}
	return parts
}

// part parses one part.
func (p *parser) part(of part, isFirst bool) {
	r := &Request{Title: of.title}
	at := slices.IndexFunc(of.lines, func(l line) bool {
		return l.kind == lineText && !strings.HasPrefix(strings.TrimSpace(l.text), "@")
	})
	if at < 0 {
		p.head(r, of.lines)
		p.withoutRequest(r, of, isFirst)
		return
	}
	p.head(r, of.lines[:at])
	p.file.Requests = append(p.file.Requests, r) // with its name in any case, for references to it
	if !p.requestLine(r, of.lines[at]) {
		return // the lines below it mean nothing without it
	}
	end := slices.IndexFunc(of.lines[at+1:], func(l line) bool { return l.kind == lineBlank })
	if end < 0 {
		end = len(of.lines)
	} else {
		end += at + 1
	}
	p.header(r, of.lines[at+1:end])
	p.body(r, of.lines[end:])
	if r.Disabled {
		for _, v := range r.Variables {
			p.fault(v.Value.Line, "@%s stands above a request that is not sent: put it above the first ###", v.Name)
		}
	}
}

// withoutRequest keeps what a part without a request says.
func (p *parser) withoutRequest(r *Request, of part, isFirst bool) {
	f := p.file
	if isFirst {
		f.Variables = r.Variables
	} else {
		for _, v := range r.Variables {
			p.fault(v.Value.Line, "@%s stands above no request: put it above the first ###, or above the request that needs it", v.Name)
		}
		for _, l := range of.lines {
			if l.kind == lineComment && strings.HasPrefix(l.rest, "@") {
				p.fault(l.number, "%s stands above no request", strings.TrimSpace(l.text))
			}
		}
	}
	f.Title = cmp.Or(f.Title, r.Title)
	f.Prose = strings.TrimSpace(f.Prose + "\n" + r.Prose)
}

// head parses the lines above a request line.
func (p *parser) head(r *Request, lines []line) {
	var prose []string
	for _, l := range lines {
		switch {
		case l.kind == lineText:
			p.variable(r, l)
		case l.kind == lineBlank:
		case strings.HasPrefix(l.rest, "@"):
			p.meta(r, l)
		case strings.HasPrefix(l.rest, "??"):
			p.fault(l.number, "an expectation stands below its request")
		default:
			prose = append(prose, l.rest)
		}
	}
	r.Prose = strings.TrimSpace(strings.Join(prose, "\n"))
}

var metaLine = regexp.MustCompile(`^#\s+@(\S+)\s*(.*)$`)

// meta parses a line such as "# @name login".
func (p *parser) meta(r *Request, l line) {
	m := metaLine.FindStringSubmatch(strings.TrimSpace(l.text))
	if m == nil {
		p.fault(l.number, "%s: write # %[1]s, with one # and a blank, which all clients read", l.rest)
		return
	}
	switch key, value := m[1], m[2]; {
	case key == "name" && !word.MatchString(value):
		p.fault(l.number, "# @name needs one word of letters, digits and _: # @name login")
	case key == "name" && r.Name != "":
		p.fault(l.number, "the request has the name %s already", r.Name)
	case key == "name":
		r.Name = value
	case key != "no-redirect" && key != "disabled":
		p.fault(l.number, "# @%s is unknown%s", key, fault.Suggest(key, map[string]bool{"name": true, "no-redirect": true, "disabled": true}, ": there are # @name, # @no-redirect and # @disabled"))
	case value != "":
		p.fault(l.number, "# @%s takes no value, and %q follows it", key, value)
	case key == "no-redirect":
		r.NoRedirect = true
	default:
		r.Disabled = true
	}
}

// variable parses a line such as "@email = ada@example.com".
func (p *parser) variable(r *Request, l line) {
	name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(l.text), "@"), "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case !ok || !word.MatchString(name):
		p.fault(l.number, "%s: write @name = value, with a name of letters, digits and _", strings.TrimSpace(l.text))
	case value == "":
		p.fault(l.number, "@%s has no value, and clients do not read the line then: write @%[1]s = value", name)
	case value[0] == '"':
		p.fault(l.number, "the value of @%s begins with a quotation mark, which clients leave out or send: write it without", name)
	default:
		r.Variables = append(r.Variables, Variable{name, p.text(l.number, value)})
	}
}

// text parses a text with references, and reports what is wrong with them.
func (p *parser) text(line int, text string) Text {
	t, wrong := parseText(line, text)
	for _, err := range wrong {
		p.fault(line, "%v", err)
	}
	return t
}

// methods are those that the clients know.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "LOCK", "UNLOCK", "PROPFIND", "PROPPATCH", "COPY", "MOVE", "MKCOL", "MKCALENDAR", "ACL", "SEARCH"}

var (
	version   = regexp.MustCompile(`\s+HTTP/[\d.]+$`)
	localhost = regexp.MustCompile(`^https?://((?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?)($|[/?#])`)
	hostName  = regexp.MustCompile(`^\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}($|[/?#])`)
	badEscape = regexp.MustCompile(`%(?:$|[^0-9A-Fa-f]|.$|[0-9A-Fa-f][^0-9A-Fa-f])`)
	dots      = regexp.MustCompile(`(?i)/(?:\.|%2e){1,2}(?:[/?#]|$)`)
)

// requestLine parses a line such as "GET http://localhost:8080/users/{{id}}?page=2". It sets
// the method only if the line can be read.
func (p *parser) requestLine(r *Request, l line) bool {
	r.Line = l.number
	method, target := cutWord(l.text)
	switch {
	case strings.HasPrefix(method, "??"):
		p.fault(l.number, "clients send this line: write # %s", strings.TrimSpace(l.text))
		return false
	case isScript(l.text):
		p.fault(l.number, "scripts are not read: write what is expected below the request, as # ?? status == 200")
		return false
	case strings.Contains(method, "://"), strings.HasPrefix(method, "/"), strings.HasPrefix(method, "{{"):
		p.fault(l.number, "the request has no method: write GET %s", strings.TrimSpace(l.text))
		return false
	case !slices.Contains(methods, method) && slices.Contains(methods, strings.ToUpper(method)):
		p.fault(l.number, "write the method in capitals: %s %s", strings.ToUpper(method), target)
		return false
	case !slices.Contains(methods, method) && strings.ContainsAny(target, "/{") && method == strings.ToUpper(method):
		p.fault(l.number, "not all clients send the method %s: they know %s", method, strings.Join(methods, ", "))
		return false
	case !slices.Contains(methods, method) || target == "":
		p.fault(l.number, "this line is no request: write one as in GET http://localhost:8080/path, and text behind #")
		return false
	}
	target = version.ReplaceAllString(target, "")
	if m := localhost.FindStringSubmatch(target); m != nil {
		r.Host = m[1]
		target = target[strings.Index(target, m[1])+len(m[1]):]
	} else if m := hostName.FindStringSubmatchIndex(target); m != nil {
		if target = target[m[2]:]; target == "" {
			p.fault(l.number, "a variable stands for the host of a request: write a path behind it")
			return false
		}
	} else if target[0] != '/' && !strings.HasPrefix(target, "{{") {
		p.fault(l.number, "%s: the host of a request is http://localhost:8080, or a variable such as {{host}}, and a path follows that begins with a slash", target)
		return false
	}
	r.Target = p.text(l.number, target)
	switch {
	case target == "", target[0] == '?':
		r.Target = p.text(l.number, "/"+target)
	case target[0] == '/':
	case len(r.Target.pieces) == 1 && r.Target.pieces[0].ref != nil && r.Target.pieces[0].ref.kind == refHeader:
		r.Absolute = true
	default:
		p.fault(l.number, "%s: a path begins with a slash, or is {{name.response.headers.location}} as a whole", target)
		return false
	}
	r.Method = method
	p.checkTarget(r, target)
	return true
}

// checkTarget reports what is wrong with the literal text of a path and query.
func (p *parser) checkTarget(r *Request, target string) {
	literal := braces.ReplaceAllString(target, "x")
	switch {
	case strings.ContainsFunc(literal, unicode.IsSpace):
		p.fault(r.Line, "%s: write %%20 for a blank in a URL", target)
	case strings.Contains(literal, "#"):
		p.fault(r.Line, "%s: clients do not send what follows #", target)
	case strings.Contains(literal, `\`):
		p.fault(r.Line, `%s: clients send / for \: write %%5C`, target)
	case badEscape.MatchString(literal):
		p.fault(r.Line, "%s: %% begins an escape of two hexadecimal digits: write %%25", target)
	case dots.MatchString(literal):
		p.fault(r.Line, "%s: clients resolve the dots before they send the request: write the path without them", target)
	}
}

// isScript reports whether clients take a line for the beginning of a script.
func isScript(text string) bool { return script.MatchString(text) }

var script = regexp.MustCompile(`^\s*(?:[<>]\s*\{%|>\s+\S+\.js\s*$|\{\{(?:@js\s+)?[+@]?(?i:request|streaming|response|after|responseLogging)?\s*$)`)

// header parses the lines directly below a request line.
func (p *parser) header(r *Request, lines []line) {
	for _, l := range lines {
		if l.kind == lineComment {
			p.below(r, l)
			continue
		}
		name, value, ok := strings.Cut(strings.TrimSpace(l.text), ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(name, "??"):
			p.fault(l.number, "clients send this line: write # %s", strings.TrimSpace(l.text))
		case isScript(l.text):
			p.fault(l.number, "scripts are not read: write what is expected below the request, as # ?? status == 200")
		case strings.HasPrefix(name, "?"), strings.HasPrefix(name, "&"):
			p.fault(l.number, "write the URL in one line")
		case !ok || !fieldName.MatchString(name):
			p.fault(l.number, "this line is no field of a header, as Accept: application/json is: leave one blank line above a body")
		case strings.EqualFold(name, "Authorization") && rewritten.MatchString(value):
			p.fault(l.number, "clients make another value of it: write Basic and the name and password in base64, or take a variable")
		case strings.EqualFold(name, "Cookie") && strings.ContainsAny(value, ";"):
			p.fault(l.number, "clients read one cookie only: have a request above it set the cookies, which the file keeps")
		case strings.HasSuffix(value, ","):
			p.fault(l.number, "clients leave out the comma at the end")
		default:
			r.Header = append(r.Header, Field{name, p.text(l.number, value)})
		}
	}
}

// rewritten finds values of Authorization that clients replace.
var rewritten = regexp.MustCompile(`(?i)^(?:basic\s+(?:\S+\s+\S|[^\s{]*:)|digest\s|aws\s|oauth2|openid)`)

// below parses a comment below a request line.
func (p *parser) below(r *Request, l line) {
	text, ok := strings.CutPrefix(l.rest, "??")
	switch {
	case strings.HasPrefix(l.rest, "@"):
		p.fault(l.number, "# %s stands above its request", l.rest)
	case !ok: // a comment
	case strings.TrimSpace(l.text)[0] != '#':
		p.fault(l.number, "write an expectation behind #: # %s", l.rest)
	default:
		e, wrong := parseExpectation(l.number, text)
		for _, err := range wrong {
			p.fault(l.number, "%v", err)
		}
		if len(wrong) == 0 {
			r.Expects = append(r.Expects, e)
		}
	}
}

// misread finds lines that a client takes for something else than a part of a body.
var misread = regexp.MustCompile(`^\s*(?:@|>>!?\s|<>\s|/\*\s*$|HTTP/\S+\s*[1-5]\d\d|(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND|PROPPATCH|MKCOL|COPY|MOVE|LOCK|UNLOCK|CHECKOUT|CHECKIN|REPORT|MERGE|MKACTIVITY|MKWORKSPACE|VERSION-CONTROL|BASELINE-CONTROL|MKCALENDAR|ACL|SEARCH|GRAPHQL|GRPC|MQTTS?|AMQP|WSS?|WEBSOCKET|SSE|EVENTSOURCE)\s+\S|(?i:grpc|mqtts?|amqps?|wss?)://|proto\s*<)`)

// divides finds lines that httpyac takes for the end of a message.
var divides = regexp.MustCompile(`={3}\s*(?:wait-for-server)?\s*$|<--->`)

// body parses what stands below the header: a body, comments and expectations.
func (p *parser) body(r *Request, lines []line) {
	isBody := func(l line) bool { return l.kind == lineText }
	begin := slices.IndexFunc(lines, isBody)
	end := len(lines)
	for end > 0 && (begin < 0 || !isBody(lines[end-1])) {
		end--
	}
	for i, l := range lines {
		switch within := begin >= 0 && begin < i && i < end; {
		case l.kind != lineComment:
		case within:
			p.fault(l.number, "this line is within a body, and clients leave it out: put the body into a file, < ./file")
		default:
			p.below(r, l)
		}
	}
	if begin < 0 {
		return
	}
	if blank := slices.DeleteFunc(slices.Clone(lines[:begin]), func(l line) bool { return l.kind != lineBlank }); len(blank) > 1 {
		p.fault(lines[begin].number, "leave one blank line above a body: some clients send the others")
	}
	isForm := strings.HasPrefix(strings.ToLower(r.field("Content-Type")), "application/x-www-form-urlencoded")
	for i, l := range lines[begin:end] {
		if l.kind == lineComment {
			continue // a fault
		}
		trimmed := strings.TrimSpace(l.text)
		switch {
		case strings.HasPrefix(trimmed, "??"):
			p.fault(l.number, "clients send this line: write # %s", trimmed)
		case isScript(l.text):
			p.fault(l.number, "scripts are not read: write what is expected below the request, as # ?? status == 200")
		case misread.MatchString(l.text), divides.MatchString(l.text):
			p.fault(l.number, "a client does not take this line for a part of the body: put the body into a file, < ./file")
		case isForm && i > 0 && !strings.HasPrefix(l.text, "&"):
			p.fault(l.number, "clients join the lines of a form in different ways: begin each line but the first with &")
		case isForm && looseForm.MatchString(l.text):
			p.fault(l.number, "clients leave out blanks around = and & in a form: write + or %%20")
		default:
			r.Body = append(r.Body, p.bodyLine(l))
		}
	}
}

var (
	looseForm = regexp.MustCompile(`^\s|\s$|\s[=&]|[=&]\s`)
	fileLine  = regexp.MustCompile(`^<(@\w*)?\s+(.+?)\s*$`)
)

// bodyLine parses a line of a body.
func (p *parser) bodyLine(l line) BodyLine {
	m := fileLine.FindStringSubmatch(l.text)
	switch {
	case m == nil:
		return BodyLine{Text: p.text(l.number, l.text)}
	case m[1] != "":
		p.fault(l.number, "references are not replaced in files: write < %s", m[2])
	case strings.Contains(m[2], "{{"), strings.Contains(m[2], `\`), path.IsAbs(m[2]):
		p.fault(l.number, "write the name of a file, relative to the directory of this one: < ./file")
	}
	return BodyLine{Text: Text{Line: l.number}, File: path.Clean(m[2])}
}

// field returns a field of the header as it is written.
func (r *Request) field(name string) string {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value.String()
		}
	}
	return ""
}

// checkNames reports names that are used twice, and references to what is not above them.
func (p *parser) checkNames() {
	c := &nameChecker{parser: p, known: map[string]string{}}
	c.variables(p.file.Variables)
	for _, r := range p.file.Requests {
		c.request(r)
	}
	for _, r := range p.file.Requests {
		if r.Name != "" || r.Title == "" {
			continue
		}
		// httpyac gives a request without # @name the name of its title.
		if title := titleName(r.Title); c.known[title] != "" {
			p.fault(r.Line, "httpyac gives this request the name %s, after its title, and that is %s: change one of them", title, c.known[title])
		}
	}
}

// titleName returns the name that httpyac makes of a title: "Sign in" is "signIn"… but for the
// first letter, which stays as it is.
func titleName(title string) string {
	return afterHyphen.ReplaceAllStringFunc(spaces.ReplaceAllString(title, "-"), func(s string) string { return strings.ToUpper(s[1:]) })
}

var (
	spaces      = regexp.MustCompile(`\s`)
	afterHyphen = regexp.MustCompile(`-.`)
)

// A nameChecker walks over a file from its beginning.
type nameChecker struct {
	*parser
	known map[string]string // what a name is: "a variable", "the name of another request"
}

func (c *nameChecker) variables(variables []Variable) {
	for _, v := range variables {
		c.text(v.Value)
		c.define(v.Value.Line, v.Name, "a variable")
	}
}

func (c *nameChecker) define(line int, name, as string) {
	if known := c.known[name]; known != "" {
		c.fault(line, "%s is %s already: names of variables and requests are used once in a file", name, known)
		return
	}
	c.known[name] = as
}

func (c *nameChecker) request(r *Request) {
	c.variables(r.Variables)
	c.text(r.Target)
	for _, f := range r.Header {
		c.text(f.Value)
	}
	for _, l := range r.Body {
		c.text(l.Text)
	}
	if r.Name != "" {
		as := "the name of another request"
		if r.Disabled {
			as = disabledName
		}
		c.define(r.Line, r.Name, as)
	}
	for _, e := range r.Expects { // they may refer to the answer itself
		c.text(e.text)
	}
}

const disabledName = "the name of a request that is not sent"

// text reports the references of a text that have no value.
func (c *nameChecker) text(t Text) {
	for _, piece := range t.pieces {
		ref := piece.ref
		if ref == nil || ref.kind != refBody && ref.kind != refHeader {
			continue
		}
		names := map[string]string{}
		for name, as := range c.known {
			if as != "a variable" {
				names[name] = as
			}
		}
		switch names[ref.name] {
		case "":
			c.fault(t.Line, "%s: no request before this one has # @name %s%s", ref.source, ref.name, fault.Suggest(ref.name, names, ""))
		case disabledName:
			c.fault(t.Line, "%s: the request %s is not sent, as it is # @disabled", ref.source, ref.name)
		}
	}
}
