package htmltoken

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// names of the kinds, as the tables of these tests have them.
var names = []string{"none", "text", "start", "tag", "attr", "value", "attrend", "end"}

// tokens returns the tokens of texts that follow one another, each as its kind and its text.
func tokens(finished bool, texts ...string) (all []string) {
	var s State
	name := ""
	for _, text := range texts {
		for at := 0; at < len(text); {
			kind, from, to := s.Next(text, at, finished)
			at = to
			switch kind {
			case None:
				continue
			case TagStart:
				name = ""
			case TagName:
				name += Lower(text[from:to])
			case TagEnd:
				s.Close(name)
			}
			all = append(all, strings.TrimSuffix(names[kind]+":"+text[from:to], ":"))
		}
	}
	return all
}

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts string // "|" is where one ends and the next one begins
		want  string
	}{
		{"texts", "a < b</ c", "text:a < b</ c"},
		{"a tag", "a<P>b", "text:a start:< tag:P end:> text:b"},
		{"an end tag", "</p x>", "start:</ tag:p attr:x attrend end:>"},
		{"attributes", `<a b c=d e="f'" g='h"' i = j/>`, `start:< tag:a attr:b attrend attr:c value:d attrend attr:e value:f' attrend attr:g value:h" attrend attr:i value:j/ attrend end:>`},
		{"values that are empty", `<a b="" c= d='' e=>`, `start:< tag:a attr:b attrend attr:c value:d='' attrend attr:e attrend end:>`},
		{"a name with =", "<a =b=c>", "start:< tag:a attr:=b value:c attrend end:>"},
		{"without spaces", `<a/b="c"d>`, "start:< tag:a attr:b value:c attrend attr:d attrend end:>"},
		{"raw text", "<script>a<b</script >c", "start:< tag:script end:> text:a<b start:</ tag:script end:> text:c"},
		{"an end tag begins no raw text", "</title><b>", "start:</ tag:title end:> start:< tag:b end:>"},
		{"no comments in a template's script", "<script><!-- <script></script>", "start:< tag:script end:> text:<!-- <script> start:</ tag:script end:>"},
		{"a comment", "<!-- <a> --!> -->b", "text:b"},
		{"a doctype", "<!DocType a>b", "text:b"},
		{"where a tag is cut", "<|a|b| |c|d|=|e|f|>|g", "start:< tag:a tag:b attr:c attr:d attr: value:e value:f attrend end:> text:g"},
		{"where a value is cut", `<a b="|c|"|>`, "start:< tag:a attr:b value:c attrend end:>"},
		{"where a comment is cut", "<!-- |--|-->a", "text:a"},
		{"where raw text is cut", "<title>|a|b</title>c", "start:< tag:title end:> text:a text:b start:</ tag:title end:> text:c"},
		{"a tag that is not ended", "<a b='c", "start:< tag:a attr:b value:c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(tokens(false, strings.Split(tt.texts, "|")...), " ")
			is.New(t).Equal(strings.ReplaceAll(got, "attr ", "attr: "), strings.ReplaceAll(tt.want, "attr ", "attr: "))
		})
	}
}

// TestNextOfFinishedPages has what browsers read in another way than html/template does.
func TestNextOfFinishedPages(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"<!--><b>", "start:< tag:b end:>"},
		{"<!---><b>", "start:< tag:b end:>"},
		{"<!-- --!><b>", "start:< tag:b end:>"},
		{"<!--!><b>-->c", "text:c"},
		{"</ a><? <b>c", "text:c"},
		{"a</", "text:a</"},
		{"<script><!-- <script>a</script> --></script>b", "start:< tag:script end:> text:<!-- <script>a</script> --> start:</ tag:script end:> text:b"},
		{"<script><!-- a</script>b", "start:< tag:script end:> text:<!-- a start:</ tag:script end:> text:b"},
		{"<style><!-- <style></style>b", "start:< tag:style end:> text:<!-- <style> start:</ tag:style end:> text:b"},
	} {
		t.Run(tt.text, func(t *testing.T) { is.New(t).Equal(strings.Join(tokens(true, tt.text), " "), tt.want) })
	}
}

// FuzzNext reads any HTML: the tokens stand one behind the other, and each call either moves on or ends
// an attribute.
func FuzzNext(f *testing.F) {
	f.Add(`<a b="c"d>`, true)
	f.Add("<script><!-- <script>a</script> --></script></ a><!--", false)
	f.Fuzz(func(t *testing.T, text string, finished bool) {
		var s State
		for at := 0; at < len(text); {
			kind, from, to := s.Next(text, at, finished)
			if from < at || to < from || to > len(text) || to == at && kind != AttrEnd || kind == None && to < len(text) {
				t.Fatalf("%q: %s from %d to %d behind %d", text, names[kind], from, to, at)
			}
			if at = to; kind == TagEnd {
				s.Close("script")
			}
		}
	})
}
