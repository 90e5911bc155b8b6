package rows

import "example.com/flow/bench/measure"

var matcherRows = []Row{
	{"matcher/int", "an int: users/[id=int], GET /users/12345", func() measure.Group {
		return matcher("int", "/users/12345")
	}},
	{"matcher/slug", "a slug: users/[name=slug], GET /users/ada-lovelace", func() measure.Group {
		return matcher("slug", "/users/ada-lovelace")
	}},
	{"matcher/uuid", "a UUID: users/[id=uuid], GET /users/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", func() measure.Group {
		return matcher("uuid", "/users/f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	}},
}

// matcher has flow with a parameter that has no matcher, with one that has, and with both
// side by side.
func matcher(name, path string) measure.Group {
	plain, matched := route{"GET", "/users/:id"}, route{"GET", "/users/:id=" + name}
	return measure.Group{Base: AloneName, Calls: get(hello, path), Contestants: []measure.Contestant{
		{Name: AloneName, Handler: flowOf([]route{plain})()},
		{Name: "flow, with the matcher", Handler: flowOf([]route{matched})()},
		{Name: "flow, both side by side", Handler: flowOf([]route{matched, plain})()},
	}}
}
