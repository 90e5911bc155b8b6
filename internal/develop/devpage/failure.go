package devpage

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"example.com/flow/internal/fault"
)

// A Failure is an error that answers a request with 500.
type Failure struct {
	Text    string         // of the error
	Faulty  bool           // the error is that of no request: the application has faults
	Panic   []byte         // the stack of a panic; nil for any other error
	Route   string         // the method and the pattern of the route, "GET /users/{id}"; "" if no route answers the request
	Handler uintptr        // the program counter of the handler's function; 0 if there is none
	Checked func() []Fault // what the check of the templates finds, if a template has failed when it was executed; else nil
	Dirs    []string       // the directories below which source files are looked for
	App     string         // the directory that calls New, as the compiler recorded it; "" if it is not known
}

// asked returns what has failed: "GET /users/{id}".
func (f Failure) asked() string {
	if f.Route == "" {
		return "The request"
	}
	return f.Route
}

// Report returns the report about the failure, without the data of the request. Files that are below
// the working directory have names relative to it.
func (f Failure) Report() *Report {
	report := &Report{Status: "500 Internal Server Error", Title: f.asked() + " failed", Faults: Parse(f.Text, f.Dirs...)}
	switch {
	case f.Faulty:
		report.Title, report.Advice = "The application has faults", "It answers nothing until they are mended, and it is built and started again."
	case f.Panic != nil:
		report.Title, report.Stack = f.asked()+" panicked", f.stack()
		report.Faults = []Fault{FaultOf(f.Text, report.Stack, f.Dirs...)}
	case f.Checked != nil:
		report.Faults = preferChecked(report.Faults, f.Checked())
	}
	for i, frame := range report.Stack {
		report.Stack[i].File = shownFile(frame.File)
	}
	for i, fault := range report.Faults {
		report.Faults[i].File = shownFile(fault.File)
	}
	return report
}

// OwnFrames returns the frames of a panic that the log shows: those of the application, such as
// "app/users.go:12 app.show".
func (f Failure) OwnFrames() (own []string) {
	for _, frame := range f.stack() {
		if frame.Own {
			frame.File = shownFile(frame.File)
			name := frame.Function
			if !strings.Contains(name, " ") { // it is no route, and begins with an import path
				name = path.Base(name)
			}
			own = append(own, frame.Place()+" "+name)
		}
	}
	return own
}

// stack returns the stack of the panic. A handler that is a function without a name, such as
// init.8.func1.1, is called by its route.
func (f Failure) stack() []Frame {
	frames := Stack(f.Panic, f.isOwn)
	handler := runtime.FuncForPC(f.Handler)
	if handler == nil || !strings.Contains(path.Base(handler.Name()), ".func") {
		return frames
	}
	for i := range frames {
		switch inside, found := strings.CutPrefix(frames[i].Function, handler.Name()); {
		case found && inside == "":
			frames[i].Function = f.asked()
		case found && strings.HasPrefix(inside, "."):
			frames[i].Function = "a function in " + f.asked()
		}
	}
	return frames
}

// flowPath is the import path of flow itself.
var flowPath, _, _ = strings.Cut(reflect.TypeFor[Failure]().PkgPath(), "/internal/")

// isOwn reports whether a frame of a stack belongs to the application: to the main module, to
// package main, or to the directory that has called New, and not to flow itself.
func (f Failure) isOwn(frame Frame) bool {
	pkg := strings.TrimSuffix(frame.Package(), "_test")
	if (pkg == flowPath || strings.HasPrefix(pkg, flowPath+"/internal/")) && !strings.HasSuffix(frame.File, "_test.go") {
		return false
	}
	main := fault.MainModule()
	return pkg == "main" || main != "" && strings.HasPrefix(pkg+"/", main+"/") || f.App != "" && strings.HasPrefix(path.Dir(frame.File)+"/", f.App+"/")
}

// preferChecked returns the faults of a template that was executed. On the lines where the check of
// the templates has faults, it returns these: the check knows the types of the data, and says what
// would be right.
func preferChecked(executed, checked []Fault) (faults []Fault) {
	for _, e := range executed {
		known := false
		for _, c := range checked {
			if e.Line > 0 && c.File == e.File && c.Line == e.Line {
				faults, known = append(faults, c), true
			}
		}
		if !known {
			faults = append(faults, e)
		}
	}
	return faults
}

// shownFile returns the name of a file for messages: relative to the working directory if
// the file is below it.
func shownFile(file string) string {
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(filepath.FromSlash(file)) {
		if below, err := filepath.Rel(wd, filepath.FromSlash(file)); err == nil && filepath.IsLocal(below) {
			return filepath.ToSlash(below)
		}
	}
	return file
}
