// Package scaffold writes what is tedious to write by hand: "flow new" a whole
// application, and "flow add" a route file, its counterpart and a row of the test. Both
// check first and write then, overwrite nothing, and leave nothing behind if they fail.
package scaffold

import "example.com/flow/cmd/flow/internal/files"

// A file is one to be made, or to be written anew.
type file struct {
	name   string // absolute
	text   []byte
	before string // of a file that is written anew
}

// write makes files, and writes others anew: all of it, or nothing. A file to be made that
// exists is an error.
func write(made, anew []file) error {
	return files.All(func(c *files.Changes) error {
		for _, f := range made {
			if err := c.Create(f.name, f.text); err != nil {
				return err
			}
		}
		for _, f := range anew {
			if err := c.Replace(f.name, f.before, string(f.text)); err != nil {
				return err
			}
		}
		return nil
	})
}
