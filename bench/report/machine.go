package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// A Machine is where and when something was measured, and what.
type Machine struct {
	CPU, System, Go, Load string
	Cores                 int
	Date                  time.Time
	Versions              []string // "gin v1.12.0"
}

// modules are those whose versions are told.
var modules = []struct{ name, path string }{
	{"httprouter", "github.com/julienschmidt/httprouter"},
	{"gin", "github.com/gin-gonic/gin"},
	{"echo", "github.com/labstack/echo/v4"},
	{"chi", "github.com/go-chi/chi/v5"},
	{"fiber", "github.com/gofiber/fiber/v3"},
	{"templ", "github.com/a-h/templ"},
	{"quicktemplate", "github.com/valyala/quicktemplate"},
}

// thisMachine returns what is known of the machine and of the program.
func thisMachine() Machine {
	m := Machine{
		CPU:    modelName(readAll("/proc/cpuinfo")),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(),
		Load:   loadAverage(readAll("/proc/loadavg")),
		Cores:  runtime.NumCPU(),
		Date:   time.Now(),
	}
	if commit := output("git", "rev-parse", "--short", "HEAD"); commit != "" {
		m.Versions = append(m.Versions, "flow at commit "+commit)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		m.Versions = append(m.Versions, versions(info)...)
	}
	m.Versions = append(m.Versions, programs()...)
	return m
}

// programs returns the versions of programs that are not built here.
func programs() (found []string) {
	for _, program := range [][]string{{"wrk", "-v"}, {"nginx", "-v"}} {
		if version := versionIn.FindString(output(program[0], program[1:]...)); version != "" {
			found = append(found, program[0]+" "+version)
		}
	}
	return found
}

var versionIn = regexp.MustCompile(`\d+\.\d+[.\d]*`)

// versions returns the versions of the modules that a program was built with, of those
// that are told.
func versions(info *debug.BuildInfo) (found []string) {
	for _, m := range modules {
		for _, dep := range info.Deps {
			if dep.Path == m.path {
				found = append(found, m.name+" "+dep.Version)
			}
		}
	}
	return found
}

// readAll returns the text of a file, "" if there is none.
func readAll(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// output returns what a program prints, "" if it cannot be run. wrk tells its version with
// an exit code.
func output(program string, args ...string) string {
	text, _ := exec.Command(program, args...).CombinedOutput()
	return strings.TrimSpace(string(text))
}

// modelName finds the processor's name in /proc/cpuinfo.
func modelName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor that tells no name"
}

// loadAverage returns the load of the last minute from /proc/loadavg.
func loadAverage(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "" {
		return "unknown"
	}
	return first
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, %s, load average %s at the start, %s. %s.",
		m.CPU, m.Cores, m.System, m.Go, m.Load, m.Date.Format("2 January 2006"), strings.Join(m.Versions, ", "))
}
