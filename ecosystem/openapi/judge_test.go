package openapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	validator "github.com/pb33f/libopenapi-validator"
)

// A judge is a proxy that holds requests and answers against a document, by two validators.
type judge struct {
	kin   routers.Router
	pb33f validator.Validator

	mu        sync.Mutex
	exchanges []exchange
}

// An exchange is a request with its answer, and what the validators say of them.
type exchange struct {
	Operation string `json:"operation"` // "GET /api/articles/{slug}"
	Status    int    `json:"status"`
	Sent      string `json:"sent"` // the body of the request
	Got       string `json:"got"`  // the body of the answer

	text            string // of the request, for messages
	request, answer []string
}

func newJudge(t *testing.T, text []byte) *judge {
	t.Helper()
	router, err := gorillamux.NewRouter(newKin(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return &judge{kin: router, pb33f: newPB33F(t, text)}
}

// around returns a handler that answers as another one does, and judges that. change may be nil, or
// changes answers before.
func (j *judge) around(next http.Handler, change func(*httptest.ResponseRecorder)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		asked := func() *http.Request {
			again := r.Clone(r.Context())
			again.Body = http.NoBody
			if len(body) > 0 {
				again.Body = io.NopCloser(bytes.NewReader(body))
			}
			return again
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, asked())
		if change != nil {
			change(answer)
		}
		e := j.judged(asked, answer)
		e.Sent = string(body)
		e.text = fmt.Sprintf("%s %s %s: %d %s", r.Method, r.URL, body, answer.Code, answer.Body)
		j.mu.Lock()
		j.exchanges = append(j.exchanges, e)
		j.mu.Unlock()
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	})
}

func (j *judge) judged(asked func() *http.Request, answer *httptest.ResponseRecorder) exchange {
	e := exchange{Status: answer.Code, Got: answer.Body.String()}
	r := asked()
	route, params, err := j.kin.FindRoute(r)
	if err != nil {
		e.answer = append(e.answer, "kin-openapi: "+err.Error())
		return e
	}
	e.Operation = route.Method + " " + route.Path
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, SkipSettingDefaults: true, AuthenticationFunc: signedIn}}
	if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
		e.request = append(e.request, "kin-openapi: "+err.Error())
	}
	if err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{RequestValidationInput: in,
		Status: answer.Code, Header: answer.Header(), Body: io.NopCloser(bytes.NewReader(answer.Body.Bytes())), Options: in.Options}); err != nil {
		e.answer = append(e.answer, "kin-openapi: "+err.Error())
	}
	if ok, wrong := j.pb33f.ValidateHttpRequestSync(asked()); !ok {
		e.request = append(e.request, fmt.Sprint("libopenapi: ", wrong))
	}
	if ok, wrong := j.pb33f.ValidateHttpResponse(asked(), answer.Result()); !ok {
		e.answer = append(e.answer, fmt.Sprint("libopenapi: ", wrong))
	}
	return e
}

// signedIn reports whether a request has what a way to sign in needs.
func signedIn(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	if in.RequestValidationInput.Request.Header.Get(in.SecurityScheme.Name) == "" {
		return errors.New("nobody is signed in")
	}
	return nil
}

// wrong returns the answers that do not fit the document.
func (j *judge) wrong() (all []string) {
	for _, e := range j.exchanges {
		for _, why := range e.answer {
			all = append(all, e.text+"\n\t"+why)
		}
	}
	return all
}

// A step is a request of the suite.
type step struct {
	status             int
	as                 string // who is signed in
	method, path, body string
	onlyHandlerRefuses bool // what the document cannot know: other data, and white space
}

