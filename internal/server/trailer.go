package server

import "net/http"

// ShareTrailer is called before r is copied, if its body is not read yet. net/http
// gives trailers that were not announced to its own request: into the map that all
// copies share, or into one that it makes then, which no copy has. In HTTP/2 there are
// only those that were announced, and a map for them.
func ShareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = http.Header{}
	}
}
