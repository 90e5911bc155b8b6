package app

import "example.com/flow"

func init() { flow.GET().Name("blog").Do(listPosts) }

func listPosts(*flow.Request) ([]post, error) { return posts, nil }