var suite = []step{
	{201, "", "POST", "/users", `{"user": {"username": "ada", "email": "ada@example.com", "password": "engine"}}`, false},
	{201, "", "POST", "/users", `{"user": {"username": "eve", "email": "eve@example.com", "password": "apple"}}`, false},
	{422, "", "POST", "/users", `{"user": {"username": "ada", "email": "other@example.com", "password": "x"}}`, true},
	{422, "", "POST", "/users", `{"user": {"username": "other", "email": "ada@example.com", "password": "x"}}`, true},
	{422, "", "POST", "/users", `{"user": {"username": " ", "email": "o@example.com", "password": "x"}}`, true},
	{422, "", "POST", "/users", `{"user": {"username": "", "email": "o@example.com", "password": "x"}}`, false},
	{422, "", "POST", "/users", `{"user": {"username": "o", "email": "", "password": "x"}}`, false},
	{422, "", "POST", "/users", `{"user": {"username": "o", "email": "o@example.com", "password": ""}}`, false},
	{422, "", "POST", "/users", `{"user": {"username": "o", "email": "o@example.com"}}`, false},
	{422, "", "POST", "/users", `{"user": {"username": null, "email": "o@example.com", "password": "x"}}`, false},
	{422, "", "POST", "/users", `{"user": {"username": 5, "email": "o@example.com", "password": "x"}}`, false},
	{422, "", "POST", "/users", `{"user": {}}`, false},
	{422, "", "POST", "/users", `{"user": "ada"}`, false},
	{422, "", "POST", "/users", `{}`, false},
	{400, "", "POST", "/users", `{"user":`, false},

	{200, "", "POST", "/users/login", `{"user": {"email": "ada@example.com", "password": "engine"}}`, false},
	{401, "", "POST", "/users/login", `{"user": {"email": "ada@example.com", "password": "wrong"}}`, false},
	{422, "", "POST", "/users/login", `{"user": {"email": "ada@example.com"}}`, false},
	{422, "", "POST", "/users/login", `{"user": {"password": "engine", "email": ""}}`, false},
	{422, "", "POST", "/users/login", `{"user": []}`, false},

	{200, "ada", "GET", "/user", "", false},
	{401, "", "GET", "/user", "", false},
	{200, "ada", "PUT", "/user", `{"user": {"bio": "I count", "image": "https://example.com/ada.png"}}`, false},
	{200, "ada", "PUT", "/user", `{"user": {"image": "", "bio": null}}`, false},
	{200, "ada", "PUT", "/user", `{"user": {"image": "https://example.com/ada.png", "unknown": 1}}`, false},
	{422, "ada", "PUT", "/user", `{"user": {"username": ""}}`, false},
	{422, "ada", "PUT", "/user", `{"user": {"password": ""}}`, false},
	{422, "ada", "PUT", "/user", `{"user": {"username": "eve"}}`, true},
	{422, "ada", "PUT", "/user", `{"user": {"bio": ["x"]}}`, false},
	{401, "", "PUT", "/user", `{"user": {"bio": "x"}}`, false},

	{200, "", "GET", "/profiles/ada", "", false},
	{200, "eve", "GET", "/profiles/ada", "", false},
	{404, "", "GET", "/profiles/nobody", "", false},
	{200, "eve", "POST", "/profiles/ada/follow", "", false},
	{404, "eve", "POST", "/profiles/nobody/follow", "", false},
	{401, "", "POST", "/profiles/ada/follow", "", false},
	{200, "eve", "DELETE", "/profiles/ada/follow", "", false},
	{404, "eve", "DELETE", "/profiles/nobody/follow", "", false},
	{401, "", "DELETE", "/profiles/ada/follow", "", false},
	{200, "eve", "POST", "/profiles/ada/follow", "", false},

	{201, "ada", "POST", "/articles", `{"article": {"title": "How to train", "description": "d", "body": "b", "tagList": ["x", "y"]}}`, false},
	{201, "ada", "POST", "/articles", `{"article": {"title": "Without tags", "description": "d", "body": "b"}}`, false},
	{422, "ada", "POST", "/articles", `{"article": {"title": "How to train", "description": "d", "body": "b"}}`, true},
	{422, "ada", "POST", "/articles", `{"article": {"title": "", "description": "d", "body": "b"}}`, false},
	{422, "ada", "POST", "/articles", `{"article": {"title": "t", "description": "", "body": "b"}}`, false},
	{422, "ada", "POST", "/articles", `{"article": {"title": "t", "description": "d", "body": ""}}`, false},
	{422, "ada", "POST", "/articles", `{"article": {"title": "t", "description": "d"}}`, false},
	{422, "ada", "POST", "/articles", `{"article": {"title": "t", "description": "d", "body": "b", "tagList": [1]}}`, false},
	{422, "ada", "POST", "/articles", `{"article": {"title": "t", "description": "d", "body": "b", "tagList": "x"}}`, false},
	{422, "ada", "POST", "/articles", `{"article": null}`, false},
	{401, "", "POST", "/articles", `{"article": {"title": "t", "description": "d", "body": "b"}}`, false},

	{200, "", "GET", "/articles", "", false},
	{200, "ada", "GET", "/articles?tag=x&author=ada&favorited=eve&limit=1&offset=0", "", false},
	{200, "", "GET", "/articles?author=nobody", "", false},
	{200, "", "GET", "/articles?limit=0", "", false},
	{200, "", "GET", "/articles?limit=100&offset=7", "", false},
	{422, "", "GET", "/articles?limit=101", "", false},
	{422, "", "GET", "/articles?limit=-1", "", false},
	{422, "", "GET", "/articles?limit=many", "", false},
	{422, "", "GET", "/articles?offset=-1", "", false},
	{200, "eve", "GET", "/articles/feed", "", false},
	{200, "eve", "GET", "/articles/feed?limit=1&offset=1", "", false},
	{422, "eve", "GET", "/articles/feed?limit=101", "", false},
	{401, "", "GET", "/articles/feed", "", false},

	{200, "", "GET", "/articles/how-to-train", "", false},
	{404, "", "GET", "/articles/no-such-article", "", false},
	{200, "ada", "PUT", "/articles/how-to-train", `{"article": {"body": "With care."}}`, false},
	{200, "ada", "PUT", "/articles/how-to-train", `{"article": {"title": null}}`, false},
	{422, "ada", "PUT", "/articles/how-to-train", `{"article": {"title": ""}}`, false},
	{422, "ada", "PUT", "/articles/how-to-train", `{"article": {"body": 1}}`, false},
	{403, "eve", "PUT", "/articles/how-to-train", `{"article": {"body": "x"}}`, false},
	{404, "ada", "PUT", "/articles/no-such-article", `{"article": {"body": "x"}}`, false},
	{401, "", "PUT", "/articles/how-to-train", `{"article": {"body": "x"}}`, false},

	{200, "eve", "POST", "/articles/how-to-train/favorite", "", false},
	{404, "eve", "POST", "/articles/no-such-article/favorite", "", false},
	{401, "", "POST", "/articles/how-to-train/favorite", "", false},
	{200, "", "GET", "/articles?favorited=eve", "", false},
	{200, "eve", "DELETE", "/articles/how-to-train/favorite", "", false},
	{404, "eve", "DELETE", "/articles/no-such-article/favorite", "", false},
	{401, "", "DELETE", "/articles/how-to-train/favorite", "", false},

	{200, "", "GET", "/articles/how-to-train/comments", "", false},
	{201, "eve", "POST", "/articles/how-to-train/comments", `{"comment": {"body": "Thank you!"}}`, false},
	{200, "eve", "GET", "/articles/how-to-train/comments", "", false},
	{422, "eve", "POST", "/articles/how-to-train/comments", `{"comment": {"body": ""}}`, false},
	{422, "eve", "POST", "/articles/how-to-train/comments", `{"comment": {"body": " \n"}}`, true},
	{422, "eve", "POST", "/articles/how-to-train/comments", `{}`, false},
	{404, "eve", "POST", "/articles/no-such-article/comments", `{"comment": {"body": "x"}}`, false},
	{401, "", "POST", "/articles/how-to-train/comments", `{"comment": {"body": "x"}}`, false},
	{404, "", "GET", "/articles/no-such-article/comments", "", false},
	{403, "ada", "DELETE", "/articles/how-to-train/comments/1", "", false},
	{401, "", "DELETE", "/articles/how-to-train/comments/1", "", false},
	{204, "eve", "DELETE", "/articles/how-to-train/comments/1", "", false},
	{404, "eve", "DELETE", "/articles/how-to-train/comments/1", "", false},

	{200, "", "GET", "/tags", "", false},
	{403, "eve", "DELETE", "/articles/how-to-train", "", false},
	{401, "", "DELETE", "/articles/how-to-train", "", false},
	{204, "ada", "DELETE", "/articles/how-to-train", "", false},
	{404, "ada", "DELETE", "/articles/how-to-train", "", false},
}

