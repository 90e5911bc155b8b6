// Package testkit is the floor of tests: helpers of several packages, and tests of whole applications.
// No product code imports it.
package testkit
