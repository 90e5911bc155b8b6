package openapi

import (
	"encoding/json"
	"errors"
	"mime/multipart"
	"strings"
	"testing/fstest"
	"time"

	"example.com/flow"
	"example.com/flow/openapi"
)

// traps returns an application with all that is hard to describe: URLs that OpenAPI cannot write,
// types that contain themselves, JSON that types write on their own, files, several answers.
func traps() *flow.Router {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"openapi.json": "### Traps \"and\" `ticks`\n# Prose with <b>, \\ and é.\n#\n# A second paragraph.\n",
		"docs":         "",
		"files/[...path]": `### A file
GET /files/a/b.txt

# ?? status == 200
# ?? header cache-control == no-store
`,
		"months/[[year=int]]": "",
		"things/[id=int]":     "",
		"things/[key=uuid]":   "",
		"things/[name=slug]":  "",
		"days/[day=date]":     "",
		"tree/index":          "### A tree\nPOST /tree\nContent-Type: application/json\n\n{\"name\": \"a\", \"children\": [{\"name\": \"b\", \"children\": []}]}\n",
		"all kinds/a+b/[c]":   "",
		"uploads":             "",
		"jobs":                "### A job\nPOST /jobs\nContent-Type: application/json\n\n{\"color\": \"red\"}\n\n# ?? status == 202\n# ?? header location startsWith /jobs/\n",
		"forms":               "",
		"(group)/[a]/x/[b]":   "",
		"search":              "",
		"any":                 "",
		"deep/[[...deep]]":    "",
	} {
		files["router/"+name+".http"] = &fstest.MapFile{Data: []byte(text)}
	}
	r := flow.New(files)
	r.Logger = quiet
	in := r.At
	in("openapi.json").GET().Do(trapped.JSON())
	in("docs").GET().Do(trapped.Page())
	in("files/[...path]").GET().Do(func(*flow.Request, struct {
		Path []string `param:"path"`
	}) (flow.Response, error) {
		return flow.Text("").Header("Cache-Control", "no-store"), nil
	})
	in("months/[[year=int]]").GET().Do(func(*flow.Request, struct {
		Year *int `param:"year"`
	}) ([]time.Time, error) {
		return nil, nil
	})
	in("things/[id=int]").GET().Use(byCookie).Do(func(*flow.Request) (kinds, error) { return kinds{}, nil })
	in("things/[id=int]").PUT().Use(byToken).Do(func(*flow.Request, kinds) error { return nil })
	in("things/[key=uuid]").GET().Do(func(*flow.Request) (string, error) { return "", nil })
	in("things/[name=slug]").PATCH().Do(func(*flow.Request, flow.Form[limits]) (flow.Response, error) { return flow.Response{}, nil })
	in("days/[day=date]").GET().Do(func(*flow.Request, struct {
		Day time.Time `param:"day"`
	}) (map[string]*node, error) {
		return nil, nil
	})
	in("tree/index").POST().Do(func(_ *flow.Request, n node) (node, error) { return n, nil })
	in("deep/[[...deep]]").GET().Do(func(*flow.Request) (pair[node, *left], error) { return pair[node, *left]{}, nil })
	in("all kinds/a+b/[c]").GET().Do(func(*flow.Request) (kinds, error) { return kinds{}, nil })
	in("uploads").POST().Do(func(*flow.Request, upload) error { return nil })
	in("jobs").POST().Status(202).Do(func(_ *flow.Request, j job) (pair[int, string], error) { return pair[int, string]{}, nil })
	in("forms").POST().Do(func(*flow.Request, limits) (limits, error) { return limits{}, nil })
	in("(group)/[a]/x/[b]").DELETE().Do(func(*flow.Request, struct {
		A string `param:"a"`
		B string `param:"b" doc:"Deprecated: it does nothing."`
	}) error {
		return nil
	})
	in("search").GET().Do(func(*flow.Request, search) ([]any, error) { return nil, nil })
	in("any").ANY().Do(func(*flow.Request) flow.Response { return flow.Text("") })
	return r
}

