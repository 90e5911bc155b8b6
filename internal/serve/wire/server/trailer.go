package server

import "net/http"

// ShareTrailer sets r.Trailer to an empty map if it is nil. It is called before r is copied,
// so that all copies share the map. net/http stores trailers that were not announced in the
// Trailer of its own request when the body ends. If that is nil, it makes a map, which the
// copies do not have. In HTTP/2 net/http drops trailers that were not announced.
func ShareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = http.Header{}
	}
}
