package app

import "example.com/flow"

func init() { flow.GET().Name("wall.events").Do(wallEvents) }

type shown struct {
	Version string `query:"seen"`
}

func wallEvents(_ *flow.Request, in shown) (flow.Response, error) {
	return changes.events(in.Version), nil
}
