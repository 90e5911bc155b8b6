package seeds

// The policies of the seeds.
const (
	// Strict is that of the sample application.
	Strict = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

	// Nonces allows what htmx brings in no script.
	Nonces = "default-src 'self'; script-src 'nonce'; style-src 'self' 'nonce'; object-src 'none'; base-uri 'none'"

	// Own allows everything of the same origin, and nothing that is written into a page.
	Own = "default-src 'self'"

	// Hosts names a few others.
	Hosts = "default-src 'self'; img-src 'self' https://img.example data:; script-src 'self' https://cdn.example/lib/; style-src 'self' https://*.fonts.example; connect-src 'self' https://api.example; frame-src https://video.example; form-action 'self' https://pay.example"

	// Closed allows little.
	Closed = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'self'"

	// Loose allows what is written into a page.
	Loose = "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src https: data:"
)

// Refused are pages of which a browser refuses one thing. What they are about begins with the
// directive.
var Refused = []Seed{
	under(Strict, "script-src: no nonce", "<h1>Page</h1>\n§<script>\nstart()\n</script>"),
	under(Strict, "script-src: no nonce, and 'strict-dynamic' ignores 'self'", "<h1>Page</h1>\n§<script src=\"/app.js\" defer></script>"),
	under(Strict, "script-src: an attribute has no nonce", "<h1>Page</h1>\n<p>§<button type=\"button\" onclick=\"go()\">Go</button></p>"),
	under(Strict, "script-src: the submit of a form, under a condition", "<h1>Page</h1>\n§<form method=\"post\"{{if .A}} onsubmit=\"return confirm('Sure?')\"{{end}}>\n<button>Go</button></form>"),
	under(Strict, "script-src: a URL that is a script", "<h1>Page</h1>\n§<a href=\"javascript:history.back()\">Back</a>"),
	under(Strict, "script-src: a nonce of another day", "<h1>Page</h1>\n§<script nonce=\"r4nd0m\">start()</script>"),
	under(Strict, "script-src: the nonce is missing in one branch", "<h1>Page</h1>\n{{if .A}}<script nonce=\"{{nonce}}\">start()</script>{{else}}\n§<script>stop()</script>{{end}}"),
	under(Strict, "script-src: the nonce has a condition", "<h1>Page</h1>\n§<script{{if .A}} nonce=\"{{nonce}}\"{{end}}>start()</script>"),
	under(Strict, "script-src: a module", "<h1>Page</h1>\n§<script type=\"module\">import \"/app.js\"</script>"),
	under(Strict, "style-src: an attribute", "<h1>Page</h1>\n§<p style=\"color:red\">Red</p>"),
	under(Strict, "style-src: an element, since default-src has no nonce", "<h1>Page</h1>\n§<style>\np { color: red }\n</style>"),
	under(Strict, "style-src: an attribute with a width from data", "<h1>Page</h1>\n{{range .Items}}\n§<p style=\"width: {{.ID}}%\">{{.Name}}</p>\n{{end}}"),
	under(Strict, "img-src: another host", "<h1>Page</h1>\n§<img src=\"https://cdn.example/x.png\" alt=\"\">"),
	under(Strict, "img-src: data", "<h1>Page</h1>\n§<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\">"),
	under(Strict, "object-src", "<h1>Page</h1>\n§<object data=\"/film.mp4\" aria-label=\"Film\"></object>"),
	under(Strict, "frame-src: another host", "<h1>Page</h1>\n§<iframe src=\"https://video.example/1\" title=\"Film\"></iframe>"),
	under(Strict, "form-action: another host", "<h1>Page</h1>\n§<form method=\"post\" action=\"https://pay.example/\"><button>Pay</button></form>"),
	under(Strict, "style-src: a sheet of another host", "<h1>Page</h1>\n§<link rel=\"stylesheet\" href=\"https://cdn.example/x.css\">"),
	under(Strict, "base-uri", "{{define \"head\"}}\n§<base href=\"/shop/\">{{end}}<h1>Page</h1>"),
	under(Strict, "media-src: the source of a film", "<h1>Page</h1>\n<video controls>\n§<source src=\"https://cdn.example/film.mp4\" type=\"video/mp4\"></video>"),

	// htmx.
	under(Strict, "script-src: hx-on is evaluated", "<h1>Page</h1>\n§<button type=\"button\" hx-get=\"/page\" hx-on:click=\"go()\">Go</button>"),
	under(Nonces, "script-src: hx-on of an event of htmx", "<h1>Page</h1>\n<div hx-get=\"/page\">\n§<form method=\"post\" hx-post=\"/page\" hx-on::after-request=\"this.reset()\"><button>Go</button></form></div>"),
	under(Nonces, "script-src: a filter of a trigger is evaluated", "<h1>Page</h1>\n§<div hx-get=\"/page\" hx-trigger=\"click[ctrlKey]\">Go</div>"),
	under(Nonces, "script-src: values that are a script", "<h1>Page</h1>\n§<button type=\"button\" hx-post=\"/page\" hx-vals=\"js:{now: Date.now()}\">Go</button>"),
	under(Strict, "script-src: headers that are a script", "<h1>Page</h1>\n§<button type=\"button\" hx-post=\"/page\" hx-headers='javascript:{\"X\": f()}'>Go</button>"),

	// Other policies.
	under(Nonces, "script-src: no 'self'", "<h1>Page</h1>\n§<script src=\"/app.js\"></script>"),
	under(Nonces, "style-src: an element without the nonce", "<h1>Page</h1>\n§<style>p { color: red }</style>"),
	under(Own, "script-src: in the page", "<h1>Page</h1>\n§<script>start()</script>"),
	under(Own, "script-src: the load of a picture", "<h1>Page</h1>\n§<img src=\"/logo.png\" alt=\"\" onerror=\"this.remove()\">"),
	under(Own, "script-src: a library of another host", "<h1>Page</h1>\n§<script src=\"https://cdn.example/lib/htmx.js\"></script>"),
	under(Own, "img-src: one of the pictures of a set", "<h1>Page</h1>\n§<img src=\"/logo.png\" srcset=\"https://cdn.example/2.png 2x\" alt=\"\">"),
	under(Own, "font-src: a preload", "<h1>Page</h1>\n§<link rel=\"preload\" as=\"font\" href=\"https://cdn.example/a.woff2\" crossorigin>"),
	under(Hosts, "img-src: a host below is another host", "<h1>Page</h1>\n§<img src=\"https://eu.img.example/x.png\" alt=\"\">"),
	under(Hosts, "img-src: a scheme that is less secure", "<h1>Page</h1>\n§<img src=\"http://img.example/x.png\" alt=\"\">"),
	under(Hosts, "script-src: another path", "<h1>Page</h1>\n§<script src=\"https://cdn.example/x.js\"></script>"),
	under(Hosts, "style-src: a star stands for one part at least", "<h1>Page</h1>\n§<link rel=\"stylesheet\" href=\"https://fonts.example/a.css\">"),
	under(Hosts, "frame-src: frames of its own", "<h1>Page</h1>\n§<iframe src=\"/\" title=\"Home\"></iframe>"),
	under(Hosts, "form-action: a button sends elsewhere", "<h1>Page</h1>\n<form method=\"post\">\n§<button formaction=\"https://bank.example/\">Pay</button></form>"),
	under(Closed, "img-src", "<h1>Page</h1>\n§<img src=\"/logo.png\" alt=\"\">"),
	under(Closed, "script-src: a file", "<h1>Page</h1>\n§<script src=\"/app.js\"></script>"),
	under(Closed, "media-src", "<h1>Page</h1>\n§<video src=\"/film.mp4\" controls></video>"),
	under(Closed, "frame-src", "<h1>Page</h1>\n§<iframe src=\"/\" title=\"Home\"></iframe>"),
	under(Loose, "img-src: its own pictures, unless they come by HTTPS", "<h1>Page</h1>\n§<img src=\"http://img.example/x.png\" alt=\"\">"),
	under(Loose, "script-src: another host", "<h1>Page</h1>\n§<script src=\"https://cdn.example/x.js\"></script>"),

	// In a layout, and in a partial.
	{"script-src: in the layout", Strict, map[string]string{"router/page.html": "<h1>Page</h1>", "router/+layout.html": `<!doctype html>
<html lang="en">
<head><title>Shop</title>
§<script src="{{asset "app.js"}}" defer></script>
</head>
<body><main>{{template "content" .}}</main></body>
</html>
`}, ""},
	{"script-src: in a partial", Strict, map[string]string{"router/page.html": "<h1>Page</h1>\n{{template \"+menu\" .}}", "router/+menu.html": "<div>\n§<button type=\"button\" onclick=\"menu()\">Menu</button></div>"}, ""},
}

