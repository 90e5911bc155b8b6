package internal_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/matryer/is"
)

// insides lists the main things that flow knows of the inside of the standard library: what its documentation does
// not promise, and what a new version of Go may therefore change. For each there is a test that
// fails then, and a way for flow to stay right until somebody has mended it.
var insides = []struct {
	inside    string
	file      string // that depends on it, below internal/
	test      string // that fails if it changes, with its directory if that is not the one of file
	otherwise string // what flow does then
}{
	{"html/template appends escapers called _html_template_… to actions, and those of a place make the same bytes",
		"serve/pages/plan/escape.go", "TestChainsThatDifferAreLeftToHTMLTemplate",
		"an escaper that is unknown, or makes other bytes, is left to html/template, and so is a page without known escapers"},
	{"html/template writes {{html .X}} as {{_eval_args_ .X | html}}",
		"serve/pages/plan/compile.go", "TestSameAsHTMLTemplate",
		"html/template renders the page"},
	{"html/template executes the tree that Template.Tree shows",
		"serve/pages/plan/escape.go", "TestValuesOfOtherTypes",
		"html/template renders all pages"},
	{"html/template adds escapers to the nodes that it is given",
		"serve/pages/templates/insides.go", "TestInsidesOfHTMLTemplate",
		"Check refuses all pages, and names the version of Go"},
	{"html/template renames a call by the context in which it stands: $htmltemplate_…",
		"serve/pages/templates/insides.go", "TestInsidesOfHTMLTemplate",
		"all calls are inlined, and recursive ones are refused"},
	{"html/template prints nodes in its errors, which must have been made by the parser",
		"serve/pages/templates/inlinecalls.go", "TestOnePiece",
		"only nodes of the parser are printed"},
	{"the types of nodes in text/template/parse",
		"serve/pages/language/language.go", "TestParseNodes",
		"html/template renders a page with another node, and checks do not look into that node"},
	{"where nodes of the parser begin, and file:line:column of Tree.ErrorContext",
		"check/typecheck/message.go", "TestProblem",
		"a fault has another column"},
	{"the words of errors in the execution of text/template",
		"serve/pages/plan/fail.go", "TestErrors",
		"the error of a page that fails has other words than that of html/template"},
	{"the words of errors of html/template and text/template, with file and line",
		"serve/pages/templates/view.go", "testkit/apps/pages/TestTemplateFaults",
		"a fault has the words of html/template, and the file of the page"},
	{"which functions, constants and comparisons text/template has",
		"serve/pages/language/function.go", "TestBuiltins",
		"html/template renders a page with a function that is unknown"},
	{"encoding/json fills fields by these rules",
		"serve/wire/input/fields.go", "TestFieldsLikeEncodingJSON",
		"a value that Bind does not convert itself is decoded by encoding/json, and the place of an error does not come from it"},
	{"net/http holds back 2,048 bytes of an answer before it sends any",
		"serve/wire/server/pace.go", "TestHeldBack",
		"a write has the deadline that the server has set for the request"},
	{"net/http's ResponseWriters have the methods that http.ResponseController looks for",
		"serve/wire/server/pace.go", "TestWriters",
		"none: the server panics at each request"},
	{"net/http reads the rest of a body before the header, after the handler, or not at all",
		"serve/wire/server/body.go", "TestUnreadBodies",
		"the deadlines for the rest are set in all of these places"},
	{"net/http refuses the body of a client that waits for 100 Continue once the answer has begun, since Go 1.27",
		"serve/wire/server/body.go", "TestBodyReadAfterAnswer",
		"the deadline for the rest is set as long as no Read has reached the body"},
	{"net/http lingers before it closes a connection if an http.MaxBytesReader has reported a large body",
		"serve/wire/server/pace.go", "TestAnswersToLargeBodies",
		"a client may lose an answer that comes before its body has ended"},
	{"net/http stores trailers in the map of its own http.Request",
		"serve/wire/server/trailer.go", "testkit/apps/requests/TestTrailers",
		"handlers do not see trailers that were not announced"},
	{"the frames of a panic begin with runtime.gopanic",
		"fault/position.go", "TestPanicked",
		"a fault of a converter that panics has no line"},
	{"the text of runtime/debug.Stack",
		"develop/devpage/stack.go", "TestStack",
		"the page of development has fewer frames, or none"},
	{"how the compiler names closures, method values and the bodies of loops",
		"serve/routes/forms/name.go", "TestNameOf",
		"the route map names a guard otherwise"},
}

// TestInsides holds that each entry has its file and its test.
func TestInsides(t *testing.T) {
	for _, tt := range insides {
		t.Run(tt.inside, func(t *testing.T) {
			is := is.New(t)
			_, err := os.Stat(filepath.FromSlash(tt.file))
			is.NoErr(err)
			dir, test := path.Split(tt.test)
			if dir == "" {
				dir = path.Dir(tt.file)
			}
			tests, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*_test.go"))
			is.NoErr(err)
			found := false
			for _, name := range tests {
				text, err := os.ReadFile(name)
				is.NoErr(err)
				found = found || regexp.MustCompile(`(?m)^func `+test+`\(`).Match(text)
			}
			is.True(found)
			is.True(tt.otherwise != "")
		})
	}
}
