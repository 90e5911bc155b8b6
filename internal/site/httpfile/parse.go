package httpfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
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
	p := &parser{file: &File{Name: name}, variables: map[string]bool{}, requests: map[string]*Request{}}
	if !utf8.Valid(text) {
		return p.file, []fault.Fault{fault.In(name, "is not UTF-8: save it as UTF-8, and put other data into a file of its own, < ./file")}
	}
	for i, part := range split(text) {
		for _, l := range part.lines {
			if strings.HasPrefix(l.trimmed, "###") {
				p.fault(l.number, "### stands at the beginning of a line, or clients differ in where the next request begins")
			}
		}
		p.part(part, i == 0)
	}
	p.checkTitles()
	return p.file, p.faults
}

// A parser parses one file from its beginning. It knows the names above the line that it is at.
type parser struct {
	file      *File
	faults    []fault.Fault
	variables map[string]bool
	requests  map[string]*Request
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
	number    int
	text      string
	trimmed   string // the text without blanks around it; "" for a blank line
	isComment bool
	rest      string // of a comment: what follows # or //
}

// isText reports whether the line is neither blank nor a comment.
func (l line) isText() bool { return l.trimmed != "" && !l.isComment }

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
		l.trimmed = strings.TrimSpace(l.text)
		if strings.HasPrefix(l.trimmed, "#") || strings.HasPrefix(l.trimmed, "//") {
			l.isComment, l.rest = true, strings.TrimSpace(strings.TrimLeft(l.trimmed, l.trimmed[:1]))
		}
		last := &parts[len(parts)-1]
		last.lines = append(last.lines, l)
	}
	return parts
}

// part parses one part.
func (p *parser) part(of part, isFirst bool) {
	r := &Request{Title: of.title}
	at := slices.IndexFunc(of.lines, func(l line) bool { return l.isText() && l.trimmed[0] != '@' })
	if at < 0 {
		p.head(r, of.lines)
		p.withoutRequest(r, of, isFirst)
		return
	}
	p.head(r, of.lines[:at])
	p.define(r.Variables)
	if r.Disabled {
		for _, v := range r.Variables {
			p.fault(v.Value.Line, "@%s stands above a request that is not sent: put it above the first ###", v.Name)
		}
	}
	p.file.Requests = append(p.file.Requests, r) // with its name in any case, for references to it
	var comments []line
	if err := p.requestLine(r, of.lines[at]); err != nil {
		p.fault(r.Line, "%v", err) // the lines below it mean nothing without it
	} else {
		comments = p.message(r, of.lines[at+1:])
	}
	if r.Name != "" && p.isNew(r.Line, r.Name) {
		p.requests[r.Name] = r
	}
	for _, l := range comments { // now, since an expectation may refer to the answer to its own request
		p.comment(r, l)
	}
}

