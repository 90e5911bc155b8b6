package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("api.users").Do(a.apiListUsers) })
}

// A userRecord is a user as the API shows it.
type userRecord struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func (a *App) apiListUsers(*flow.Request) ([]userRecord, error) {
	records := []userRecord{} // not nil, which would be null in JSON
	for _, u := range a.Users.List() {
		records = append(records, userRecord{u.ID, u.Name})
	}
	return records, nil
}
