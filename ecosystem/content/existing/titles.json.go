package existing

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Do(a.listTitles) })
}

func (a *App) listTitles(*flow.Request) (titles []string, err error) {
	pages, err := flow.Entries[front](a.router, "docs")
	for _, p := range pages {
		titles = append(titles, p.Title)
	}
	return titles, err
}
