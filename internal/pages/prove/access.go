package prove

import (
	"example.com/flow/internal/fault"
	"example.com/flow/internal/pages/markup"
)

// Accessibility returns warnings about what keeps people from using the page who do not see it, or
// who use the keyboard.
func (p *Page) Accessibility() (all []fault.Fault) {
	eachTag(p.Nodes, nil, func(t *markup.Tag, around guards) {
		for _, w := range t.Ways {
			all = append(all, p.image(w, around)...)
		}
	})
	return all
}

// image reports an image without a description.
func (p *Page) image(w markup.Way, around guards) []fault.Fault {
	if w.Name != "img" || w.Open || w.Partly {
		return nil
	}
	if _, ok := w.Get("alt"); ok {
		return nil
	}
	when, ok := around.when(w.When)
	if !ok {
		return nil
	}
	return []fault.Fault{p.warn(w.Place, `<img> has no alt%s: describe the image, or write alt="" if it only adorns`, when)}
}
