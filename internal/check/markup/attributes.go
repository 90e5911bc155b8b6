package markup

import "strings"

// A use says what of an attribute is read.
type use uint8

const (
	unused use = iota // nothing
	script            // its name, from which scripts may follow
	named             // its name
	filled            // its name, and whether its value is more than white space
	valued            // its value
	url               // its value, which is a URL, up to its query or fragment
)

// A Table says which attributes are read, and whether texts are. Each condition in one of them doubles the ways of its tag,
// and the conditions in others do not.
type Table struct {
	uses map[string]use
	// whole says that texts, conditions between tags, and the names of attributes from which scripts may
	// follow are read, too.
	whole bool
}

// What attributes are read for.
var (
	Links = &Table{uses: uses(0)}              // the check of links and of forms
	Rules = &Table{uses: uses(1), whole: true} // what is wrong about a page as a whole
	// URLs is for pages and not for templates, in which each condition in a query would be another way:
	// where it differs from Rules, it has the whole of each URL.
	URLs = &Table{uses: wholeURLs(uses(1)), whole: true}
)

func wholeURLs(uses map[string]use) map[string]use {
	for name, use := range uses {
		if use == url {
			uses[name] = valued
		}
	}
	return uses
}

// attributes has the attributes whose values are read: those for both tables, for Links and for Rules.
var attributes = []struct {
	use   use
	names [3]string
}{
	{url, [3]string{
		"action formaction href xlink:href src poster data background cite hx-get hx-post hx-put hx-patch hx-delete sse-connect ws-connect",
		"",
		"hx-sse:connect hx-ws:connect",
	}},
	{valued, [3]string{
		"ping srcset imagesrcset method formmethod rel form name type http-equiv content id",
		"enctype formenctype hx-encoding required minlength maxlength min max value multiple",
		"as hx-trigger hx-vals hx-headers hx-request nonce style for list role tabindex aria-hidden aria-labelledby aria-describedby",
	}},
	{filled, [3]string{"", "", "alt aria-label title placeholder lang value"}},
	{named, [3]string{"", "", "integrity nomodule srcdoc hidden inert popover aria-level v-text v-html sse-swap"}},
}

// uses returns the attributes of a table.
func uses(table int) map[string]use {
	all := map[string]use{}
	for _, a := range attributes {
		for name := range strings.FieldsSeq(a.names[0] + " " + a.names[1+table]) {
			all[name] = a.use
			if strings.HasPrefix(name, "hx-") || strings.HasPrefix(name, "sse-") || strings.HasPrefix(name, "ws-") { // htmx reads both
				all["data-"+name] = a.use
			}
		}
	}
	return all
}

// useOf returns what of an attribute is read.
func (t *Table) useOf(name string) use {
	if use := t.uses[name]; use != unused {
		return use
	}
	if strings.HasPrefix(name, "on") || strings.HasPrefix(name, "data-") || strings.HasPrefix(name, "hx-") || strings.HasPrefix(name, "x-") || strings.ContainsAny(name, ":@") {
		return script
	}
	return unused
}
