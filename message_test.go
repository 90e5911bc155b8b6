package flow_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"

	"example.com/flow/internal/testkit/flowtest"
)

// german stands for a translation: it names the code, and no English word of a text.
func german(m flow.Message) string {
	if m.Code == "lang" {
		return "de"
	}
	return strings.TrimSpace("Ü:" + m.Code + " " + strings.Trim(fmt.Sprint(m.Args), "[]"))
}

// documentedMessages are the messages of the table in docs/errors.md, which the room wire/reply
// holds against the source.
func documentedMessages(t *testing.T) map[string]string {
	page, err := os.ReadFile("docs/errors.md")
	is.New(t).NoErr(err)
	texts := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9.-]+)`[^|]* \\| ([^|]+) \\| [^|]*\\|$").FindAllStringSubmatch(string(page), -1) {
		texts[row[1]] = row[2]
	}
	return texts
}

type everyKind struct {
	Bool    bool
	Integer int
	Natural uint
	Number  float64
	Range   int8
	Text    string
	List    []int
	Object  struct{ A int }
	Time    time.Time
	Quoted  int `json:",string"`
}

// translatedApp is an application that answers all mistakes of clients, and some of its own. At
// /again it calls a mounted Router, or itself.
func translatedApp(mounted *flow.Router) *flow.Router {
	files := flowtest.Pages(map[string]string{"shown.html": `{{.Wrong}}`, "once.html": "once"})
	for _, name := range []string{"typed", "bind", "list", "chan", "rows", "photo", "fails", "panics", "refuses", "closed", "lost", "again", "items/[id]"} {
		files["router/"+name+".http"] = &fstest.MapFile{}
	}
	files["public/a.txt"] = &fstest.MapFile{Data: []byte("text")}
	files["public/large.bin"] = &fstest.MapFile{Data: make([]byte, 1<<20+1)}
	r := flow.New(files)
	r.MaxBody = 256 << 10
	r.At("typed").POST().Do(func(*flow.Request, everyKind) error { return nil })
	r.At("items/[id]").GET().Do(func(*flow.Request, struct {
		ID int `param:"id"`
	}) error {
		return nil
	})
	show := func(_ *flow.Request, in flow.Form[everyKind]) (flow.Form[everyKind], error) { return in, nil }
	r.At("shown").GET().Do(show)
	r.At("shown").POST().Do(show)
	bind := func(dst func() any) func(req *flow.Request) (flow.Response, error) {
		return func(req *flow.Request) (flow.Response, error) { return flow.Response{}, req.Bind(dst()) }
	}
	r.At("bind").POST().Do(bind(func() any { return &struct{ Name string }{} }))
	r.At("list").POST().Do(bind(func() any { return &[]int{} }))
	r.At("rows").GET().Do(bind(func() any {
		return &struct {
			Rows []struct{ To *struct{ N int } }
		}{}
	}))
	r.At("chan").POST().Do(bind(func() any { return &struct{ C chan int }{} }))
	r.At("photo").POST().Do(func(_ *flow.Request, in flow.Form[struct{ Photo *multipart.FileHeader }]) (string, error) {
		return "", in.Wrong
	})
	r.At("fails").GET().Do(func(*flow.Request) (string, error) { return "", errors.New("secret") })
	r.At("panics").GET().Do(func(*flow.Request) string { panic("secret") })
	r.At("refuses").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Fail(403, ""), nil })
	r.At("closed").GET().Use(func(*flow.Request) (flow.Response, error) {
		return flow.Response{}, flow.Error(499, "")
	}).Do(func(*flow.Request) string { return "" })
	r.At("lost").GET().Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, request("GET", "/lost", "Accept: "+r.Header.Get("Accept")))
		})
	}).Do(func(*flow.Request) string { return "" })
	r.At("again").GET().Do(func(*flow.Request) flow.Response { return flow.Handler(cmp.Or(mounted, r)) })
	return r
}

// TestNoEnglish asks for everything that flow says, in German, and finds no English text of it.
func TestNoEnglish(t *testing.T) {
	english := documentedMessages(t)
	delete(english, "lang") // which is no text: it is looked for below
	inner := translatedApp(nil)
	r := translatedApp(inner)
	r.Mount("/in", inner)
	log := journalOf(r)
	inner.Logger = r.Logger
	var mu sync.Mutex
	asked := map[string]int{}
	translate := func(_ *flow.Request, m flow.Message) string {
		mu.Lock()
		defer mu.Unlock()
		asked[m.Code]++
		return german(m)
	}
	r.Translate, inner.Translate = translate, translate

	post := func(path, media string, body io.Reader) func() *http.Request {
		all, err := io.ReadAll(body)
		return func() *http.Request {
			r := sending("POST", path, media, string(all))
			if err != nil {
				r.Body = io.NopCloser(iotest.ErrReader(err))
			}
			return r
		}
	}
	text := func(path, media, body string) func() *http.Request { return post(path, media, strings.NewReader(body)) }
	get := func(path string, headers ...string) func() *http.Request {
		return func() *http.Request { return request("GET", path, headers...) }
	}
	var rows strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&rows, "&Rows.%d.To.N=1", i)
	}
	wrong := `{"Bool":1,"Integer":"x","Natural":-1,"Number":"x","Range":128,"Text":1,"List":1,"Object":1,"Time":"x","Quoted":1}`
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct {
		name    string
		request func() *http.Request
		status  int
		codes   string // of what the client is told
	}{
		{"fields", text("/typed", jsonMedia, wrong), 422, "status.422 fields invalid.bool invalid.integer invalid.natural invalid.number invalid.range invalid.text invalid.list invalid.object invalid.invalid invalid.quoted"},
		{"another field", text("/chan", jsonMedia, `{"C":1}`), 422, "status.422 fields invalid.other"},
		{"text for a file", text("/photo", formType, "Photo=x"), 422, "status.422 fields invalid.file"},
		{"large file", text("/photo", multiMedia, parts("Photo@"+strings.Repeat("x", 300<<10))), 422, "status.422 fields invalid.too-large 262144"},
		{"query", get("/shown?Range=1000"), 200, "invalid.range -128 127"},
		{"large query", get("/rows?" + rows.String()), 400, "status.400 query.too-many-values"},
		{"form of a page", text("/shown", formType, "Integer=x"), 200, "invalid.integer"},
		{"large body", text("/bind", formType, "a="+strings.Repeat("x", 300<<10)), 413, "status.413 body.too-large 262144"},
		{"malformed body", text("/bind", multiMedia, "--b\r\nx"), 400, "status.400 body.malformed"},
		{"no JSON", text("/bind", jsonMedia, "{"), 400, "status.400 body.not-json"},
		{"no object", text("/bind", jsonMedia, "[1]"), 400, "status.400 body.not-an-object"},
		{"no form", text("/bind", formType, "%zz"), 400, "status.400 body.not-a-form"},
		{"another form", text("/list", jsonMedia, `"x"`), 400, "status.400 body.unexpected"},
		{"empty body", text("/list", jsonMedia, ""), 400, "status.400 body.empty"},
		{"form for JSON", text("/list", formType, "a=b"), 415, "status.415 body.needs-json"},
		{"another type", text("/bind", "text/csv", "a,b"), 415, "status.415 body.other-type"},
		{"slow body", post("/bind", jsonMedia, iotest.ErrReader(os.ErrDeadlineExceeded)), 408, "status.408 body.too-slow"},
		{"deep body", text("/bind", jsonMedia, strings.Repeat("[", 300)), 400, "status.400 body.too-deep"},
		{"many values", text("/bind", jsonMedia, "["+strings.Repeat("1,", 20_000)+"1]"), 400, "status.400 body.too-many-values"},
		{"many parts", text("/bind", multiMedia, parts(slices.Repeat([]string{"a=b"}, 1100)...)), 413, "status.413 body.too-many-parts"},
		{"another origin", func() *http.Request {
			r := request("POST", "/bind")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			return r
		}, 403, "status.403 other-origin"},
		{"no route", get("/none"), 404, "status.404"},
		{"no such parameter", get("/items/x"), 404, "status.404"},
		{"no method", func() *http.Request { return request("PUT", "/bind") }, 405, "status.405"},
		{"error", get("/fails"), 500, "status.500"},
		{"panic", get("/panics"), 500, "status.500"},
		{"Fail without a message", get("/refuses"), 403, "status.403"},
		{"status without a name", get("/closed"), 499, "status.499"},
		{"middleware that loses the request", get("/lost"), 500, "status.500"},
		{"mounted Router that is called", get("/again"), 500, "status.500"},
		{"ranges", get("/a.txt", "Range: bytes=9-"), 416, "status.416"},
		{"ranges of a large file", get("/large.bin", "Range: bytes=9999999-"), 416, "status.416"},
		{"coding", get("/a.txt", "Accept-Encoding: identity;q=0"), 406, "status.406"},
		{"precondition", get("/a.txt", `If-Match: "x"`), 412, "status.412"},
		{"precondition of a page", get("/once", `If-Match: "x"`), 412, "status.412"},
	} {
		for _, accept := range []string{"text/plain", "text/html", "application/json", "*/*"} {
			for _, mount := range []string{"", "/in"} {
				t.Run(tt.name+" "+accept+mount, func(t *testing.T) {
					is := is.New(t)
					before := maps.Clone(asked)
					req := tt.request()
					req.Header.Set("Accept", accept)
					req.URL.Path = mount + req.URL.Path
					w := do(r, req)
					is.Equal(w.Code, tt.status)
					body := w.Body.String()
					for code := range strings.FieldsSeq(tt.codes) {
						if !strings.Contains(body, code) {
							t.Errorf("no %s in %s", code, body)
						}
						if documented := english[code]; documented != "" || strings.HasPrefix(code, "status.") {
							is.Equal(asked[code], before[code]+1) // once for each answer
						}
					}
					for code, text := range english {
						if strings.Contains(body, text) {
							t.Errorf("%s: %q in %s", code, text, body)
						}
					}
					if name := http.StatusText(tt.status); tt.status != 200 && name != "" && strings.Contains(body, name) {
						t.Errorf("%q in %s", name, body)
					}
					is.True(!strings.Contains(body, `lang="en"`))
					is.Equal(strings.Contains(body, "<!doctype html>"), strings.Contains(body, `<html lang="de">`))
				})
			}
		}
	}
	for code := range english {
		if asked[code] == 0 {
			t.Errorf("nothing has said %q", code)
		}
	}
	is.New(t).True(!strings.Contains(log.String(), "Ü:")) // the log is English
}

// germanAlone is Translate of an application in German alone.
func germanAlone(_ *flow.Request, m flow.Message) string { return german(m) }

// TestTranslatedForms: a handler finds the messages as the client gets them, and the codes tell
// which of them are still flow's own.
func TestTranslatedForms(t *testing.T) {
	type in struct {
		Age  uint8  `json:"age"`
		Size uint8  `json:"size"`
		Name string `json:"name"`
	}
	wrong := func(_ *flow.Request, in flow.Form[in]) (string, error) { return "", in.Wrong }
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"Form", wrong, `"errors":{"age":"Ü:invalid.range 0 255","size":"Ü:invalid.range 0 255"},"codes":{"age":"invalid.range","size":"invalid.range"}}`},
		{"In", func(*flow.Request, in) (string, error) { return "", nil }, `"errors":{"age":"Ü:invalid.range 0 255","size":"Ü:invalid.range 0 255"},"codes":{"age":"invalid.range","size":"invalid.range"}}`},
		{"wrapped", func(_ *flow.Request, in flow.Form[in]) (string, error) { return "", fmt.Errorf("saving: %w", in.Wrong) }, `"codes":{"age":"invalid.range","size":"invalid.range"}}`},
		{"changed", func(_ *flow.Request, in flow.Form[in]) (string, error) {
			in.Wrong["age"], in.Wrong["name"] = "is too high", "is taken"
			return "", in.Wrong
		}, `"errors":{"age":"is too high","name":"is taken","size":"Ü:invalid.range 0 255"},"codes":{"size":"invalid.range"}}`},
		{"bound twice", func(req *flow.Request, form flow.Form[in]) (string, error) {
			return "", cmp.Or(req.Bind(&struct{ Name bool }{}), error(form.Wrong))
		}, `"errors":{"name":"Ü:invalid.bool"},"codes":{"name":"invalid.bool"}}`},
		{"the application's own", func(*flow.Request) (string, error) { return "", flow.Invalid{"age": "is too high"} }, `"errors":{"age":"is too high"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler)
			r.Translate = germanAlone
			for range 2 {
				w := do(r, sending("POST", "/x", formType, "age=300&size=x&name=x"))
				is.Equal(w.Code, 422)
				if body := w.Body.String(); !strings.HasSuffix(body, tt.want) {
					t.Error(body)
				}
			}
		})
	}
}

