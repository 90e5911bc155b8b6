module example.com/flow/browser

go 1.26.0

require (
	example.com/flow v0.0.0-00010101000000-000000000000
	example.com/flow/ecosystem/site v0.0.0-00010101000000-000000000000
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/matryer/is v1.4.1
)

require (
	github.com/alecthomas/chroma/v2 v2.27.0 // indirect
	github.com/dlclark/regexp2/v2 v2.2.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
)

replace example.com/flow => ..

replace example.com/flow/ecosystem/site => ../ecosystem/site
