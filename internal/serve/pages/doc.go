// Package pages is the part of the floor for templates: they are read, put into layouts, and compiled to
// plans. Nothing here knows requests or Routers.
package pages
