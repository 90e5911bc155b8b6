package flow_test

import (
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/seeds"
)

// seedRouter returns the Router of a Seed.
func seedRouter(s seeds.Seed) *flow.Router {
	r := flow.New(s.Tree())
	r.ContentSecurityPolicy = s.Policy
	r.Funcs = template.FuncMap{"lang": func() string { return "en" }}
	r.Authenticate = func(*flow.Request) (any, error) { return nil, nil }
	r.At("page").GET().Do(func(*flow.Request) (seeds.Data, error) { return seeds.Data{}, nil })
	r.At("page").POST().Do(func(*flow.Request) flow.Response { return flow.Redirect("/page") })
	return r
}

// warnedLine is the place of a warning of the command check.
var warnedLine = regexp.MustCompile(`(?m)^(.*?:\d+):\d+: warning: `)

// TestSeeds: the command check says what is wrong with each Seed, at its line, and nothing else. It says
// nothing of those that are right.
func TestSeeds(t *testing.T) {
	for _, list := range [][]seeds.Seed{seeds.Inaccessible, seeds.Accessible, seeds.Refused, seeds.Allowed} {
		for _, s := range list {
			t.Run(s.About, func(t *testing.T) {
				is := is.New(t)
				said := runWith(t.Context(), seedRouter(s), nil, "check").stderr
				var places []string
				for _, m := range warnedLine.FindAllStringSubmatch(said, -1) {
					places = append(places, m[1])
				}
				want := s.Places()
				if s.Silent != "" {
					want = nil
				}
				if !slices.Equal(slices.Compact(places), want) {
					t.Errorf("check says this, and not something at %v:\n%s", want, said)
				}
				is.Equal(strings.Count(said, "the policy refuses"), strings.Count(said, "\n")*min(len(s.Policy), 1)) // it is about the policy if the Seed is
			})
		}
	}
}

// TestFieldsOfForms: a partial for the fields of forms is judged as one for fields that people see, unless
// one of them may be hidden.
func TestFieldsOfForms(t *testing.T) {
	const label = `<label for="{{.of.ID}}">{{.label}}</label>`
	for _, tt := range []struct{ name, old, new, want string }{
		{"a label", "", "", ""},
		{"no label", label, `<p>{{.label}}</p>`, "<input> has no label"},
		{"a label for nothing", label, `<label>{{.label}}</label>`, "<input> has no label"},
		{"no id", ` id="{{.of.ID}}"`, ``, "<input> has no label"},
		{"a field that is hidden", `<button>`, `{{template "+field" (dict "of" ((.Form.Field "lang").As "hidden") "label" "")}}<button>`, ""},
		{"a field of a type that is not known", `<button>`, `{{template "+field" (dict "of" ((.Form.Field "lang").As .Form.Value.Title) "label" "")}}<button>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			field := strings.ReplaceAll(signingField, tt.old, tt.new)
			if strings.HasSuffix(tt.new, "<button>") {
				field = strings.ReplaceAll(signingField, label, "")
			}
			page := strings.ReplaceAll(signingPage, tt.old, tt.new)
			r := flow.New(fstest.MapFS{"router/new.html": {Data: []byte(page)}, "router/+field.html": {Data: []byte(field)}})
			r.At("new").GET().Do(func(*flow.Request) (signingData, error) { return signingData{}, nil })
			r.At("new").POST().Do(func(*flow.Request, flow.Form[signing]) (flow.Response, error) { return flow.Redirect("/new"), nil })
			var said []string
			for line := range strings.Lines(runWith(t.Context(), r, nil, "check").stderr) {
				if what, ok := strings.CutPrefix(line, "router/+field.html:"); ok {
					said = append(said, what)
				}
			}
			is.Equal(len(said), min(len(tt.want), 1)) // once for all calls of the partial
			is.True(strings.Contains(strings.Join(said, ""), tt.want))
		})
	}
}
