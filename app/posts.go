package app

import (
	"net/http"

	"example.com/flow"
)

// A post is an entry of the blog.
type post struct {
	Year, Slug  string // as in its URL
	Date, Title string
	Text        []string // its paragraphs
}

// posts are those of the blog, the newest first.
var posts = []post{{
	Year: "2026", Slug: "names-are-urls", Date: "12 February 2026", Title: "Names are URLs",
	Text: []string{
		"To find the handler of a URL in most programs, search for its text in a list of routes, and then for the function that the list names.",
		"Here you read the URL and open the file. This page is blog/[year]/[slug].html, and blog.year.slug.go hands it the post.",
	},
}, {
	Year: "2025", Slug: "one-spelling", Date: "3 November 2025", Title: "One spelling for each page",
	Text: []string{
		"Add a slash to the end of this page's address, or double one inside it: the router sends you back to the one true spelling.",
		"It does so once, with 308, and only if a route answers there. Search engines and caches will thank you.",
	},
}, {
	Year: "2025", Slug: "faults-first", Date: "20 June 2025", Title: "Faults first",
	Text: []string{
		"Two files that answer the same URL, an endpoint without a handler, a link to a route that does not exist: each stops this program before it serves anything.",
		"The report has one line for each fault, and each line names the file. The best time to learn of a dead link is before anyone can follow it.",
	},
}}

// findPost returns a post, or an error that answers 404.
func findPost(year, slug string) (post, error) {
	for _, p := range posts {
		if p.Year == year && p.Slug == slug {
			return p, nil
		}
	}
	return post{}, flow.Error(http.StatusNotFound, "the blog has no such post")
}
