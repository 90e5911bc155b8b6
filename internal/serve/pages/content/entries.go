package content

// Entries are what the application sees of the pages of an Index: a value of the type E for each.
type Entries[E any] struct {
	index  *Index
	all    []E           // by number
	byPath map[string]*E // of the pages' files
}

// NewEntries returns the Entries of an Index. all has a value for each of its pages.
func NewEntries[E any](x *Index, pages []Page, all []E) *Entries[E] {
	e := &Entries[E]{x, all, make(map[string]*E, len(all))}
	for i, p := range pages {
		e.byPath[p.Path] = &all[i]
	}
	return e
}

// Of returns the entry of the page with a number, and nil for None.
func (e *Entries[E]) Of(i int32) *E {
	if i == None {
		return nil
	}
	return &e.all[i]
}

// Page returns the entry of a template, by its path.
func (e *Entries[E]) Page(path string) any { return e.byPath[path] }

// At is the template function page with a path: see Index.At.
func (e *Entries[E]) At(path string) (any, error) {
	i, err := e.index.At(path)
	if err != nil {
		return nil, err
	}
	return &e.all[i], nil
}

// Below is the template function pages: see Index.Below.
func (e *Entries[E]) Below(dir string) (any, error) { return e.List(dir) }

// List is Below for code in Go. The list is a copy, since callers sort and cut it.
func (e *Entries[E]) List(dir string) ([]*E, error) {
	numbers, err := e.index.Below(dir)
	if err != nil {
		return nil, err
	}
	list := make([]*E, len(numbers))
	for i, n := range numbers {
		list[i] = &e.all[n]
	}
	return list, nil
}
