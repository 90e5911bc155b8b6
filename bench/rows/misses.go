package rows

import "example.com/flow/bench/measure"

// What nothing answers is asked of GitHub's routes. A contestant answers as it does by
// default; flow tells the client in the form that it accepts.
var missRows = []Row{
	{"miss/404", "a path that is not there", func() measure.Group {
		return miss("GET", "/users/octocat/nothing", measure.Answer{Status: 404})
	}},
	{"miss/405", "a method that is not allowed", func() measure.Group {
		return miss("DELETE", "/users/octocat/repos", measure.Answer{Status: 405, Header: map[string]string{"Allow": ""}})
	}},
}

func miss(method, path string, want measure.Answer) measure.Group {
	return measure.Group{
		Base:        muxName,
		Calls:       []measure.Call{{Method: method, Path: path, Want: want}},
		Contestants: contest(githubRoutes()),
	}
}
