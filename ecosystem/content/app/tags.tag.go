package app

import (
	"slices"

	"example.com/flow"
)

func init() { flow.GET().Name("tags").Do(showTag) }

type tagRef struct {
	Tag string `param:"tag"`
}

type tagged struct {
	Tag   string
	Posts []*flow.Entry[front]
}

func showTag(_ *flow.Request, in tagRef) (tagged, error) {
	posts, err := flow.Entries[front](Router, "blog")
	if err != nil {
		return tagged{}, err
	}
	posts = slices.DeleteFunc(posts, func(p *flow.Entry[front]) bool { return !slices.Contains(p.Front.Tags, in.Tag) })
	if len(posts) == 0 {
		return tagged{}, flow.Error(404, "no post has this tag")
	}
	return tagged{in.Tag, posts}, nil
}
