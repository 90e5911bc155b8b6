// Package browser tests in headless Chromium what development adds to pages: that they load
// again when files change, and what they show when something is wrong. It holds flow's own
// pages, those of the sample application and those of "flow new -docs" and "flow new -accounts"
// against the rules of axe-core for accessibility, uses the recipe for htmx with each version of
// htmx, and uploads files. It is a module of its own, so that importers of flow download nothing
// of this. With FLOW_PICTURES set to a directory, the tests write pictures of the pages to it.
package browser
