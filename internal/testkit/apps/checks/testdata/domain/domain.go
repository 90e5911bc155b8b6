// Package domain has types as an application has them outside of the package of its handlers,
// with methods that are called Validate for reasons of their own.
package domain

import "context"

// An Address has a Validate that takes something.
type Address struct{ Street string }

// Validate needs a context.
func (a *Address) Validate(context.Context) error { return nil }

// A Money has a Validate that returns something else.
type Money struct{ Cents int }

// Validate reports whether the amount is valid.
func (m Money) Validate() bool { return m.Cents >= 0 }

// Validates is one letter away, and has the right form.
func (m Money) Validates() error { return nil }

// A Status is no struct.
type Status string

// Validate is not called, since a Status is no struct.
func (s Status) Validate() error { return nil }

// A Checked is right.
type Checked struct{ Name string }

// Validate is called.
func (c *Checked) Validate() error { return nil }

// A Misspelt has a tag that is none.
type Misspelt struct {
	Name string `jsn:"name"`
}
