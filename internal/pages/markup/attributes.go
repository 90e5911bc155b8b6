package markup

import "strings"

// A use says what of an attribute is read.
type use uint8

const (
	unused use = iota // nothing: each condition in it would double the ways of its tag
	named             // its name
	valued            // its value
	url               // its value, which is a URL, up to its query or fragment
)

// uses has the attributes whose values are read.
var uses = func() map[string]use {
	all := map[string]use{}
	for use, names := range map[use]string{
		url:    "action formaction href xlink:href src poster data background cite hx-get hx-post hx-put hx-patch hx-delete sse-connect ws-connect hx-sse:connect hx-ws:connect",
		valued: "as hx-trigger hx-vals hx-headers hx-request ping srcset imagesrcset alt method formmethod enctype formenctype hx-encoding rel form name type http-equiv content required minlength maxlength min max nonce",
		named:  "style integrity nomodule srcdoc",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = use
			if strings.Contains(name, "-") && name != "http-equiv" { // htmx reads both
				all["data-"+name] = use
			}
		}
	}
	return all
}()

// useOf returns what of an attribute is read. Scripts may follow from the name of an attribute alone.
func useOf(name string) use {
	if use := uses[name]; use != unused {
		return use
	}
	for _, prefix := range []string{"on", "data-", "hx-", "x-"} {
		if strings.HasPrefix(name, prefix) {
			return named
		}
	}
	if strings.ContainsAny(name, ":@") {
		return named
	}
	return unused
}
