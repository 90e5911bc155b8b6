package main

// The report is built with fiber, which only command server uses, so that it knows its
// version.
import _ "github.com/gofiber/fiber/v3"
