// Package openapi holds the descriptions of APIs that the package openapi of flow makes against
// programs of others: validators, and clients made of them. It is a module of its own, so that
// nobody else depends on those.
package openapi
