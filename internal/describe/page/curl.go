package page

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"example.com/flow/internal/site/httpfile"
)

// Curl returns a request as a command of a shell, or "" if only a test knows what it sends, or its
// body is not one line of text. "$URL" stands for the host, which no cache may keep, and
// "$token" for the reference {{token}} in a header. prefix stands in front of the path.
func Curl(s httpfile.Sample, prefix string) string {
	if s.Target == "" || s.Lacks || strings.ContainsFunc(prefix, isControl) {
		return ""
	}
	words := []string{"curl", "-i"}
	switch {
	case s.Method == "HEAD":
		words[1] = "-I"
	case s.Method != "GET" || len(s.Body) > 0:
		words = append(words, "-X", s.Method)
	}
	if strings.ContainsAny(s.Target, "[]") { // which curl takes for several URLs
		words = append(words, "-g")
	}
	if url := prefix + s.Target; strings.ContainsAny(url, "$`\\\"!'") {
		words = append(words, `"$URL"`+quote(url))
	} else {
		words = append(words, `"$URL`+url+`"`)
	}
	typed := false
	for _, field := range s.Header {
		typed = typed || strings.EqualFold(field[0], "Content-Type")
		words = append(words, "-H", quoteHeader(field[0]+": "+field[1]))
	}
	if len(s.Body) > 0 {
		body := s.Body
		if line := new(bytes.Buffer); json.Compact(line, body) == nil {
			body = line.Bytes()
		}
		if bytes.ContainsFunc(body, isControl) || !utf8.Valid(body) {
			return ""
		}
		if !typed {
			words = append(words, "-H", "'Content-Type:'") // or curl says that it is a form
		}
		words = append(words, "--data-raw", quote(string(body)))
	}
	return strings.Join(words, " ")
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// quote returns a text for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

var reference = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// quoteHeader is quote, with variables of the shell in place of references.
func quoteHeader(text string) string {
	if !reference.MatchString(text) {
		return quote(text)
	}
	var b strings.Builder
	done := 0
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		if done < at[0] {
			b.WriteString(quote(text[done:at[0]]))
		}
		b.WriteString(`"$` + text[at[2]:at[3]] + `"`)
		done = at[1]
	}
	if done < len(text) {
		b.WriteString(quote(text[done:]))
	}
	return b.String()
}
