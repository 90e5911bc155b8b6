package schema

import (
	"cmp"
	"reflect"
	"regexp"
	"strings"
)

var (
	// ofPath is the path in front of a type: in "Page[example.com/shop/items.Item]" it is
	// "example.com/shop/items.".
	ofPath = regexp.MustCompile(`[\w.~-]+(?:/[\w.~-]+)*[./]`)
	// noName is what the name of a component must not have.
	noName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
)

// nameOf returns the name of a type without those of packages: "Page[Item]" is "Page_Item".
func nameOf(t reflect.Type) string {
	name, of, isGeneric := strings.Cut(t.Name(), "[")
	if isGeneric {
		name += "_" + ofPath.ReplaceAllString(strings.TrimSuffix(of, "]"), "")
	}
	return cmp.Or(strings.Trim(noName.ReplaceAllString(name, "_"), "_"), "Type") // of other letters than these
}

// packageOf returns the name of the package of a type, as its files write it.
func packageOf(t reflect.Type) string {
	name, _, _ := strings.Cut(t.String(), ".")
	return name
}
