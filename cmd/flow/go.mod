module example.com/flow/cmd/flow

go 1.26.0

require (
	example.com/flow v0.0.0-00010101000000-000000000000
	github.com/fsnotify/fsnotify v1.10.1
	github.com/matryer/is v1.4.1
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.51.0
)

require (
	github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace example.com/flow => ../..
