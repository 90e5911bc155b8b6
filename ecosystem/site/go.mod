module example.com/flow/ecosystem/site

go 1.26.0

require (
	example.com/flow v0.0.0-00010101000000-000000000000
	github.com/alecthomas/chroma/v2 v2.27.0
	github.com/matryer/is v1.4.1
	github.com/yuin/goldmark v1.8.7
)

require (
	github.com/dlclark/regexp2/v2 v2.2.1 // indirect
	github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424 // indirect
)

replace example.com/flow => ../..
