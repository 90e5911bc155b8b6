package input

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// What is embedded in the structs that follow.
type (
	Plain  struct{ A, B string }
	Other  struct{ A, D string }
	User   struct{ Name, Role string }
	Member struct {
		Role string `json:"role"`
		Rank string
	}
	Ranked struct {
		Rank string `form:"rank" json:"rang"`
	}
	TagA struct {
		X string `json:"A"`
	}
	TagA2 struct {
		Y string `json:"A"`
	}
	Deep  struct{ Plain }
	Deep2 struct{ Plain }
	Node  struct {
		A string
		*Node
	}
	Ping struct {
		*Pong
		A string
	}
	Pong struct {
		*Ping
		B string
	}
	Loud struct {
		X string `json:"ROLE"`
	}
	Label   string
	a       string
	hidden  struct{ A, B string }
	Diamond struct{ Deep }
)

// shapes are structs in which fields hide each other, and how Bind and encoding/json
// see them alike.
var shapes = []struct {
	name string
	make func() any
	tags []string // the tags in the way of no other field: encoding/json takes them in any case
}{
	{"no tags", func() any { return &struct{ A, B string }{} }, nil},
	{"embedded", func() any { return &Deep{} }, nil},
	{"hidden", func() any {
		return &struct {
			Plain
			A string
		}{}
	}, nil},
	{"hidden before", func() any {
		return &struct {
			A string
			Plain
		}{}
	}, nil},
	{"hidden by the same tag", func() any {
		return &struct {
			Member
			Role string `json:"role"`
		}{}
	}, []string{"role"}},
	{"hidden by no tag in another case", func() any {
		return &struct {
			Loud
			X string `json:"role"`
		}{}
	}, []string{"role", "ROLE"}},
	{"a tag deeper inside", func() any {
		return &struct {
			TagA
			A string
		}{}
	}, nil},
	{"ambiguous", func() any {
		return &struct {
			Plain
			Other
		}{}
	}, nil},
	{"ambiguous hides deeper", func() any {
		return &struct {
			Plain
			Other
			Deep struct{ Plain }
			Diamond
		}{}
	}, nil},
	{"one tag among names", func() any {
		return &struct {
			Plain
			TagA
		}{}
	}, []string{"A"}},
	{"two tags", func() any {
		return &struct {
			Plain
			TagA
			*TagA2
		}{}
	}, nil},
	{"one struct twice", func() any {
		return &struct {
			Deep
			Deep2
			D string
		}{}
	}, nil},
	{"pointer", func() any {
		return &struct {
			*Plain
			D string
		}{}
	}, nil},
	{"pointer to hidden", func() any {
		return &struct {
			*Plain
			A, B string
		}{}
	}, nil},
	{"pointer that is set", func() any {
		return &struct {
			*Plain
			A string
		}{&Plain{"a", "b"}, "c"}
	}, nil},
	{"pointers to pointers", func() any { return &struct{ *Ping }{} }, nil},
	{"a list", func() any { return &Node{} }, nil},
	{"unexported", func() any {
		return &struct {
			hidden
			A string
		}{}
	}, nil},
	{"unexported pointer", func() any {
		return &struct {
			*hidden
			A string
		}{}
	}, nil},
	{"unexported pointer that is set", func() any {
		return &struct {
			*hidden
			A string
		}{&hidden{}, "a"}
	}, nil},
	{"no structs", func() any {
		return &struct {
			Label
			a
			Plain
			D string
		}{}
	}, nil},
	{"pointer to no struct", func() any { return &struct{ *Label }{} }, nil},
	{"interface", func() any { return &struct{ fmt.Stringer }{} }, nil},
	{"a tag makes it a field", func() any {
		return &struct {
			Plain  `json:"d"`
			*Other `json:"Name"`
			B      string
		}{}
	}, []string{"d", "Name"}},
	{"-", func() any {
		return &struct {
			Plain
			A string `json:"-"`
			//lint:ignore SA5008 a name that looks like none is what is tested
			Dash string `json:"-,"`
			User `json:"-"`
		}{}
	}, []string{"-"}},
	{"kinds", func() any {
		return &struct {
			A    int8
			B    *int
			D    []string
			Name map[string]any
			Role any
			Rank *Plain
			Deep [1]bool
		}{}
	}, nil},
	{"plain kinds", func() any {
		return &struct {
			A    int
			B    int64
			D    float64
			Name bool
			Role named8
		}{1, 2, 3, true, 4}
	}, nil},
	{",string", func() any {
		return &struct {
			N int `json:"A,string"`
			//lint:ignore SA5008 an option without a meaning is what is tested
			P **bool   `json:"B,string"`
			Q *bool    `json:"d,string"`
			S string   `json:"role,omitempty,string"`
			F *float32 `json:",string"`
			//lint:ignore SA5008 an option without a meaning is what is tested
			L []int `json:"Label,string"`
		}{}
	}, []string{"A", "B", "d", "role", "Label"}},
}

