// Package ecosystem holds tests only: each shows that a well known library works
// with flow, unchanged, and how the two are put together. It is a module of its
// own, so that those who use flow depend on none of these libraries.
package ecosystem
