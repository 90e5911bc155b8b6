// Package site is the floor of what an application answers, as plain data: its routes and their example
// requests.
package site