var (
	shapeKeys = []string{"A", "a", "B", "b", "D", "d", "Name", "name", "NAME", "Role", "role", "ROLE", "rank", "Rank", "X", "Y",
		"Plain", "plain", "Deep", "Node", "Label", "label", "hidden", "Stringer", "-", "Dash", "N", "F", "f", "", "none"}
	shapeValues = []string{`"x"`, `""`, `"1"`, `"true"`, `"null"`, `"\"x\""`, `"\"x"`, `1`, `-5`, `1.5`, `1e400`, `300`, `-0`, `-0.0`, `1e2`, `false`, `9223372036854775808`, `-9223372036854775808`, `true`, `null`,
		`[]`, `["x",null]`, `["x",1]`, `[1]`, `[true]`, `{}`, `{"A":"x","b":"y"}`, `{"a":1,"B":"x"}`, `"[1]"`}
)

// FuzzBindLikeEncodingJSON: Bind fills what encoding/json fills, and of a form what
// it fills of JSON. Where Bind differs on purpose, the test steps aside:
//   - a tag matches to the letter, and form is a tag, too;
//   - of several spellings of a name one counts, and of a repeated key the last
//     alone, while encoding/json decodes each over the one before;
//   - it goes on after a value that does not convert and returns them all, while
//     encoding/json stops at some in quotes;
//   - see TestBindDiffers for those that concern single types.
func FuzzBindLikeEncodingJSON(f *testing.F) {
	for i := range shapes {
		for j := range shapeKeys {
			f.Add(byte(i), []byte{byte(j), byte(i + j), byte(j + 1), 0, byte(j + 5), 0})
		}
	}
	f.Fuzz(func(t *testing.T, number byte, choices []byte) {
		shape := shapes[int(number)%len(shapes)]
		var all, strict, texts []string // members
		form := url.Values{}
		for ; len(choices) > 1; choices = choices[2:] {
			key, value := shapeKeys[int(choices[0])%len(shapeKeys)], shapeValues[int(choices[1])%len(shapeValues)]
			same := func(other string) bool { return strings.EqualFold(key, other) }
			if slices.ContainsFunc(slices.Collect(maps.Keys(form)), same) {
				continue
			}
			form[key] = []string{"x" + key}
			all = append(all, fmt.Sprintf("%q:%s", key, value))
			if slices.ContainsFunc(shape.tags, same) && !slices.Contains(shape.tags, key) {
				continue // what encoding/json would take for the tag
			}
			strict = append(strict, fmt.Sprintf("%q:%s", key, value))
			texts = append(texts, fmt.Sprintf("%q:%q", key, "x"+key))
		}
		check := func(media, body, text string) {
			got, want := shape.make(), shape.make()
			wantErr := json.Unmarshal([]byte(text), want)
			if media == formType && (wantErr != nil || strings.HasSuffix(shape.name, "kinds")) {
				return // text converts to other types than JSON does
			}
			invalid, err := bind(sending("POST", "/", media, body), got)
			if (err == nil && len(invalid) == 0) != (wantErr == nil) {
				t.Errorf("%s %s: got error %v %v, want %v", shape.name, body, err, invalid, wantErr)
			}
			if err == nil && (len(invalid) == 0 || shape.name != ",string") && !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s: got %s, want %s", shape.name, body, asJSON(got), asJSON(want))
			}
		}
		check(jsonMedia, "{"+strings.Join(all, ", ")+"}", "{"+strings.Join(strict, ",")+"}")
		check(formType, form.Encode(), "{"+strings.Join(texts, ",")+"}")
	})
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestBindDiffers: where a struct is filled otherwise than encoding/json would, a
// hidden field stays empty all the same.
func TestBindDiffers(t *testing.T) {
	type (
		nearTag struct {
			User
			X string `json:"role"`
		}
		nearName struct {
			Member
			Role string
		}
		sameDepth struct {
			User
			Member
		}
		spellings  struct{ ID, Id string }
		unexported struct {
			hidden `json:"in"`
			A      string
		}
		left    struct{ Diamond }
		right   struct{ Diamond }
		formTag struct {
			Ranked
			Rang string `form:"rang"`
		}
	)
	for _, tt := range []struct {
		name string
		dst  any
		keys string
		want string
	}{
		{"a tag hides all spellings of a name deeper inside", &nearTag{}, "role Role ROLE", "{{ } role}"},
		{"whichever come", &nearTag{}, "Role ROLE", "{{ } }"},
		{"a name hides the tags that it spells", &nearName{}, "role", "{{ } role}"},
		{"so that the very name goes first", &nearName{}, "role Role", "{{ } Role}"},
		{"but not at the same depth", &sameDepth{}, "role Role ROLE rank", "{{ Role} {role rank}}"},
		{"there, each goes to its own", &sameDepth{}, "role", "{{ } {role }}"},
		{"and what is not its own to the name", &sameDepth{}, "ROLE", "{{ ROLE} { }}"},
		{"two names to the letter", &spellings{}, "ID Id id", "{ID Id}"},
		{"or the first", &spellings{}, "id iD", "{iD }"},
		{"the very name before the first in order", &struct{ Role string }{}, "role Role ROLE", "{Role}"},
		{"an embedded struct that cannot be set", &unexported{}, "in A B", "{{ } A}"},
		{"a struct twice below two", &struct {
			left
			right
		}{}, "A B", "{{{{{ }}}} {{{{ }}}}}"},
		{"a form's tag deeper inside", &formTag{}, "rang rank", "{{rank} rang}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			form, object := url.Values{}, map[string]string{}
			for _, key := range strings.Fields(tt.keys) {
				form[key], object[key] = []string{key}, key
			}
			bodies := map[string]string{jsonMedia: asJSON(object), formType: form.Encode()}
			for i := range 20 { // maps have no order
				is := is.New(t)
				media := []string{jsonMedia, formType}[i%2]
				dst := reflect.New(reflect.TypeOf(tt.dst).Elem())
				invalid, err := bind(sending("POST", "/", media, bodies[media]), dst.Interface())
				is.NoErr(err)
				is.Equal(said(invalid), "")
				is.Equal(fmt.Sprint(dst.Elem()), tt.want)
			}
		})
	}
}

