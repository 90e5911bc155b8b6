package app

import (
	"encoding/xml"

	"example.com/flow"
)

func init() { flow.GET().Do(sendSitemap) }

type urlSet struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []mapURL `xml:"url"`
}

type mapURL struct {
	Loc string `xml:"loc"`
}

func sendSitemap(*flow.Request) (flow.Response, error) {
	pages, err := flow.Entries[front](Router, "")
	if err != nil {
		return flow.Response{}, err
	}
	var set urlSet
	for _, p := range pages {
		if !p.Guarded {
			set.URLs = append(set.URLs, mapURL{site + p.URL})
		}
	}
	text, err := xml.Marshal(set)
	return flow.Bytes("application/xml; charset=utf-8", append([]byte(xml.Header), text...)), err
}