// TestCodesAreThoseOfTheRequest: another request with the same field and text has none.
func TestCodesAreThoseOfTheRequest(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(req *flow.Request) (string, error) {
		if req.Input("bind") == "" {
			return "", flow.Invalid{"age": "must be a whole number"}
		}
		return "", req.Bind(&struct{ Age int }{})
	})
	for range 20 { // requests share memory
		is.True(strings.Contains(serve(r, "GET", "/x?bind=1&age=x").Body.String(), `"codes":{"age":"invalid.integer"}`))
		is.True(!strings.Contains(serve(r, "GET", "/x").Body.String(), "codes"))
	}
}

// TestOnErrorTranslated: OnError finds the message in the language of the client, and the log
// the English one.
func TestOnErrorTranslated(t *testing.T) {
	is := is.New(t)
	r, log := lone(func(*flow.Request) string { return "" })
	r.Translate, r.OnError = germanAlone, ownFormat
	w := do(r, sending("POST", "/x", jsonMedia, strings.Repeat("[", 300)))
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"Ü:body.too-deep"}`)
	all := records(t, log)
	is.Equal(len(all), 1)
	is.Equal(all[0]["error"], "400 the body is nested too deeply: JSON of 300 bytes is nested more than 200 deep")
}

// TestErrorPageTranslated: an error page of the application has the texts and the codes.
func TestErrorPageTranslated(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(pagesOf("x.html: \n+error.html: {{.Title}}, {{.Detail}}{{range $k, $v := .Fields}} {{$k}} {{$v}} {{index $.Codes $k}}{{end}}")))
	r.At("x").POST().Do(func(*flow.Request, struct{ Age int }) (string, error) { return "", nil })
	r.Translate = germanAlone
	is.NoErr(r.Check())
	is.Equal(do(r, sending("POST", "/x", formType, "Age=x")).Body.String(), "Ü:status.422, Ü:fields Age Ü:invalid.integer invalid.integer")
	is.Equal(do(r, sending("POST", "/x", formType, "%zz")).Body.String(), "Ü:status.400, Ü:body.not-a-form")
	is.Equal(do(r, request("GET", "/none", "Accept: text/html")).Body.String(), "Ü:status.404, ")
}

// TestTranslateOfMounted: each Router has its own Translate, as it has its own OnError.
func TestTranslateOfMounted(t *testing.T) {
	is := is.New(t)
	inner, _ := lone(func(*flow.Request) string { return "" })
	outer, _ := lone(func(*flow.Request) string { return "" })
	outer.Mount("/in", inner)
	outer.Translate = germanAlone
	is.Equal(serve(outer, "GET", "/none", "Accept: text/plain").Body.String(), "Ü:status.404\n")
	is.Equal(serve(outer, "GET", "/in/none", "Accept: text/plain").Body.String(), "Not Found\n")
}

// TestTranslateThatFails: the request is answered in English, and one record tells of all panics.
func TestTranslateThatFails(t *testing.T) {
	for _, tt := range []struct {
		name      string
		translate func(*flow.Request, flow.Message) string
		want      string
		logged    int
	}{
		{"panics", func(*flow.Request, flow.Message) string { panic("no texts") }, "", 1},
		{"aborts", func(*flow.Request, flow.Message) string { panic(http.ErrAbortHandler) }, "", 1},
		{"says nothing", func(*flow.Request, flow.Message) string { return "" }, "", 0},
		{"asks for what is wrong", func(req *flow.Request, m flow.Message) string {
			if req.Bind(&struct{ A int }{}) == nil || req.Input("a") == "y" || req.Clone().Bind(&struct{ A int }{}) == nil {
				return "there is nothing wrong"
			}
			return m.English
		}, "", 0},
	} {
		for _, body := range []string{`{"a":"x","b":"x"}`, "{", "[1]"} {
			t.Run(tt.name+" "+body, func(t *testing.T) {
				is := is.New(t)
				handler := func(req *flow.Request) (string, error) { return "", req.Bind(&struct{ A, B int }{}) }
				english, _ := lone(handler)
				r, log := lone(handler)
				r.Translate = tt.translate
				for range 3 {
					got, want := do(r, sending("POST", "/x", jsonMedia, body)), do(english, sending("POST", "/x", jsonMedia, body))
					is.Equal(got.Body.String(), want.Body.String())
					is.Equal(got.Code, want.Code)
				}
				is.Equal(len(records(t, log)), tt.logged)
				is.Equal(strings.Count(log.String(), "flow: Translate has panicked"), tt.logged)
			})
		}
	}
}

// TestTranslateAsksTheRequest: Translate may ask for data that are what is wrong, and a guard may
// do so often. The message is translated once all the same.
func TestTranslateAsksTheRequest(t *testing.T) {
	for _, body := range []string{"{", "[1]", `{"a":"x"}`} {
		t.Run(body, func(t *testing.T) {
			is := is.New(t)
			asks := func(req *flow.Request) {
				for range 3 {
					req.Input("a")
				}
			}
			r, _ := lone(func(req *flow.Request) (string, error) { return "", req.Bind(&struct{ A int }{}) }, func(req *flow.Request) flow.Response {
				asks(req)
				return flow.Next()
			})
			asked := map[string]int{}
			r.Translate = func(req *flow.Request, m flow.Message) string {
				asked[m.Code]++
				asks(req)
				req.Bind(&struct{ A int }{})
				return german(m)
			}
			w := do(r, sending("POST", "/x", jsonMedia, body))
			is.True(strings.Contains(w.Body.String(), `"detail":"Ü:`))
			for _, n := range asked {
				is.Equal(n, 1)
			}
		})
	}
}

// TestTranslateMayChangeArguments: a Translate that formats the numbers in place does not change them
// for other requests.
func TestTranslateMayChangeArguments(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(req *flow.Request) (string, error) { return "", req.Bind(&struct{ A int8 }{}) })
	r.Translate = func(_ *flow.Request, m flow.Message) string {
		for i, arg := range m.Args {
			m.Args[i] = fmt.Sprintf("%v,0", arg)
		}
		return fmt.Sprint(m.Args)
	}
	for range 2 {
		is.True(strings.Contains(do(r, sending("POST", "/x", jsonMedia, `{"a":"x"}`)).Body.String(), `{"a":"[-128,0 127,0]"}`))
	}
}
