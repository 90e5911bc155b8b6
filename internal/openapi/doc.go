// Package openapi is the wing for what describes an API: which JSON its types are, what their
// Validate takes, and the document of OpenAPI that says so.
package openapi
