package app

import "example.com/flow"

func init() { flow.GET().Name("blog.post").Do(showPost) }

func showPost(req *flow.Request) (post, error) { return findPost(req.Param("year"), req.Param("slug")) }