// run sends the suite through the judge to an application.
func (j *judge) run(t *testing.T, h http.Handler, change func(*httptest.ResponseRecorder)) {
	t.Helper()
	s := httptest.NewServer(j.around(h, change))
	defer s.Close()
	tokens := map[string]string{}
	for _, step := range suite {
		r, err := http.NewRequest(step.method, s.URL+"/api"+step.path, strings.NewReader(step.body))
		if err != nil {
			t.Fatal(err)
		}
		if step.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if step.as != "" {
			r.Header.Set("Authorization", "Token "+tokens[step.as])
		}
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if change == nil && resp.StatusCode != step.status {
			t.Errorf("%s %s %s: %d %s, want %d", step.method, step.path, step.body, resp.StatusCode, body, step.status)
		}
		if step.path == "/users" && strings.Contains(string(body), `"token"`) {
			name, _, _ := strings.Cut(strings.SplitAfter(string(body), `"username":"`)[1], `"`)
			tokens[name], _, _ = strings.Cut(strings.SplitAfter(string(body), `"token":"`)[1], `"`)
		}
	}
}

// TestJudge sends the suite to the RealWorld API: each answer fits the document, and so does each
// request that was accepted. Of those that were refused as 422, the document refuses each but those
// that depend on other data, or on white space.
func TestJudge(t *testing.T) {
	r := newRealworld()
	j := newJudge(t, get(r, "/api/openapi.json"))
	j.run(t, r, nil)
	for _, wrong := range j.wrong() {
		t.Error(wrong)
	}
	accepted, refused, known, answers := 0, 0, 0, len(j.exchanges)
	operations := map[string][]int{}
	for i, e := range j.exchanges {
		operations[e.Operation] = append(operations[e.Operation], e.Status)
		switch {
		case e.Status < 300:
			accepted++
			if len(e.request) > 0 {
				t.Errorf("%s\n\t%s", e.text, e.request)
			}
		case e.Status == 422:
			refused++
			if len(e.request) == 2 {
				known++
			}
			if of := len(e.request); suite[i].onlyHandlerRefuses && of > 0 || !suite[i].onlyHandlerRefuses && of < 2 {
				t.Errorf("%s\n\tthe document: %q", e.text, e.request)
			}
		}
	}
	for operation, statuses := range operations {
		if slices.Max(statuses) < 300 && operation != "GET /api/tags" {
			t.Errorf("%s: nothing was refused", operation)
		}
	}
	if len(operations) != 19 {
		t.Errorf("%d operations were asked, and there are 19", len(operations))
	}
	t.Logf("%d answers of %d operations fit, %d accepted requests; of %d refused ones the document refuses %d", answers, len(operations), accepted, refused, known)
}