// Allowed are pages that look as if a browser refused something, and it does not.
var Allowed = []Seed{
	under(Strict, "the nonce, in all ways to write it", "<h1>Page</h1>\n<script nonce=\"{{nonce}}\">start({{.Name}})</script><script nonce='{{nonce}}' src=\"/app.js\"></script><script type=module nonce={{nonce}}></script>"),
	under(Strict, "a script that holds data does not run", "<h1>Page</h1>\n<script type=\"application/json\" id=\"d\">{\"a\": 1}</script><script type=\"text/x-template\"><b>b</b></script>"),
	under(Strict, "its own pictures, sheets and forms", "<h1>Page</h1>\n<link rel=\"stylesheet\" href=\"/app.css\"><img src=\"/logo.png\" alt=\"\"><form method=\"post\" action=\"/page\"><button>Go</button></form>"),
	under(Strict, "links lead anywhere", "<h1>Page</h1>\n<a href=\"https://other.example/\">Other</a><link rel=\"canonical\" href=\"https://other.example/page\">"),
	under(Strict, "attributes of SVG are no style", "<h1>Page</h1>\n<svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><path fill=\"red\" stroke-width=\"2\" d=\"M0 0h8\"/></svg>"),
	under(Strict, "names that begin with on in data attributes", "<h1>Page</h1>\n<p data-onclick=\"go()\" data-style=\"color:red\">Text</p>"),
	under(Strict, "a URL of data may be of the same origin", "<h1>Page</h1>\n{{range .Items}}<img src=\"{{.Path}}\" alt=\"{{.Name}}\">{{end}}"),
	under(Strict, "htmx without scripts", "<h1>Page</h1>\n<form method=\"post\" hx-post=\"/page\" hx-vals='{\"a\": 1}' hx-trigger=\"submit, keyup changed delay:200ms from:body\"><button>Go</button></form>"),
	under(Strict, "a script in a comment, and one in the text of a page", "<h1>Page</h1>\n{{/* <script>a</script> */}}<!-- <script>a()</script> --><pre>&lt;script&gt; onclick=\"a()\" javascript:a</pre>"),
	under(Nonces, "the nonce for a style", "<h1>Page</h1>\n<style nonce=\"{{nonce}}\">p { color: red }</style>"),
	under(Nonces, "no form-action is no limit", "<h1>Page</h1>\n<form method=\"post\" action=\"https://pay.example/\"><button>Pay</button></form>"),
	under(Nonces, "the nonce in both branches", "<h1>Page</h1>\n{{if .A}}<script nonce=\"{{nonce}}\">a()</script>{{else}}<script nonce=\"{{nonce}}\">b()</script>{{end}}"),
	under(Own, "no base-uri is no limit", "{{define \"head\"}}<base href=\"https://other.example/\">{{end}}<h1>Page</h1>"),
	under(Own, "a script of its own", "<h1>Page</h1>\n<script src=\"/app.js\"></script><script src=\"{{asset \"app.js\"}}\" type=\"module\"></script>"),
	under(Own, "a frame of its own", "<h1>Page</h1>\n<iframe src=\"/\" title=\"Home\"></iframe><video src=\"/film.mp4\" controls></video>"),
	under(Hosts, "a host, a path below, a host below", "<h1>Page</h1>\n<img src=\"https://img.example/x.png\" alt=\"\"><script src=\"https://cdn.example/lib/a/x.js\"></script><link rel=\"stylesheet\" href=\"https://a.b.fonts.example/x.css\">"),
	under(Hosts, "data for pictures, and a frame of a host", "<h1>Page</h1>\n<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\"><iframe src=\"https://video.example/1\" title=\"Film\"></iframe>"),
	under(Hosts, "a form of a host", "<h1>Page</h1>\n<form method=\"post\" action=\"https://pay.example/now\"><button>Pay</button></form>"),
	under(Closed, "text, forms and sheets", "<h1>Page</h1>\n<link rel=\"stylesheet\" href=\"/app.css\"><form method=\"post\"><button>Go</button></form>"),
	under(Loose, "what is written into the page", "<h1>Page</h1>\n<p style=\"color:red\" onclick=\"go()\">Text</p><style>p { color: red }</style><script>const a = 1</script><a href=\"javascript:void 0\">a</a>"),
	under(Loose, "htmx evaluates", "<h1>Page</h1>\n<button type=\"button\" hx-get=\"/page\" hx-on:click=\"go()\" hx-trigger=\"click[ctrlKey]\">Go</button>"),
	under("", "no policy at all", "<h1>Page</h1>\n<p style=\"color:red\" onclick=\"go()\">Text</p><script>const a = 1</script><img src=\"https://cdn.example/x.png\" alt=\"\">"),
}

// headLayout is a layout whose head pages may add to.
const headLayout = `<!doctype html>
<html lang="en">
<head><title>{{block "title" .}}Shop{{end}}</title>{{block "head" .}}{{end}}</head>
<body><main>{{template "content" .}}</main></body>
</html>
`

// under is a Seed of a page under a policy.
func under(policy, about, text string) Seed {
	s := page(about, text)
	s.Policy = policy
	s.Files["router/+layout.html"] = headLayout
	return s
}