// withoutRequest keeps what a part without a request says.
func (p *parser) withoutRequest(r *Request, of part, isFirst bool) {
	f := p.file
	if isFirst {
		f.Variables = r.Variables
		p.define(r.Variables)
	} else {
		for _, v := range r.Variables {
			p.fault(v.Value.Line, "@%s stands above no request: put it above the first ###, or above the request that needs it", v.Name)
		}
		for _, l := range of.lines {
			if strings.HasPrefix(l.rest, "@") {
				p.fault(l.number, "%s stands above no request", l.trimmed)
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
		case l.isText():
			p.variable(r, l)
		case l.trimmed == "":
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
	m := metaLine.FindStringSubmatch(l.trimmed)
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
	name, value, ok := strings.Cut(strings.TrimPrefix(l.trimmed, "@"), "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case !ok || !word.MatchString(name):
		p.fault(l.number, "%s: write @name = value, with a name of letters, digits and _", l.trimmed)
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
	for _, piece := range t.pieces {
		if piece.ref == nil || piece.ref.request == "" {
			continue
		}
		switch name := piece.ref.request; {
		case p.requests[name] == nil:
			p.fault(line, "%s: no request before this one has # @name %s%s", piece.text, name, fault.Suggest(name, p.requests, ""))
		case p.requests[name].Disabled:
			p.fault(line, "%s: the request %s is not sent, as it is # @disabled", piece.text, name)
		}
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

// requestLine parses a line such as "GET http://localhost:8080/users/{{id}}?page=2". It returns
// an error for a line that cannot be read, and leaves the method "" then.
func (p *parser) requestLine(r *Request, l line) error {
	r.Line = l.number
	if err := notRead(l); err != nil {
		return err
	}
	method, target := cutWord(l.text)
	isKnown, upper := slices.Contains(methods, method), strings.ToUpper(method)
	switch {
	case strings.Contains(method, "://"), strings.HasPrefix(method, "/"), strings.HasPrefix(method, "{{"):
		return fmt.Errorf("the request has no method: write GET %s", l.trimmed)
	case !isKnown && slices.Contains(methods, upper):
		return fmt.Errorf("write the method in capitals: %s %s", upper, target)
	case !isKnown && strings.ContainsAny(target, "/{") && method == upper:
		known := map[string]bool{}
		for _, name := range methods {
			known[name] = true
		}
		return fmt.Errorf("not all clients send the method %s%s", method, fault.Suggest(method, known, ": they know "+strings.Join(methods, ", ")))
	case !isKnown || target == "":
		return errors.New("this line is no request: write one as in GET http://localhost:8080/path, and text behind #")
	}
	target = version.ReplaceAllString(target, "")
	if m := localhost.FindStringSubmatch(target); m != nil {
		r.Host = m[1]
		_, target, _ = strings.Cut(target, r.Host)
	} else if m := hostName.FindStringSubmatchIndex(target); m != nil {
		if target = target[m[2]:]; target == "" {
			return errors.New("a variable stands for the host of a request: write a path behind it")
		}
	} else if target[0] != '/' && !strings.HasPrefix(target, "{{") {
		return fmt.Errorf("%s: the host of a request is http://localhost:8080, or a variable such as {{host}}, and a path follows that begins with a slash", target)
	}
	if target == "" || target[0] == '?' {
		target = "/" + target
	}
	r.Target = p.text(l.number, target)
	only := r.Target.pieces[0].ref
	r.Absolute = len(r.Target.pieces) == 1 && only != nil && only.isHeader
	if target[0] != '/' && !r.Absolute {
		return fmt.Errorf("%s: a path begins with a slash, or is {{name.response.headers.location}} as a whole", target)
	}
	r.Method = method
	if err := checkTarget(target); err != nil {
		p.fault(l.number, "%s: %v", target, err)
	}
	return nil
}

// checkTarget returns what is wrong with the literal text of a path and query.
func checkTarget(target string) error {
	literal := braces.ReplaceAllString(target, "x")
	switch {
	case strings.ContainsFunc(literal, unicode.IsSpace):
		return errors.New("write %20 for a blank in a URL")
	case strings.Contains(literal, "#"):
		return errors.New("clients do not send what follows #")
	case strings.Contains(literal, `\`):
		return errors.New(`clients send / for \: write %5C`)
	case badEscape.MatchString(literal):
		return errors.New("% begins an escape of two hexadecimal digits: write %25")
	case dots.MatchString(literal):
		return errors.New("clients resolve the dots before they send the request: write the path without them")
	}
	return nil
}

// notRead returns an error for a line that clients send, or take for a script, where its author
// may have meant an expectation.
func notRead(l line) error {
	switch {
	case strings.HasPrefix(l.trimmed, "??"):
		return fmt.Errorf("clients send this line: write # %s", l.trimmed)
	case script.MatchString(l.text):
		return errors.New("scripts are not read: write what is expected below the request, as # ?? status == 200")
	}
	return nil
}

// script finds lines that clients take for the beginning of a script.
var script = regexp.MustCompile(`^\s*(?:[<>]\s*\{%|>\s+\S+\.js\s*$|\{\{(?:@js\s+)?[+@]?(?i:request|streaming|response|after|responseLogging)?\s*$)`)

// message parses the lines below a request line: the header, the body, and the comments around
// the body, which it returns.
func (p *parser) message(r *Request, lines []line) (comments []line) {
	blank := slices.IndexFunc(lines, func(l line) bool { return l.trimmed == "" })
	if blank < 0 {
		blank = len(lines)
	}
	begin, end := blank, len(lines)
	for begin < end && !lines[begin].isText() {
		begin++
	}
	for begin < end && !lines[end-1].isText() {
		end--
	}
	p.header(r, lines[:blank])
	p.body(r, lines[begin:end])
	blanks := slices.DeleteFunc(slices.Clone(lines[blank:begin]), func(l line) bool { return l.isComment })
	if begin < end && len(blanks) > 1 {
		p.fault(lines[begin].number, "leave one blank line above a body: some clients send the others")
	}
	return slices.DeleteFunc(slices.Concat(lines[:begin], lines[end:]), func(l line) bool { return !l.isComment })
}

// header parses the lines directly below a request line.
func (p *parser) header(r *Request, lines []line) {
	for _, l := range lines {
		if l.isComment {
			continue
		}
		name, value, ok := strings.Cut(l.trimmed, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		err := notRead(l)
		switch {
		case err != nil:
			p.fault(l.number, "%v", err)
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

// comment parses a comment below a request line, which may be an expectation.
func (p *parser) comment(r *Request, l line) {
	text, ok := strings.CutPrefix(l.rest, "??")
	switch {
	case strings.HasPrefix(l.rest, "@"):
		p.fault(l.number, "# %s stands above its request", l.rest)
	case !ok: // it is prose
	case l.trimmed[0] != '#':
		p.fault(l.number, "write an expectation behind #: # %s", l.rest)
	default:
		e, text, err := parseExpectation(l.number, text)
		if err == nil {
			e.text = p.text(l.number, text)
			err = e.check(text)
		}
		if err != nil {
			p.fault(l.number, "%v", err)
			return
		}
		r.Expects = append(r.Expects, e)
	}
}

// misread finds lines that a client takes for something else than a part of a body.
var misread = regexp.MustCompile(`^\s*(?:@|>>!?\s|<>\s|/\*\s*$|HTTP/\S+\s*[1-5]\d\d|(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND|PROPPATCH|MKCOL|COPY|MOVE|LOCK|UNLOCK|CHECKOUT|CHECKIN|REPORT|MERGE|MKACTIVITY|MKWORKSPACE|VERSION-CONTROL|BASELINE-CONTROL|MKCALENDAR|ACL|SEARCH|GRAPHQL|GRPC|MQTTS?|AMQP|WSS?|WEBSOCKET|SSE|EVENTSOURCE)\s+\S|(?i:grpc|mqtts?|amqps?|wss?)://|proto\s*<)`)

// divides finds lines that httpyac takes for the end of a message.
var divides = regexp.MustCompile(`={3}\s*(?:wait-for-server)?\s*$|<--->`)

// body parses the lines of a body, of which the first and the last are no comments.
func (p *parser) body(r *Request, lines []line) {
	isForm := strings.HasPrefix(strings.ToLower(r.field("Content-Type")), "application/x-www-form-urlencoded")
	for i, l := range lines {
		err := notRead(l)
		switch {
		case l.isComment:
			p.fault(l.number, "this line is within a body, and clients leave it out: put the body into a file, < ./file")
		case err != nil:
			p.fault(l.number, "%v", err)
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

// define makes variables known to the lines below them.
func (p *parser) define(variables []Variable) {
	for _, v := range variables {
		if p.isNew(v.Value.Line, v.Name) {
			p.variables[v.Name] = true
		}
	}
}

// isNew reports whether a name is not in use, and adds a fault if it is.
func (p *parser) isNew(line int, name string) bool {
	use := p.useOf(name)
	if use != "" {
		p.fault(line, "%s is %s already: names of variables and requests are used once in a file", name, use)
	}
	return use == ""
}

// useOf returns what a name stands for, or "".
func (p *parser) useOf(name string) string {
	switch r := p.requests[name]; {
	case p.variables[name]:
		return "a variable"
	case r == nil:
		return ""
	case r.Disabled:
		return "the name of a request that is not sent"
	}
	return "the name of another request"
}

// checkTitles reports the requests without # @name to which httpyac gives a name that is in use:
// it makes one of the title.
func (p *parser) checkTitles() {
	for _, r := range p.file.Requests {
		name := titleName(r.Title)
		if use := p.useOf(name); r.Name == "" && use != "" {
			p.fault(r.Line, "httpyac gives this request the name %s, after its title, and that is %s: change one of them", name, use)
		}
	}
}

// titleName returns the name that httpyac makes of a title: "Sign in" becomes "SignIn".
func titleName(title string) string {
	return afterHyphen.ReplaceAllStringFunc(spaces.ReplaceAllString(title, "-"), func(s string) string { return strings.ToUpper(s[1:]) })
}

var (
	spaces      = regexp.MustCompile(`\s`)
	afterHyphen = regexp.MustCompile(`-.`)
)
