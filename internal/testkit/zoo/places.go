package zoo

// OwnPlaces are those where a Plan escapes by itself.
var OwnPlaces = []string{
	`{{.}}`,
	`<p title="{{.}}">`,
	`<title>{{.}}</title>`,
	`<a href="{{.}}">`,
	`<a href="/a/{{.}}">`,
	`<a href="/a?b={{.}}">`,
}

// Places are all others that html/template knows.
var Places = []string{
	`<p>a {{.}} b</p>`,
	`<p title='{{.}}'>`,
	`<p title={{.}}>`,
	`<p title="a {{.}} b">`,
	`<textarea>{{.}}</textarea>`,
	`<title>a {{.}} b</title>`,
	`<a href='{{.}}'>`,
	`<a href={{.}}>`,
	`<a href="{{.}}/b">`,
	`<a href='/a/{{.}}'>`,
	`<a href=/a/{{.}}>`,
	`<a href="?{{.}}={{.}}">`,
	`<a href='/a?b={{.}}'>`,
	`<a href=/a?{{.}}>`,
	`<a href="/a#{{.}}">`,
	`<img src="{{.}}">`,
	`<img srcset="{{.}}">`,
	`<img srcset="/a 1x, {{.}} 2x">`,
	`<img srcset={{.}}>`,
	`<form action="{{.}}">`,
	`<p data-a="{{.}}" data-href="{{.}}">`,
	`<p style="color: {{.}}">`,
	`<p style='background: url({{.}})'>`,
	`<p style="background: url('/a/{{.}}')">`,
	`<style>p { color: {{.}} }</style>`,
	`<style>p { content: "{{.}}" }</style>`,
	`<style>p { background: url("/a?{{.}}") } /* {{.}} */</style>`,
	`<script>a = {{.}}</script>`,
	`<script>a = "{{.}}", b = '{{.}}'</script>`,
	"<script>a = `{{.}}`, b = `${ {{.}} }`</script>",
	`<script>a = /{{.}}/</script>`,
	`<script>// {{.}}` + "\n" + `a /* {{.}} */</script>`,
	`<script type="application/json">{"a": {{.}}}</script>`,
	`<script type="text/template"><p title="{{.}}">{{.}}</p></script>`,
	`<p onclick="a({{.}})">`,
	`<p onclick='a("{{.}}")'>`,
	`<p onclick=a({{.}})>`,
	`<p {{.}}>`,
	`<p {{.}}="a">`,
	`<!-- {{.}} -->{{.}}`,
	`<meta http-equiv="refresh" content="0;url={{.}}">`,
	`<svg><a xlink:href="{{.}}">{{.}}</a></svg>`,
	`<iframe srcdoc="{{.}}"></iframe>`,
}

// Hard are texts that single bytes and pairs of them do not show.
var Hard = []string{
	"", "plain", "javascript:alert(1)", "JavaScript:alert(1)", " javascript:a", "java\nscript:a", "https://a.example/b?c=d&e#f",
	"mailto:a@b.example", "http:a", "/a:b", "a:b", "?a:b", "#a:b", "//a.example", "%", "%4", "%41", "%zz", "%%41", "100%", "a%20b c",
	"&amp;", "&lt", "&#34;", "&amp;amp;", "<b>bold</b>", "</title>", "</textarea>", "</script>", "<!--", "-->", "]]>", "<script", "/>",
	"\u2028", "\u2029", "\ufffd", "\ufeff", "\x00", "a\x00b", "é", "日本", "😀", "\u0085", "\u00a0", "\U0010ffff",
	"\xff", "\xc2", "\xe2\x80", "\xe2\x80a", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\xaf", "a\xe2", "\xe2\x80\xa8", "\xe2\x80\x28",
	"expression(a)", "a;b", "url(a)", `\3c`, "\\", "\\'", "'\\\"", "`${a}`", "${a}", "a,b 2x", "a b,c", "onclick", "style", "a=b", "zGotmplZ",
}
