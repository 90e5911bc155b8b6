// Package examples is the wing for the example requests in files with the extension .http.
package examples