func TestBindCannotSetAnEmbeddedPointer(t *testing.T) {
	is := is.New(t)
	dst := struct{ *hidden }{}
	_, err := bind(sending("POST", "/", formType, "a=1"), &dst)
	is.True(err != nil)
	is.Equal(err.Error(), `flow: Bind cannot fill "A": it is in an embedded *input.hidden, which is nil and cannot be set from outside its package: embed the struct itself, or set the pointer before`)
	_, err = bind(sending("POST", "/", formType, "none=1"), &dst)
	is.NoErr(err)

	var outer struct {
		Rows []struct {
			*hidden
			N int
		}
	}
	invalid, err := bind(sending("POST", "/", formType, "Rows.0.A=1&Rows.0.N=2"), &outer)
	is.NoErr(err)
	is.Equal(said(invalid), "Rows.0.A: is not valid")
	is.Equal(outer.Rows[0].N, 2)
	invalid, err = bind(sending("POST", "/", jsonMedia, `{"Rows":[{"A":"1","N":2}]}`), &outer)
	is.NoErr(err)
	is.Equal(said(invalid), "Rows: is not valid") // encoding/json does not say where
}

// TestFormNames has the fields that a form fills: of a body, and of a query in place of one.
func TestFormNames(t *testing.T) {
	type fromURL struct {
		ID   int    `param:"id"`
		Page int    `query:"page"`
		Sort string `query:"sort" form:"order"`
	}
	type mixed struct {
		fromURL
		Name  string
		Email string `form:"email"`
		Notes string `json:"-"`
	}
	for _, tt := range []struct {
		of     any
		query  bool
		names  string
		reads  string
		others string
	}{
		{mixed{}, false, "Name email order", "name NAME email order", "Email page sort id Notes"},
		{mixed{}, true, "Name email page sort", "name email page sort", "order id"},
		{struct {
			ID int `param:"id"`
		}{}, false, "", "", "id ID"},
		{ownReader{}, false, "", "", ""},
	} {
		t.Run(fmt.Sprintf("%T %v", tt.of, tt.query), func(t *testing.T) {
			is := is.New(t)
			of := reflect.TypeOf(tt.of)
			names := FormNames(of, tt.query)
			slices.Sort(names)
			is.Equal(strings.Join(names, " "), tt.names)
			for _, name := range strings.Fields(tt.reads) {
				_, _, ok := FormTarget(of, tt.query, name)
				is.True(ok)
			}
			for _, name := range strings.Fields(tt.others) {
				_, _, ok := FormTarget(of, tt.query, name)
				is.True(!ok)
			}
		})
	}
}

// ownReader reads its body by itself.
type ownReader struct{ A string }

func (*ownReader) UnmarshalJSON([]byte) error { return nil }
