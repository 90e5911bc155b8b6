package server

import "net/http"

// ShareTrailer makes the map for the trailers of r, if there is none. It is called
// before r is copied, if its body is not read yet. net/http gives trailers that were not
// announced to its own request: it puts them into the map, which all copies share, or
// else makes a new map, which no copy has. In HTTP/2 all trailers are announced, and
// there is a map for them.
func ShareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = http.Header{}
	}
}
