package app

import (
	"maps"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
)

// ask returns the answer to a request with headers as "Name: value". A body is a form.
func ask(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

// fresh has all projects there again after the test.
func fresh(t *testing.T) {
	was := maps.Clone(projects.byID)
	t.Cleanup(func() { projects.byID = was })
}

func TestConfirming(t *testing.T) {
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		shows                      string
		gone                       bool
	}{
		{"the list leads to the question", "GET", "/projects", "", nil, 200, `<a href="/projects/7/delete">Delete Garden …</a>`, false},
		{"the question", "GET", "/projects/7/delete", "", nil, 200, `<input type="text" id="name" name="name" autocomplete="off" required>`, false},
		{"what is lost", "GET", "/projects/7/delete", "", nil, 200, "42 tasks will be lost.", false},
		{"the name", "POST", "/projects/7/delete", "name=Garden", nil, 303, "", true},
		{"the name with spaces", "POST", "/projects/7/delete", "name=+Garden+", nil, 303, "", true},
		{"another name", "POST", "/projects/7/delete", "name=garden", nil, 422, `value="garden" required aria-invalid="true" aria-describedby="name-wrong">`, false},
		{"says so", "POST", "/projects/7/delete", "name=House", nil, 422, `<span id="name-wrong">Name is not that of the project.</span>`, false},
		{"no name", "POST", "/projects/7/delete", "name=+", nil, 422, "Name is required.", false},
		{"no body", "POST", "/projects/7/delete", "", nil, 422, "Name is required.", false},
		{"the ID is that of the URL", "POST", "/projects/8/delete", "ID=7&id=7&name=House", nil, 303, "", false},
		{"another site", "POST", "/projects/7/delete", "name=Garden", []string{"Origin: https://other.example"}, 403, "", false},
		{"a site that a new browser tells", "POST", "/projects/7/delete", "name=Garden", []string{"Sec-Fetch-Site: cross-site"}, 403, "", false},
		{"the question about none", "GET", "/projects/9/delete", "", nil, 404, "there is no such project", false},
		{"none is gone already", "POST", "/projects/9/delete", "name=Garden", nil, 303, "", false},
		{"none is gone, whatever the name", "POST", "/projects/9/delete", "", nil, 303, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			fresh(t)
			w := ask(tt.method, tt.target, tt.body, tt.headers...)
			is.Equal(w.Code, tt.status)
			is.True(strings.Contains(w.Body.String(), tt.shows))
			if tt.status == 303 {
				is.Equal(w.Header().Get("Location"), "/projects")
			}
			_, there := projects.find(7)
			is.Equal(!there, tt.gone)
		})
	}
}

// TestTwice presses the button several times at once: all requests have the same answer.
func TestTwice(t *testing.T) {
	is := is.New(t)
	fresh(t)
	var wg sync.WaitGroup
	statuses := make([]int, 20)
	for i := range statuses {
		wg.Go(func() { statuses[i] = ask("POST", "/projects/7/delete", "name=Garden").Code })
	}
	wg.Wait()
	for _, status := range statuses {
		is.Equal(status, 303)
	}
	is.Equal(projects.list(), []project{{8, "House", 3}})
}

// TestRenamed has somebody else rename the project between the question and the answer.
func TestRenamed(t *testing.T) {
	is := is.New(t)
	fresh(t)
	projects.byID[7] = project{7, "Park", 42}
	w := ask("POST", "/projects/7/delete", "name=Garden")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), "Type “Park” to delete it."))
	_, there := projects.find(7)
	is.True(there)
}
