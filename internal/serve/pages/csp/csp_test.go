package csp

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ policy, want string }{
		{"default-src 'self'; script-src 'nonce' 'strict-dynamic'; object-src 'none'; base-uri 'none'", ""},
		{"default-src 'nonce';", ""},
		{"upgrade-insecure-requests; style-src-elem 'nonce'", ""},
		{"", "it has no directive"},
		{" ; ", "it has no directive"},
		{"default-src 'self'\nscript-src 'nonce'", `it has the character '\n': a policy is one line of ASCII`},
		{"default-src “self”", `it has the character '“': a policy is one line of ASCII`},
		{"script-src 'self', 'nonce'", "it has a comma, which ends the policy: directives end in a semicolon, and sources are separated by spaces"},
		{"script-src: 'self'", `"script-src:" is no name of a directive: write it as in script-src 'self'`},
		{"script-src 'self'; SCRIPT-SRC 'nonce'", "script-src is there twice, and browsers ignore the second one"},
		{"img-src 'nonce'", "img-src has 'nonce', which allows scripts and styles only: write it in script-src or style-src"},
		{"script-src 'nonce-abc'", "script-src has the nonce 'nonce-abc', which would be the same in each answer: write 'nonce', and each answer has its own"},
		{"script-src nonce; style-src 'Nonce'", "script-src has nonce: write 'nonce'; style-src has 'Nonce': write 'nonce'"},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			_, problems := NewTemplate(tt.policy)
			is.New(t).Equal(strings.Join(problems, "; "), tt.want)
		})
	}
}

func TestWithNonce(t *testing.T) {
	for _, tt := range []struct {
		policy, want string
		has          bool
	}{
		{"default-src 'self'; img-src *", "default-src 'self'; img-src *", false},
		{"script-src 'nonce' 'strict-dynamic'; style-src 'nonce'", "script-src 'nonce-X' 'strict-dynamic'; style-src 'nonce-X'", true},
	} {
		is := is.New(t)
		p, problems := NewTemplate(tt.policy)
		is.Equal(len(problems), 0)
		is.Equal(p.WithNonce("X"), tt.want)
		is.Equal(p.HasNonce(), tt.has)
	}
}

// sums returns the hashes of texts, as sources.
func sums(texts ...string) string {
	var all []string
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		all = append(all, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(all, " ")
}

func TestPage(t *testing.T) {
	with := ` nonce="` + Placeholder + `"`
	for _, tt := range []struct {
		name, policy, page string
		want               string // of the policy; "" if the page cannot be sent to everybody
	}{
		{"a script", "script-src 'nonce' 'strict-dynamic'", "<p>a<script" + with + ">b()</script>", "script-src " + sums("b()") + " 'strict-dynamic'"},
		{"without the attribute", "script-src 'nonce'", "<script>b()</script>", "script-src " + sums("b()")},
		{"twice", "script-src 'nonce'", "<script>b()</script><SCRIPT\n>b()</script >", "script-src " + sums("b()")},
		{"a style", "script-src 'nonce'; style-src 'self' 'nonce'", "<style" + with + ">p{}</style>", "script-src 'none'; style-src 'self' " + sums("p{}")},
		{"both in default-src", "default-src 'nonce'; img-src *", "<style>p{}</style><script>b()</script>", "default-src " + sums("b()", "p{}") + "; img-src *"},
		{"neither", "script-src 'nonce' 'self'", "<p>", "script-src 'self'"},
		{"another directive only", "style-src 'nonce'; script-src 'self'", "<script>b()</script>", "style-src 'none'; script-src 'self'"},
		{"without a nonce in the policy", "script-src 'self'", "<script>b()</script>", "script-src 'self'"},
		{"newlines", "script-src 'nonce'", "<script>a\r\nb\rc\x00</script>", "script-src " + sums("a\nb\nc\ufffd")},
		{"a script of a file", "script-src 'nonce'", "<script src=a.js" + with + "></script>", ""},
		{"a script of a file without the nonce", "script-src 'nonce' 'self'", "<script src=a.js></script>", "script-src 'self'"},
		{"a style sheet", "style-src 'nonce'", "<link rel=stylesheet href=a.css" + with + ">", ""},
		{"in the text", "script-src 'nonce'", "<p>" + Placeholder, ""},
		{"in the script", "script-src 'nonce'", "<script" + with + ">n='" + Placeholder + "'</script>", ""},
		{"in another attribute", "script-src 'nonce'", `<meta content="` + Placeholder + `">`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			p, problems := NewTemplate(tt.policy)
			is.Equal(len(problems), 0)
			page, policy, ok := p.Page([]byte(tt.page))
			is.Equal(ok, tt.want != "")
			is.Equal(policy, tt.want)
			if ok {
				is.Equal(string(page), strings.ReplaceAll(tt.page, Placeholder, ""))
			}
		})
	}
}

