// Package check is the floor of what is only asked before a program serves, and never by a request.
package check
