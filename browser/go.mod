module example.com/flow/browser

go 1.26

require (
	example.com/flow v0.0.0-00010101000000-000000000000
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/matryer/is v1.4.1
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424 // indirect
)

replace example.com/flow => ..
