// Package wire is the part of the floor for what has to do with one request and its answer, whatever route
// it takes: the server, the data of a request, the writing of responses, and public files.
package wire
