// Package describe is the floor of descriptions: an API as a document of OpenAPI, and as a page.
package describe