var trapped = openapi.API{SignIn: []openapi.SignIn{
	{Name: "token", Bearer: true, Guards: []any{byToken}},
	{Name: "session", Cookie: "session", Guards: []any{byCookie}},
}}

func byToken(*flow.Request) flow.Response { return flow.Next() }

func byCookie(*flow.Request) flow.Response { return flow.Next() }

// A node contains nodes of its own type.
type node struct {
	Name     string `json:"name"`
	Children []node `json:"children"`
	Parent   *node  `json:"parent,omitempty"`
}

func (n node) Validate() error {
	if n.Name == "" {
		return flow.Invalid{"name": "is missing"}
	}
	return nil
}

// left and right contain each other.
type left struct {
	Right *right         `json:"right"`
	By    map[string]any `json:"by"`
}

type right struct {
	Lefts []left `json:"lefts"`
}

type pair[A, B any] struct {
	First  A `json:"first"`
	Second B `json:"second"`
}

// color has the values that its method names.
type color string

func (color) JSONSchema(s map[string]any) {
	s["enum"], s["description"] = []color{"red", "green"}, "One of two."
}

// even writes and reads JSON on its own.
type even int

func (e even) MarshalJSON() ([]byte, error) { return json.Marshal(int(e) * 2) }

func (e *even) UnmarshalJSON(text []byte) error {
	var n int
	if err := json.Unmarshal(text, &n); err != nil || n%2 != 0 {
		return errors.Join(err, errors.New("odd"))
	}
	*e = even(n / 2)
	return nil
}

type base struct {
	ID int64 `json:"id,string"`
}

// kinds has a field of each kind.
type kinds struct {
	base
	Bool    bool            `json:"bool"`
	Small   int8            `json:"small"`
	Byte    uint8           `json:"byte"`
	Float   float32         `json:"float"`
	Text    *string         `json:"text"`
	Data    []byte          `json:"data"`
	Array   [3]int          `json:"array"`
	Raw     json.RawMessage `json:"raw"`
	Any     any             `json:"any"`
	Number  json.Number     `json:"number"`
	Wait    time.Duration   `json:"wait"`
	At      time.Time       `json:"at"`
	Maybe   *time.Time      `json:"maybe,omitempty"`
	Color   color           `json:"color"`
	Even    even            `json:"even"`
	Of      map[int]right   `json:"of"`
	Nested  [][]*left       `json:"nested"`
	Unnamed struct {
		X int `json:"x,omitzero"`
	} `json:"unnamed"`
	Odd    string `json:"odd name"`
	Hidden string `json:"-"`
}

type job struct {
	Color color `json:"color" doc:"Deprecated: use the other."`
	Due   *struct {
		At time.Time `json:"at"`
	} `json:"due"`
}

func (j job) Validate() error {
	if j.Color != "red" && j.Color != "green" {
		return flow.Invalid{"color": "is red or green"}
	}
	return nil
}

// limits has some that Validate says.
type limits struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Tags  []string `json:"tags"`
}

func (l *limits) Default() { l.Count = 3 }

func (l limits) Validate() error {
	wrong := flow.Invalid{}
	if n := len(strings.TrimSpace(l.Name)); n < 2 || n > 10 {
		wrong["name"] = "has from 2 to 10 characters"
	}
	if l.Count < 1 || l.Count > 9 {
		wrong["count"] = "is from 1 to 9"
	}
	if len(l.Tags) > 3 {
		wrong["tags"] = "are too many"
	}
	return wrong
}

type upload struct {
	Title string                  `json:"title"`
	File  *multipart.FileHeader   `json:"file"`
	More  []*multipart.FileHeader `json:"more"`
}

func (u upload) Validate() error {
	if u.File == nil {
		return flow.Invalid{"file": "is missing"}
	}
	return nil
}

type search struct {
	Text  string    `query:"q"`
	Tags  []string  `query:"tag"`
	Since time.Time `query:"since"`
	Color color     `query:"color"`
	Deep  bool      `query:"deep"`
}
