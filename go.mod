module example.com/flow

go 1.26

require (
	github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424
	github.com/matryer/is v1.4.1
)
