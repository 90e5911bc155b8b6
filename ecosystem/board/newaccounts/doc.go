// Package newaccounts tests what "flow new -accounts" writes: its own tests with SQLite and
// PostgreSQL, and two of its processes with one database.
package newaccounts
