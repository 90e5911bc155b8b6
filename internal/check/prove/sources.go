package prove

import (
	"regexp"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// sources has the attributes with URLs that a policy has a say about, but for those of <script> and
// <link>. An attribute without elements counts on all.
var sources = []struct{ attr, elements, directive, what string }{
	{"src", "img input", "img-src", "the image"},
	{"srcset", "img source", "img-src", "the image"},
	{"poster", "video", "img-src", "the image"},
	{"background", "body table td th", "img-src", "the image"},
	{"href", "image", "img-src", "the image"},
	{"xlink:href", "image", "img-src", "the image"},
	{"src", "audio video source track", "media-src", "the media"},
	{"src", "iframe frame", "frame-src", "the frame"},
	{"src", "embed", "object-src", "the object"},
	{"data", "object", "object-src", "the object"},
	{"href", "base", "base-uri", "the base"},
	{"action", "form", "form-action", "the form to"},
	{"formaction", "button input", "form-action", "the form to"},
	{"ping", "a area", "connect-src", "the ping to"},
	{"hx-get", "", "connect-src", "the request to"},
	{"hx-post", "", "connect-src", "the request to"},
	{"hx-put", "", "connect-src", "the request to"},
	{"hx-patch", "", "connect-src", "the request to"},
	{"hx-delete", "", "connect-src", "the request to"},
	{"sse-connect", "", "connect-src", "the connection to"},
	{"ws-connect", "", "connect-src", "the connection to"},
	{"hx-sse:connect", "", "connect-src", "the connection to"},
	{"hx-ws:connect", "", "connect-src", "the connection to"},
}

// A resource is a kind of what is loaded, with the directive that decides about it.
type resource struct{ directive, what string }

// links has what a <link> loads by its rel.
var links = map[string]resource{
	"stylesheet":    {"style-src-elem", "the style sheet"},
	"icon":          {"img-src", "the icon"},
	"manifest":      {"manifest-src", "the manifest"},
	"modulepreload": {"script-src-elem", "the script"},
}

// preloads has what a <link rel=preload> loads by its as.
var preloads = map[string]resource{
	"script": {"script-src-elem", "the script"},
	"style":  {"style-src-elem", "the style sheet"},
	"image":  {"img-src", "the image"},
	"font":   {"font-src", "the font"},
	"fetch":  {"connect-src", "the request to"},
	"audio":  {"media-src", "the media"},
	"video":  {"media-src", "the media"},
	"track":  {"media-src", "the media"},
}

// navigations has the attributes in whose URLs javascript: is run, with their elements.
var navigations = map[string]string{
	"href": "a area", "xlink:href": "a", "action": "form", "formaction": "button input", "src": "iframe frame",
}

// ownIfEmpty has the attributes in which an empty URL is that of the page. Others load nothing then.
var ownIfEmpty = map[string]bool{
	"action": true, "formaction": true, "hx-get": true, "hx-post": true, "hx-put": true, "hx-patch": true, "hx-delete": true,
}

// events has the attributes whose values are scripts (HTML, section 8.1.8.2).
var events = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`
		abort animationcancel animationend animationiteration animationstart auxclick beforeinput beforematch beforetoggle
		blur cancel canplay canplaythrough change click close command contextlost contextmenu contextrestored copy cuechange
		cut dblclick drag dragend dragenter dragleave dragover dragstart drop durationchange emptied ended error focus
		formdata gotpointercapture input invalid keydown keypress keyup load loadeddata loadedmetadata loadstart
		lostpointercapture mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel paste pause play
		playing pointercancel pointerdown pointerenter pointerleave pointermove pointerout pointerover pointerup progress
		ratechange reset resize scroll scrollend search securitypolicyviolation seeked seeking select selectionchange
		selectstart slotchange stalled submit suspend timeupdate toggle touchcancel touchend touchmove touchstart
		transitioncancel transitionend transitionrun transitionstart volumechange waiting wheel
		afterprint beforeprint beforeunload hashchange languagechange message messageerror offline online pagehide
		pagereveal pageshow pageswap popstate rejectionhandled storage unhandledrejection unload begin end repeat`) {
		all["on"+name] = true
	}
	return all
}()

// htmxName returns the name of an attribute as htmx reads it.
func htmxName(name string) string {
	for _, prefix := range []string{"hx-", "sse-", "ws-"} {
		if short, ok := strings.CutPrefix(name, "data-"); ok && strings.HasPrefix(short, prefix) {
			return short
		}
	}
	return name
}

// filter matches hx-trigger with a condition for an event, as in "click[ctrlKey]". Brackets elsewhere
// belong to selectors.
var filter = regexp.MustCompile(`(^|,)\s*(every\s+[^\s,\[]+\s*|[^\s,\[]+)\[`)

// isEvaluated reports whether htmx evaluates the value of an attribute.
func isEvaluated(name, value string) bool {
	value = strings.TrimSpace(value)
	switch name {
	case "hx-trigger":
		return filter.MatchString(value)
	case "hx-vals", "hx-headers", "hx-request":
		return strings.HasPrefix(value, "js:") || strings.HasPrefix(value, "javascript:")
	}
	return name == "hx-vars" || strings.HasPrefix(name, "hx-on:") || strings.HasPrefix(name, "hx-on-")
}

// sentByHTMX reports whether htmx sends a form, and not the browser.
func sentByHTMX(w *markup.Way) bool {
	for _, verb := range []string{"hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete"} {
		if w.Has(verb) || w.Has("data-"+verb) {
			return true
		}
	}
	return false
}

// isDialog reports whether a form, or a button, closes a dialog and sends nothing. If an action
// decides, it may.
func isDialog(w *markup.Way) bool {
	for _, name := range []string{"method", "formmethod"} {
		if method := w.Value(name); strings.EqualFold(method, "dialog") || strings.Contains(method, pattern.Hole) {
			return true
		}
	}
	return false
}

// isUnused reports whether a browser makes nothing of the URL of an attribute on a tag.
func isUnused(w *markup.Way, attr string) bool {
	switch attr {
	case "src":
		return w.Name == "input" && !strings.EqualFold(w.Value("type"), "image") || w.Has("srcdoc")
	case "action", "formaction":
		return isDialog(w) || attr == "action" && sentByHTMX(w)
	}
	return false
}
