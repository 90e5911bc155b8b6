package app

import (
	"net/http"

	"example.com/flow"
)

func init() { flow.GET().Name("blog.post").Do(showPost) }

func showPost(req *flow.Request) (flow.Response, error) {
	p, ok := findPost(req.Param("year"), req.Param("slug"))
	if !ok {
		return flow.Response{}, flow.Error(http.StatusNotFound, "the blog has no such post")
	}
	return flow.Page(p), nil
}
