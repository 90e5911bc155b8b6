package routemap

import (
	"testing"

	"github.com/matryer/is"
)

// TestAnswering: an example is shown at the handler that its request reaches.
func TestAnswering(t *testing.T) {
	for _, tt := range []struct {
		handlers     map[string]bool
		method, want string
	}{
		{map[string]bool{"DELETE": true, "ANY": true}, "DELETE", "DELETE"},
		{map[string]bool{"DELETE": true, "ANY": true}, "GET", "ANY"},
		{map[string]bool{"GET": true, "ANY": true}, "HEAD", "GET"},
		{map[string]bool{"GET": true, "HEAD": true}, "HEAD", "HEAD"},
		{map[string]bool{"DELETE": true, "ANY": true}, "HEAD", "ANY"},
	} {
		t.Run(tt.method+" "+tt.want, func(t *testing.T) {
			is := is.New(t)
			is.Equal(answering(tt.handlers, tt.method), tt.want)
		})
	}
}
