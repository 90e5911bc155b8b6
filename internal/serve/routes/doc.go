// Package routes is the part of the floor for what becomes of the names of files and of registrations before
// a request: patterns, the tree of route files, the registry of handlers, and the matcher.
package routes
