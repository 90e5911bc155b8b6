package seeds

// Inaccessible are pages with one mistake each. What they are about begins with the rule of
// axe-core that reports it in a rendering.
var Inaccessible = []Seed{
	// Images.
	page("image-alt", "<h1>Page</h1>\n§<img src=\"/logo.png\">"),
	page("image-alt: in a loop", "<h1>Page</h1>\n<ul>\n{{range .Items}}\n<li>§<img src=\"{{.Path}}\"></li>\n{{end}}\n</ul>"),
	page("image-alt: in one branch", "<h1>Page</h1>\n{{if .A}}<img src=\"/logo.png\" alt=\"Logo\">{{else}}\n§<img src=\"/logo.png\">{{end}}"),
	page("image-alt: the attribute has a condition", "<h1>Page</h1>\n§<img src=\"/logo.png\"{{if .A}} alt=\"Logo\"{{end}}>"),
	silent("the reader takes a space for nothing", page("image-alt: a space", "<h1>Page</h1>\n§<img src=\"/logo.png\" alt=\" \">")),
	files("image-alt: in a partial", "router/page.html", "<h1>Page</h1>\n{{range .Items}}{{template \"+card\" .}}{{end}}",
		"router/+card.html", "<div class=\"card\">\n§<img src=\"{{.Path}}\" class=\"thumb\">\n<p>{{.Name}}</p>\n</div>"),
	files("image-alt: in the layout", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title></head>
<body>
<header>
<a href="/">§<img src="/logo.png"> Shop</a>
</header>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	page("image-alt: the name of the attribute is misspelt", "<h1>Page</h1>\n§<img src=\"/logo.png\" atl=\"Logo\">"),
	page("input-image-alt", "<h1>Page</h1>\n<form>\n§<input type=\"image\" src=\"/logo.png\">\n</form>"),
	silent("no rule for <object>", page("object-alt", "<h1>Page</h1>\n§<object data=\"/logo.png\" type=\"image/png\"></object>")),
	silent("role=img is left out", page("svg-img-alt", "<h1>Page</h1>\n§<svg role=\"img\" viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8z\"/></svg>")),
	silent("role=img is left out", page("role-img-alt", "<h1>Page</h1>\n§<div role=\"img\" class=\"stars\"></div>")),
	silent("area is left out", page("area-alt", "<h1>Page</h1>\n<img src=\"/logo.png\" alt=\"Map\" usemap=\"#m\">\n<map name=\"m\">§<area shape=\"rect\" coords=\"0,0,9,9\" href=\"/\"></map>")),

	// Links.
	page("link-name: an icon", "<h1>Page</h1>\n§<a href=\"/\"><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><path d=\"M0 0h8v8z\"/></svg></a>"),
	page("link-name: a picture without a name", "<h1>Page</h1>\n§<a href=\"/\"><img src=\"/logo.png\" alt=\"\"></a>"),
	page("link-name: nothing", "<h1>Page</h1>\n<ul>\n<li>§<a href=\"/\"></a></li>\n</ul>"),
	page("link-name: an icon of a font", "<h1>Page</h1>\n§<a href=\"/\"><i class=\"icon-home\"></i></a>"),
	page("link-name: text that is hidden", "<h1>Page</h1>\n§<a href=\"/\"><span aria-hidden=\"true\">×</span></a>"),
	page("link-name: text under a condition", "<h1>Page</h1>\n§<a href=\"/page\">{{if .A}}Next{{end}}</a>"),
	files("link-name: an icon in a partial", "router/page.html", "<h1>Page</h1>\n<p>§<a href=\"/\" class=\"icon\">{{template \"+icon\" .}}</a></p>",
		"router/+icon.html", `<svg viewBox="0 0 8 8" focusable="false"><path d="M0 0h8v8z"/></svg>`),
	page("link-name: one of a row of icons, in a loop", "<h1>Page</h1>\n<table>\n<tr><th>Name</th><th>Edit</th></tr>\n{{range .Items}}\n<tr><td>{{.Name}}</td><td>§<a href=\"/page\"><svg viewBox=\"0 0 8 8\"><use href=\"#pen\"/></svg></a></td></tr>\n{{end}}\n</table>"),
	page("link-name: an empty label", "<h1>Page</h1>\n§<a href=\"/\" aria-label=\"\"><svg viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8z\"/></svg></a>"),

	// Buttons.
	page("button-name: an icon", "<h1>Page</h1>\n<form method=\"post\">\n§<button type=\"button\"><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><path d=\"M0 0h8v8z\"/></svg></button>\n</form>"),
	page("button-name: an icon in one branch", "<h1>Page</h1>\n§<button type=\"button\">{{if .A}}Save{{else}}<svg viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8z\"/></svg>{{end}}</button>"),
	page("button-name: nothing", "<h1>Page</h1>\n§<button type=\"button\" class=\"close\"></button>"),
	page("button-name: hidden text", "<h1>Page</h1>\n§<button type=\"button\"><span hidden>Close</span></button>"),
	page("button-name: an empty label", "<h1>Page</h1>\n§<button type=\"button\" aria-label=\"\"><i class=\"x\"></i></button>"),
	page("button-name: a label under a condition", "<h1>Page</h1>\n§<button type=\"button\"{{if .A}} aria-label=\"Close\"{{end}}><i class=\"x\"></i></button>"),
	page("button-name: in a dialog", "<h1>Page</h1>\n<dialog open aria-labelledby=\"t\">\n<h2 id=\"t\">Sure?</h2>\n<form method=\"dialog\">§<button><i class=\"icon-ok\"></i></button></form>\n</dialog>"),
	page("input-button-name: type button", "<h1>Page</h1>\n<form>\n§<input type=\"button\" name=\"more\">\n</form>"),
	page("input-button-name: an empty value", "<h1>Page</h1>\n<form>\n§<input type=\"submit\" value=\"\">\n</form>"),

	// Labels.
	page("label: a paragraph in its place", "<h1>Page</h1>\n<form>\n<p>Name</p>\n§<input name=\"q\">\n</form>"),
	page("label: for is misspelt", "<h1>Page</h1>\n<form>\n§<label for=\"mail\">Mail</label>\n§<input id=\"email\" type=\"email\" name=\"email\">\n</form>"),
	page("label: an id is missing", "<h1>Page</h1>\n<form>\n§<label for=\"email\">Mail</label>\n§<input type=\"email\" name=\"email\">\n</form>"),
	page("label: a checkbox with text beside it", "<h1>Page</h1>\n<form>\n§<input type=\"checkbox\" name=\"ok\"> I agree\n</form>"),
	page("label: an empty label around it", "<h1>Page</h1>\n<form>\n<label>§<input name=\"q\"></label>\n</form>"),
	page("label: an empty label", "<h1>Page</h1>\n<form>\n<label for=\"q\"></label>\n§<input id=\"q\" name=\"q\">\n</form>"),
	page("label: a label under a condition", "<h1>Page</h1>\n<form>\n{{if .A}}<label for=\"q\">Search</label>{{end}}\n§<input id=\"q\" name=\"q\">\n</form>"),
	page("label: a label without for, beside it", "<h1>Page</h1>\n<form>\n<label>Name</label>\n§<input id=\"name\" name=\"name\">\n</form>"),
	page("label: textarea, in a loop", "<h1>Page</h1>\n<form>\n{{range .Items}}\n<p>{{.Name}}</p>\n§<textarea name=\"note\"></textarea>\n{{end}}\n</form>"),
	page("label: a file", "<h1>Page</h1>\n<form method=\"post\" enctype=\"multipart/form-data\">\n§<input type=\"file\" name=\"photo\">\n<button>Send</button>\n</form>"),
	page("label: a radio in a fieldset", "<h1>Page</h1>\n<form>\n<fieldset><legend>Size</legend>\n§<input type=\"radio\" name=\"size\" value=\"s\"> Small\n</fieldset>\n</form>"),
	page("label: in a cell of a table", "<h1>Page</h1>\n<form>\n<table>\n<tr><th>Amount</th></tr>\n{{range .Items}}\n<tr><td>§<input name=\"amount\" type=\"number\"></td></tr>\n{{end}}\n</table>\n</form>"),
	page("label: aria-labelledby names nothing", "<h1>Page</h1>\n<form>\n<h2 id=\"titel\">Search</h2>\n§<input name=\"q\" aria-labelledby=\"title\">\n</form>"),
	silent("a script may fill what has an id", page("label: aria-labelledby names what is empty", "<h1>Page</h1>\n<form>\n<span id=\"t\"></span>\n§<input name=\"q\" aria-labelledby=\"t\">\n</form>")),
	page("label: only in the other branch", "<h1>Page</h1>\n<form>\n{{if .A}}<label for=\"q\">Search</label><input id=\"q\" name=\"q\">{{else}}\n§<input id=\"q\" name=\"q\">{{end}}\n</form>"),
	silent("an id that an action writes", files("label: a partial gets another id", "router/page.html", "<h1>Page</h1>\n<form>\n{{template \"+label\" \"mail\"}}\n§<input id=\"email\" name=\"email\">\n</form>",
		"router/+label.html", "<label for=\"{{.}}\">Mail</label>")),
	files("label: a partial has the field alone", "router/page.html", "<h1>Page</h1>\n<form>\n{{template \"+input\" .}}\n<button>Send</button>\n</form>",
		"router/+input.html", "<span>Name</span>\n§<input name=\"name\" value=\"{{.Name}}\">"),
	page("label: in a block", "<h1>Page</h1>\n{{block \"form\" .}}\n<form>\n§<input name=\"q\" value=\"{{.Name}}\">\n</form>\n{{end}}"),
	silent("a title is a name", page("label-title-only", "<h1>Page</h1>\n<form>\n§<input name=\"q\" title=\"Search\">\n</form>")),
	page("select-name", "<h1>Page</h1>\n<form>\n§<select name=\"kind\">{{range .Items}}<option>{{.Name}}</option>{{end}}</select>\n</form>"),
	page("select-name: the first option as a label", "<h1>Page</h1>\n<form>\n§<select name=\"kind\"><option value=\"\">Choose a kind</option><option>a</option></select>\n</form>"),
	page("label: in the second of two forms", "<h1>Page</h1>\n<form><label>Search <input name=\"q\"></label></form>\n<form>\n§<input name=\"q\">\n</form>"),

	// Headings.
	page("empty-heading", "<h1>Page</h1>\n§<h2></h2>\n<p>Text</p>"),
	page("empty-heading: under a condition", "<h1>Page</h1>\n§<h2>{{if .A}}News{{end}}</h2>"),
	page("empty-heading: a picture without a name", "<h1>Page</h1>\n§<h2><img src=\"/logo.png\" alt=\"\"></h2>"),
	page("heading-order", "<h1>Page</h1>\n§<h3>Detail</h3>"),
	page("heading-order: in a loop", "<h1>Page</h1>\n<h2>Items</h2>\n{{range .Items}}\n§<h4>{{.Name}}</h4>\n{{end}}"),
	page("heading-order: the one between has a condition", "<h1>Page</h1>\n{{if .A}}<h2>News</h2>{{end}}\n§<h3>Today</h3>"),
	files("heading-order: in a partial", "router/page.html", "<h1>Page</h1>\n{{template \"+news\" .}}", "router/+news.html", "<section>\n§<h4>News</h4>\n<p>{{.Note}}</p>\n</section>"),
	files("heading-order: after that of the layout", "router/page.html", "§<h3>Page</h3>\n<p>Text</p>", "router/index.html", "<h2>Home</h2>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title></head>
<body>
<header><h1>Shop</h1></header>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	silent("no rule asks for a first heading", page("page-has-heading-one", "§<h2>Page</h2>\n<p>Text</p>")),

	// The document.
	files("document-title", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
§<html lang="en"><head><meta charset="utf-8"></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("document-title: empty", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en"><head>
§<title></title>
</head><body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("document-title: no define in the page", "router/index.html", "{{define \"title\"}}Home{{end}}<h1>Home</h1>", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en"><head>
§<title>{{block "title" .}}{{end}}</title>
</head><body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("document-title: under a condition", "router/page.html", "{{define \"title\"}}{{if .A}}Page{{end}}{{end}}<h1>Page</h1>", "router/index.html", "", "router/+layout.html", `<!doctype html>
<html lang="en"><head>
§<title>{{block "title" .}}Shop{{end}}</title>
</head><body>
<main><p>Shop</p>{{template "content" .}}</main>
</body>
</html>
`),
	files("html-has-lang", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
§<html>
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("html-has-lang: empty", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
§<html lang="">
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("html-has-lang: in a page without a layout", "router/index.html", "", "router/+layout.html", "", "router/page.html", `<!doctype html>
§<html class="bare">
<head><title>Page</title></head>
<body><main><h1>Page</h1></main></body>
</html>
`),
	files("html-has-lang: under a condition", "router/index.html", "", "router/+layout.html", "", "router/page.html", `<!doctype html>
§<html{{if .A}} lang="en"{{end}}>
<head><title>Page</title></head>
<body><main><h1>Page</h1></main></body>
</html>
`),
	silent("no rule for the value of lang", files("html-lang-valid: an underscore", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
§<html lang="en_US">
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`)),
	silent("no rule for the value of lang", files("html-lang-valid: a word", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
§<html lang="english">
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`)),
	silent("no rule for the value of lang", page("valid-lang", "<h1>Page</h1>\n<p>He said §<span lang=\"deutsch\">Guten Tag</span>.</p>")),
	files("meta-viewport: no zoom", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title>
§<meta name="viewport" content="width=device-width, initial-scale=1, user-scalable=no">
</head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("meta-viewport: a maximum", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title>
§<meta name="viewport" content="width=device-width,maximum-scale=1.0">
</head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("meta-refresh", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title>{{block "head" .}}
§<meta http-equiv="refresh" content="30">
{{end}}</head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	page("frame-title", "<h1>Page</h1>\n§<iframe src=\"/\"></iframe>"),
	page("tabindex", "<h1>Page</h1>\n<p>§<a href=\"/\" tabindex=\"3\">Home</a></p>"),

	// Ids.
	page("duplicate-id-aria: two fields", "<h1>Page</h1>\n<form><label for=\"q\">Search</label><input id=\"q\" name=\"q\"></form>\n<form><label>Find §<input id=\"q\" name=\"q\"></label></form>"),
	page("duplicate-id-aria: in a loop", "<h1>Page</h1>\n<form>\n{{range .Items}}\n<p><label for=\"amount\">{{.Name}}</label> §<input id=\"amount\" name=\"amount\"></p>\n{{end}}\n</form>"),
	files("duplicate-id-aria: in the layout and in the page", "router/page.html", "<h1>Page</h1>\n<form>\n<label for=\"q\">Search</label>\n§<input id=\"q\" name=\"q\">\n</form>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title></head>
<body>
<header><form action="/"><label for="q">Find</label> <input id="q" name="q"></form></header>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("duplicate-id-aria: a partial that is called twice", "router/page.html", "<h1>Page</h1>\n<form>{{template \"+find\" .}}</form>\n<form>{{template \"+find\" .}}</form>",
		"router/+find.html", "<label for=\"find\">Find</label>\n§<input id=\"find\" name=\"q\" value=\"{{.Name}}\">"),
	page("duplicate-id-aria: one under a condition", "<h1>Page</h1>\n<h2 id=\"top\">First</h2>\n<section aria-labelledby=\"top\"><p>Text</p></section>\n{{if .A}}\n§<h2 id=\"top\">Second</h2>\n{{end}}"),

	// Other rules of axe-core.
	page("summary-name", "<h1>Page</h1>\n<details>\n§<summary></summary>\n<p>More</p></details>"),
	silent("what nobody is told of is not judged", page("aria-hidden-focus", "<h1>Page</h1>\n§<div aria-hidden=\"true\"><a href=\"/\">Home</a></div>")),
	page("nested-interactive", "<h1>Page</h1>\n§<button type=\"button\">Buy <a href=\"/\">now</a></button>"),
	silent("roles are left out", page("aria-dialog-name", "<h1>Page</h1>\n§<div role=\"dialog\"><p>Sure?</p></div>")),
	silent("no rule for lists", page("list", "<h1>Page</h1>\n§<ul><p>One</p></ul>")),
	silent("no rule for lists", page("listitem", "<h1>Page</h1>\n<div>\n§<li>One</li></div>")),
	silent("no rule for lists", page("definition-list", "<h1>Page</h1>\n§<dl><p>One</p></dl>")),
	silent("no rule for lists", page("dlitem", "<h1>Page</h1>\n<div>\n§<dt>One</dt></div>")),
	silent("names of attributes are left out", page("aria-valid-attr", "<h1>Page</h1>\n§<nav aria-lable=\"Side\"><a href=\"/\">Home</a></nav>")),
	silent("roles are left out", page("aria-roles", "<h1>Page</h1>\n§<div role=\"buton\" tabindex=\"0\">Go</div>")),
	silent("roles are left out", page("aria-required-attr", "<h1>Page</h1>\n§<span role=\"checkbox\" tabindex=\"0\">Go</span>")),
	silent("no rule for landmarks", page("landmark-no-duplicate-main", "<h1>Page</h1>\n§<main><p>Text</p></main>")),
	silent("tables are left out", page("empty-table-header", "<h1>Page</h1>\n<table>\n<tr>§<th></th><th>Name</th></tr>\n<tr><td>1</td><td>Ada</td></tr>\n</table>")),
	silent("tables are left out", page("scope-attr-valid", "<h1>Page</h1>\n<table>\n<tr><th scope=\"col\">Name</th></tr>\n<tr>§<td scope=\"col\">Ada</td></tr>\n</table>")),
	silent("no rule for values of autocomplete", page("autocomplete-valid", "<h1>Page</h1>\n<form><label>Name §<input name=\"name\" autocomplete=\"nmae\"></label></form>")),
	silent("no rule for keys", page("accesskeys", "<h1>Page</h1>\n<p><a href=\"/\" accesskey=\"s\">Home</a> §<a href=\"/page\" accesskey=\"s\">Page</a></p>")),
	silent("no rule for old elements", page("marquee", "<h1>Page</h1>\n§<marquee>News</marquee>")),
	silent("roles are left out", page("aria-progressbar-name", "<h1>Page</h1>\n§<div role=\"progressbar\" aria-valuenow=\"3\"></div>")),
	silent("no rule for landmarks", files("landmark-one-main", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
§<html lang="en"><head><title>Shop</title></head><body>
<div>{{template "content" .}}</div>
</body>
</html>
`)),
}

// Accessible are pages that look as if they had a mistake, and have none.
var Accessible = []Seed{
	// Images.
	page("a decoration has an empty alt", "<h1>Page</h1>\n<p><img src=\"/logo.png\" alt=\"\"> Shop</p>"),
	page("alt without a value is an empty one", "<h1>Page</h1>\n<p><img alt src=\"/logo.png\"> Shop</p>"),
	page("alt from an action", "<h1>Page</h1>\n{{range .Items}}<img src=\"{{.Path}}\" alt=\"{{.Name}}\">{{end}}"),
	page("alt in capitals", "<h1>Page</h1>\n<IMG SRC=\"/logo.png\" ALT=\"Logo\">"),
	page("alt in both branches of an attribute", "<h1>Page</h1>\n<img src=\"/logo.png\"{{if .A}} alt=\"{{.Name}}\"{{else}} alt=\"\"{{end}}>"),
	page("a presentation needs no alt", "<h1>Page</h1>\n<p><img src=\"/logo.png\" role=\"presentation\"> Shop</p>"),
	page("role=none needs no alt", "<h1>Page</h1>\n<p><img src=\"/logo.png\" role=\"none\"> Shop</p>"),
	page("an image that nobody is told of needs no alt", "<h1>Page</h1>\n<p><img src=\"/logo.png\" aria-hidden=\"true\"> Shop</p>"),
	page("aria-label is a name of an image", "<h1>Page</h1>\n<img src=\"/logo.png\" aria-label=\"Shop\">"),
	page("a title is a name of an image, too", "<h1>Page</h1>\n<img src=\"/logo.png\" title=\"Shop\">"),
	page("a comment, a script and a text hold no elements", "<h1>Page</h1>\n<!-- <img src=\"/logo.png\"> {{.Name}} -->\n<script>const x = '<img src=\"/logo.png\">'</script>\n<p><label>Markup <textarea name=\"m\"><img src=\"/logo.png\"></textarea></label></p>"),
	page("a template is not in the document", "<h1>Page</h1>\n<template><img src=\"/logo.png\"><input name=\"row\"><h4>Row</h4><a href=\"/\"></a></template>"),

	// Links.
	page("a picture names its link", "<h1>Page</h1>\n<a href=\"/\"><img src=\"/logo.png\" alt=\"Home\"></a>"),
	page("a title in SVG names its link", "<h1>Page</h1>\n<a href=\"/\"><svg role=\"img\" viewBox=\"0 0 8 8\"><title>Home</title><path d=\"M0 0h8v8z\"/></svg></a>"),
	page("a label from an action", "<h1>Page</h1>\n<a href=\"/\" aria-label=\"{{.Name}}\"><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><path d=\"M0 0h8v8z\"/></svg></a>"),
	page("text for screen readers", "<h1>Page</h1>\n<a href=\"/\"><i class=\"icon\" aria-hidden=\"true\"></i><span class=\"visually-hidden\">Home</span></a>"),
	page("text from an action alone", "<h1>Page</h1>\n<ul>{{range .Items}}<li><a href=\"/page\">{{.Name}}</a></li>{{end}}</ul>"),
	page("a with without else may always be true", "<h1>Page</h1>\n<a href=\"/page\">{{with .Name}}{{.}}{{end}}</a>"),
	page("text in both branches", "<h1>Page</h1>\n<a href=\"/page\">{{if .A}}Less{{else if .B}}More{{else}}All{{end}}</a>"),
	page("an anchor without href is no link", "<h1>Page</h1>\n<p><a id=\"top\"></a>Text</p>"),
	page("a title names a link", "<h1>Page</h1>\n<a href=\"/\" title=\"Home\"><i class=\"icon\"></i></a>"),
	page("aria-labelledby names a link", "<h1>Page</h1>\n<h2 id=\"news\">News</h2>\n<a href=\"/\" aria-labelledby=\"news\"><i class=\"icon\"></i></a>"),
	page("aria-labelledby may come before what it names", "<h1>Page</h1>\n<a href=\"/\" aria-labelledby=\"news\"><i class=\"icon\"></i></a>\n<h2 id=\"news\">News</h2>"),
	files("text in a partial", "router/page.html", "<h1>Page</h1>\n<a href=\"/\">{{template \"+text\" .}}</a>", "router/+text.html", "{{.Name}}"),
	page("a link that nobody is told of", "<h1>Page</h1>\n<p><a href=\"/\" aria-hidden=\"true\" tabindex=\"-1\"><i class=\"icon\"></i></a> <a href=\"/\">Home</a></p>"),
	page("one text or the other", "<h1>Page</h1>\n<a href=\"/\">{{if .A}}{{.Name}}{{end}}<span>Home</span></a>"),

	// Buttons.
	page("a picture names its button", "<h1>Page</h1>\n<button type=\"button\"><img src=\"/logo.png\" alt=\"Print\"></button>"),
	page("a title names a button", "<h1>Page</h1>\n<button type=\"button\" title=\"Close\">{{template \"x\"}}</button>{{define \"x\"}}<svg viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8z\"/></svg>{{end}}"),
	page("a button to send has a name of the browser", "<h1>Page</h1>\n<form><input type=\"submit\"> <input type=\"reset\"></form>"),
	page("a button with text in a loop", "<h1>Page</h1>\n{{if .Items}}<button type=\"button\">{{range .Items}}{{.Name}} {{end}}</button>{{end}}"),
	page("a label of a button is text or a word", "<h1>Page</h1>\n<button type=\"button\" aria-label=\"{{if .A}}Open{{else}}Close{{end}}\" aria-expanded=\"{{.A}}\"><i class=\"icon\"></i></button>"),
	page("a label around a button to send an image", "<h1>Page</h1>\n<form><input type=\"image\" src=\"/logo.png\" alt=\"Send\"></form>"),

	// Labels.
	page("a hidden field needs no label", "<h1>Page</h1>\n<form method=\"post\"><input type=\"hidden\" name=\"id\" value=\"{{.Name}}\"><button>Send</button></form>"),
	page("a label around", "<h1>Page</h1>\n<form><label>Search <input name=\"q\"></label></form>"),
	page("a label around, with its text after and inside of others", "<h1>Page</h1>\n<form><label><span class=\"box\"><input type=\"checkbox\" name=\"ok\"></span> <b>I agree</b></label></form>"),
	page("a label after its field", "<h1>Page</h1>\n<form><input id=\"ok\" type=\"checkbox\" name=\"ok\"> <label for=\"ok\">I agree</label></form>"),
	page("ids of data, in a loop", "<h1>Page</h1>\n<form>{{range .Items}}<label for=\"q{{.ID}}\">{{.Name}}</label> <input id=\"q{{.ID}}\" name=\"q\">{{end}}</form>"),
	page("aria-labelledby of data, in a table", "<h1>Page</h1>\n<form><table><tr><th id=\"amount\">Amount</th><th>Name</th></tr>{{range .Items}}<tr><td><input name=\"n\" aria-labelledby=\"amount r{{.ID}}\"></td><td id=\"r{{.ID}}\">{{.Name}}</td></tr>{{end}}</table></form>"),
	page("a label of an action", "<h1>Page</h1>\n<form><label for=\"q\">{{.Name}}</label> <input id=\"q\" name=\"q\"></form>"),
	page("aria-label of an action", "<h1>Page</h1>\n<form><input name=\"q\" aria-label=\"{{.Name}}\"></form>"),
	page("a label that is not seen", "<h1>Page</h1>\n<form><label class=\"visually-hidden\" for=\"q\">Search</label> <input id=\"q\" name=\"q\" placeholder=\"Search\"></form>"),
	page("label and field under the same condition", "<h1>Page</h1>\n<form>{{if .A}}<label for=\"q\">Search</label>{{end}}<hr>{{if .A}}<input id=\"q\" name=\"q\">{{end}}</form>"),
	page("a select that two others name", "<h1>Page</h1>\n<form><span id=\"s\">Size</span> <span id=\"c\">of cups</span> <select name=\"size\" aria-labelledby=\"s c\"><option>1</option></select></form>"),
	page("labels around radios", "<h1>Page</h1>\n<form><fieldset><legend>Size</legend>{{range .Items}}<label><input type=\"radio\" name=\"size\" value=\"{{.ID}}\"> {{.Name}}</label>{{end}}</fieldset></form>"),
	files("a label around the partial that has the field", "router/page.html", "<h1>Page</h1>\n<form><label>Note {{template \"+area\" .}}</label></form>", "router/+area.html", "<textarea name=\"note\">{{.Note}}</textarea>"),
	files("a partial has label and field, with ids from its call", "router/page.html", "<h1>Page</h1>\n<form>{{template \"+field\" \"name\"}}{{template \"+field\" \"mail\"}}</form>", "router/+field.html", "<label for=\"f-{{.}}\">Your {{.}}</label> <input id=\"f-{{.}}\" name=\"{{.}}\">"),
	files("a label in the layout, for the field of the page", "router/page.html", "<h1>Page</h1>\n<form><input id=\"q\" name=\"q\"></form>", "router/index.html", "<h1>Home</h1><input id=\"q\" name=\"q\">", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title></head>
<body>
<main><label for="q">Search</label>{{template "content" .}}</main>
</body>
</html>
`),
	page("a part that only handlers render is in a page that we do not know", "<h1>Page</h1>\n{{define \"row\"}}<input id=\"row\" name=\"row\"><h4>{{.Name}}</h4>{{end}}"),
	page("a label or an aria-label", "<h1>Page</h1>\n<form>{{if .A}}<label for=\"q\">Search</label>{{end}}<input id=\"q\" name=\"q\"{{if not .A}} aria-label=\"Search\"{{end}}></form>"),
	page("the name is there whichever the type", "<h1>Page</h1>\n<form><label for=\"v\">Value</label> <input id=\"v\" name=\"v\" type=\"{{if .A}}text{{else}}number{{end}}\"></form>"),
	page("a field of an unknown type may be hidden", "<h1>Page</h1>\n<form><input name=\"v\" type=\"{{if .A}}hidden{{else}}submit{{end}}\" value=\"Send\"></form>"),

	// Headings.
	page("headings go down and up", "<h1>Page</h1>\n<h2>A</h2><h3>B</h3><h4>C</h4><h2>D</h2><h3>E</h3>"),
	page("a heading under a condition, of the same level", "<h1>Page</h1>\n{{if .A}}<h2>News</h2>{{end}}<h2>All</h2><h3>Part</h3>"),
	page("a heading in each branch", "{{if .A}}<h1>Edit {{.Name}}</h1>{{else}}<h1>New</h1>{{end}}\n<h2>Fields</h2>"),
	page("a picture in a heading", "<h1><img src=\"/logo.png\" alt=\"Shop\"></h1>"),
	page("a heading from an action", "<h1>{{.Name}}</h1>\n{{range .Items}}<h2>{{.Name}}</h2><h3>Price</h3>{{end}}"),
	page("a heading by its role", "<h1>Page</h1>\n<div role=\"heading\" aria-level=\"2\">News</div>\n<h3>Today</h3>"),
	page("a heading that both conditions need", "<h1>Page</h1>\n{{if .A}}<h2>News</h2>{{end}}{{if .A}}<h3>Today</h3>{{end}}"),
	files("the heading of the page is in a block of the layout", "router/page.html", "{{define \"heading\"}}{{.Name}}{{end}}<h2>Part</h2>", "router/index.html", "<h2>Part</h2>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title></head>
<body>
<main><h1>{{block "heading" .}}Shop{{end}}</h1>{{template "content" .}}</main>
</body>
</html>
`),
	files("the page brings its sections at the level of the layout inside", "router/admin/+layout.html", "<h1>Admin</h1><section>{{template \"content\" .}}</section>", "router/admin/index.html", "<h2>Users</h2>", "router/page.html", "<h1>Page</h1>"),

	// The document.
	page("a title of an action", "{{define \"title\"}}{{.Name}}{{end}}<h1>Page</h1>"),
	files("an empty block, with text beside", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>{{block "title" .}}{{end}} Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("the language of an action", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="{{lang}}">
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("languages with script and region", "router/page.html", "<h1>Page</h1>\n<p lang=\"de-AT\">Servus</p><p lang=\"zh-Hant-TW\">茶</p>", "router/+layout.html", `<!doctype html>
<html lang="en-GB-oxendict">
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("the language in both branches", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html{{if request.URL.Query.Has "de"}} lang="de"{{else}} lang="en"{{end}}>
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("a viewport that may grow", "router/page.html", "<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title><meta name="viewport" content="width=device-width, initial-scale=1, maximum-scale=5, user-scalable=yes"></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	files("a refresh at once is a redirect", "router/page.html", "<h1>Page</h1>", "router/index.html", "", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title><meta http-equiv="refresh" content="0; url=/page"></head>
<body>
<main>{{template "content" .}}</main>
</body>
</html>
`),
	page("frames with names", "<h1>Page</h1>\n<iframe src=\"/\" title=\"Home\"></iframe><iframe src=\"/page\" aria-label=\"{{.Name}}\"></iframe>"),
	page("tabindex of 0 and -1", "<h1>Page</h1>\n<div tabindex=\"0\">a</div><h2 tabindex=\"-1\">b</h2>"),

	// Ids.
	page("the same id in both branches", "<h1>Page</h1>\n<form><label for=\"q\">Search</label>{{if .A}}<input id=\"q\" name=\"q\">{{else}}<input id=\"q\" name=\"q\" disabled>{{end}}</form>"),
	page("the same id under conditions that exclude each other", "<h1>Page</h1>\n{{if eq .Kind \"a\"}}<h2 id=\"part\">A</h2>{{end}}{{if eq .Kind \"b\"}}<h2 id=\"part\">B</h2>{{end}}"),
	page("an id in a loop that ends", "<h1>Page</h1>\n{{range .Items}}<p id=\"first\">{{.Name}}</p>{{break}}{{end}}"),
	page("an id in a loop for the first", "<h1>Page</h1>\n<ul>{{range $i, $item := .Items}}<li{{if eq $i 0}} id=\"first\"{{end}}>{{$item.Name}}</li>{{end}}</ul>"),
	page("an id of a template", "<h1>Page</h1>\n<p id=\"row\">Row</p><template><p id=\"row\">Row</p></template>"),
	page("two ids that differ in case", "<h1>Page</h1>\n<p id=\"row\">Row</p><p id=\"Row\">Row</p>"),
	files("an id of the default of a block, which the page replaces", "router/page.html", "{{define \"side\"}}<p id=\"side\">{{.Name}}</p>{{end}}<h1>Page</h1>", "router/+layout.html", `<!doctype html>
<html lang="en">
<head><title>Shop</title></head>
<body>
<main>{{template "content" .}}{{block "side" .}}<p id="side">Side</p>{{end}}</main>
</body>
</html>
`),
	files("a partial in both branches", "router/page.html", "<h1>Page</h1>\n{{if .A}}{{template \"+find\" .}}<hr>{{else}}{{template \"+find\" .}}{{end}}", "router/+find.html", "<form><label for=\"find\">Find</label> <input id=\"find\" name=\"q\" value=\"{{.Name}}\"></form>"),
	page("an id of the else of a loop", "<h1>Page</h1>\n{{range .Items}}<p>{{.Name}}</p>{{else}}<p id=\"none\">None</p>{{end}}{{if .Items}}<p id=\"none\">Some</p>{{end}}"),

	// Others.
	page("a dialog with a heading for a name", "<h1>Page</h1>\n<dialog aria-labelledby=\"sure\"><h2 id=\"sure\">Sure?</h2><form method=\"dialog\"><button>Yes</button></form></dialog>"),
	page("a summary with text", "<h1>Page</h1>\n<details><summary>{{.Name}}</summary><p>Text</p></details>"),
	page("a list with else", "<h1>Page</h1>\n<ul>{{range .Items}}<li>{{.Name}}</li>{{else}}<li>None</li>{{end}}</ul>"),
	page("groups in a list of terms", "<h1>Page</h1>\n<dl>{{range .Items}}<div><dt>{{.Name}}</dt><dd>{{.ID}}</dd></div>{{end}}<dt>Total</dt><dd>2</dd></dl>"),
	page("autocomplete of several words", "<h1>Page</h1>\n<form><label>Street <input name=\"street\" autocomplete=\"section-a shipping street-address\"></label></form>"),
	page("a section that is only a part", "{{define \"part\"}}<li><input id=\"a\" name=\"a\" aria-label=\"A\"></li>{{end}}<h1>Page</h1>\n<ul>{{template \"part\" .}}</ul>"),
	files("an error page with a heading from data", "router/page.html", "<h1>Page</h1>", "router/+error.html", "{{define \"title\"}}{{.Title}}{{end}}<h1>{{.Status}} {{.Title}}</h1>{{with .Detail}}<p>{{.}}</p>{{end}}"),
	page("who is signed in", "<h1>Page</h1>\n{{with user}}<a href=\"/page\">{{.Name}}</a>{{end}}<p>Shop</p>"),
	page("text of a value of any type", "<h1>{{.Any}}</h1>\n<form><label for=\"q\">{{.Any}}</label> <input id=\"q\" name=\"q\"></form>"),
}
