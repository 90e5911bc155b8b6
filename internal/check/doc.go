// Package check is the floor of what is only asked before a program serves. A request asks it once for each
// type that Bind is given, to log what is wrong with the type.
package check
