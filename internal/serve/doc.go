// Package serve is the floor of a request: what becomes of files and registrations (routes), a request
// and its answer on the wire (wire), and pages that are rendered (pages). Nothing here knows checks,
// development or descriptions.
package serve
