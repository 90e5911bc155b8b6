package app

import (
	"encoding/xml"
	"time"

	"example.com/flow"
)

func init() { flow.GET().Name("feed").Do(sendFeed) }

// feedID begins the id of the feed and those of its posts (RFC 4151): a domain, and a day on
// which it was yours. Readers know posts by their ids, so it stays if the site moves.
const feedID = "tag:newapp.example,2026-01-01:"

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Base    string      `xml:"xml:base,attr"` // links in posts begin there
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Author  string      `xml:"author>name"`
	Updated time.Time   `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Posts   []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID      string    `xml:"id"`
	Title   string    `xml:"title"`
	Updated time.Time `xml:"updated"`
	Link    atomLink  `xml:"link"`
	Content atomText  `xml:"content"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func sendFeed(*flow.Request) (flow.Response, error) {
	posts, err := flow.Entries[front](Router, "blog")
	if err != nil {
		return flow.Response{}, err
	}
	feed := atomFeed{Base: site, ID: feedID, Title: "newapp", Author: "The editors", Links: []atomLink{{"self", site + "/feed.xml"}}}
	for _, p := range posts[:min(20, len(posts))] { // the newest ones, by Compare
		feed.Posts = append(feed.Posts, atomEntry{
			ID: feedID + p.Path, Title: p.Title, Updated: p.Front.Date,
			Link: atomLink{"alternate", site + p.URL}, Content: atomText{"html", string(p.HTML)},
		})
	}
	if len(feed.Posts) > 0 {
		feed.Updated = feed.Posts[0].Updated
	}
	text, err := xml.Marshal(feed)
	return flow.Bytes("application/atom+xml; charset=utf-8", append([]byte(xml.Header), text...)), err
}