// TestPageOf: a script that the nonce did not allow, no hash allows either.
func TestPageOf(t *testing.T) {
	is := is.New(t)
	p, _ := NewTemplate("script-src 'nonce' 'self'")
	page, policy, ok := p.PageOf([]byte(`<script nonce="x1">a()</script><script>b()</script><script nonce="no">c()</script>`), "x1")
	is.True(ok)
	is.Equal(string(page), `<script nonce="">a()</script><script>b()</script><script nonce="no">c()</script>`)
	is.Equal(policy, "script-src "+sums("a()")+" 'self'")
	_, _, ok = p.PageOf([]byte(`<script nonce="x1" src=a.js></script>`), "x1")
	is.True(!ok)
}

// TestElements finds the scripts and styles that a browser finds.
func TestElements(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{"", ""},
		{"a < b <> <3 </", ""},
		{"<script>a</script>", "script:a"},
		{"<script>a</script><style>b</style>", "script:a style:b"},
		{"<script>a</scriptx></script x>b", "script:a</scriptx>"},
		{"<script>a", "script:a"},
		{"<scripts>a</scripts>", ""},
		{"<!-- <script>a</script> --><script>b</script>", "script:b"},
		{"<!--><script>a</script>-->", "script:a"},
		{"<!---><script>a</script>-->", "script:a"},
		{"<!-- --!><script>a</script>", "script:a"},
		{"<!-- <script>a</script>", ""},
		{"<!doctype html><script>a</script>", "script:a"},
		{"<? <script>a</script>", ""},
		{`<p title="<script>a</script>">`, ""},
		{`<p title='"><script>a</script>'>`, ""},
		{"<p title=><script>a</script>", "script:a"},
		{"<p title = x><script>a</script>", "script:a"},
		{"<p =><script>a</script>", "script:a"},
		{"<title><script>a</script></title>", ""},
		{"<textarea><style>a</style></textarea><style>b</style>", "style:b"},
		{"<noscript><style>a</style></noscript>", "style:a"},
		{"<script><!-- <script>a</script> --></script>b", "script:<!-- <script>a</script> -->"},
		{"<script><!-- a</script>b", "script:<!-- a"},
		{"<script><!-- a --> <script>b</script>", "script:<!-- a --> <script>b"},
		{"<script><!--><script>b</script>", "script:<!--><script>b"},
		{"<style><!-- <style>a</style>b", "style:<!-- <style>a"},
		{"<script SRC=a.js>b</script>", "script!b"},
		{"<style src=a.js>b</style>", "style:b"},
		{"<script nonce=x nonce=y>b</script>", "script=x:b"},
		{"<script nonce='x y' src>b</script>", "script=x_y!b"},
		{"<script>a</script><script nonce=x", "script:a"},
		{"</p title='><script>a</script>'><script>b</script>", "script:b"},
		{"<script/nonce=\"x\"/>b</script>", "script=x:b"},
	} {
		t.Run(tt.html, func(t *testing.T) {
			var got []string
			for _, e := range elements(tt.html) {
				text := e.name
				if e.nonce != "" {
					text += "=" + strings.ReplaceAll(e.nonce, " ", "_")
				}
				text += map[bool]string{true: "!", false: ":"}[e.external] + e.text
				got = append(got, text)
			}
			is.New(t).Equal(strings.Join(got, " "), tt.want)
		})
	}
}

// FuzzElements never fails, and finds parts of the page, in order.
func FuzzElements(f *testing.F) {
	f.Add("<script nonce='x'><!-- <script> --></script><style src=a>b</style><p a=\"b\">")
	f.Fuzz(func(t *testing.T, html string) {
		rest := html
		for _, e := range elements(html) {
			_, after, found := strings.Cut(rest, e.text)
			if !found || e.name != "script" && e.name != "style" {
				t.Fatalf("%q: %+v", html, e)
			}
			rest = after
		}
	})
}
