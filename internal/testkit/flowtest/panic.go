package flowtest

// PanicOf returns what f panics with, or nil.
func PanicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
