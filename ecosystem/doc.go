// Package ecosystem shows that well known libraries work with flow, unchanged, and how the
// two are put together: its tests have one for each library, and its directories have the
// programs of those recipes in docs/recipes that need one. It is a module of its own, so
// that those who use flow depend on none of these libraries.
package ecosystem