// TestMutants holds the judge against applications that do not do what the document says.
func TestMutants(t *testing.T) {
	text := get(newRealworld(), "/api/openapi.json")
	for _, tt := range []struct {
		name   string
		build  func() http.Handler
		change func(*httptest.ResponseRecorder)
	}{
		{"a field has another name", nil, func(w *httptest.ResponseRecorder) {
			body := bytes.ReplaceAll(w.Body.Bytes(), []byte(`"favoritesCount"`), []byte(`"favouritesCount"`))
			w.Body = bytes.NewBuffer(body)
			w.Header().Del("Content-Length")
		}},
		{"another status", nil, func(w *httptest.ResponseRecorder) {
			if w.Code == 201 {
				w.Code = 202
			}
		}},
		{"errors have another form", func() http.Handler {
			r := newRealworld()
			r.OnError = nil
			return r
		}, func(*httptest.ResponseRecorder) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h http.Handler = newRealworld()
			if tt.build != nil {
				h = tt.build()
			}
			j := newJudge(t, text)
			j.run(t, h, tt.change)
			wrong := j.wrong()
			for _, name := range []string{"kin-openapi", "libopenapi"} {
				n := len(slices.DeleteFunc(slices.Clone(wrong), func(text string) bool { return !strings.Contains(text, "\n\t"+name) }))
				if n == 0 {
					t.Errorf("%s notices nothing", name)
				}
				t.Logf("%s: %d answers are wrong", name, n)
			}
		})
	}
}
