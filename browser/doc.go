// Package browser tests in headless Chromium what development adds to pages: that they load
// again when files change, and what they show when something is wrong; and it holds flow's
// own pages against the rules of axe-core for accessibility. It is a module of its own, so
// that importers of flow download nothing of this.
package browser
