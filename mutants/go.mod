module example.com/flow/mutants

go 1.26.0

require github.com/matryer/is v1.4.1
