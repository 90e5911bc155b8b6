package devpage

import (
	"html/template"
	"path/filepath"
	"strconv"
	"strings"
)

// A Frame is one call on the stack of a panic.
type Frame struct {
	Function string // as the runtime names it, without its arguments
	File     string
	Line     int
	Own      bool         // it is the application's
	Editor   template.URL // opens the place in an editor; "" if the Frame is not the application's
}

// Place returns file and line.
func (f Frame) Place() string { return f.File + ":" + strconv.Itoa(f.Line) }

// Stack parses a stack of runtime/debug.Stack. It returns the frames from the function that
// panicked outwards, without those of the recovery. own reports whether a frame belongs to
// the application.
func Stack(stack []byte, own func(Frame) bool) []Frame {
	lines := strings.Split(string(stack), "\n")
	var frames []Frame
	panicked := -1 // the index of the frame that panicked; the frames before it are those of the recovery
	for i := 0; i+1 < len(lines); i++ {
		at, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok || lines[i] == "" || lines[i][0] == '\t' {
			continue
		}
		at, _, _ = strings.Cut(at, " +0x")
		colon := strings.LastIndexByte(at, ':')
		line, err := strconv.Atoi(at[colon+1:])
		if colon < 0 || err != nil {
			continue
		}
		function, _, _ := strings.Cut(strings.TrimPrefix(lines[i], "created by "), " in goroutine ")
		if end := strings.LastIndexByte(function, '('); end > 0 && strings.HasSuffix(function, ")") {
			function = function[:end]
		}
		if function == "panic" && panicked < 0 {
			panicked = len(frames) + 1
		}
		frames = append(frames, Frame{Function: function, File: at[:colon], Line: line})
	}
	frames = frames[max(panicked, 0):]
	for panicked >= 0 && len(frames) > 0 && strings.HasPrefix(frames[0].Function, "runtime.") {
		frames = frames[1:] // runtime.panicmem and the like: the text of the panic says the same
	}
	for i := range frames {
		if f := &frames[i]; own(*f) {
			f.Own = true
			if filepath.IsAbs(filepath.FromSlash(f.File)) { // otherwise the program was built with -trimpath
				f.Editor = editorURL(filepath.FromSlash(f.File), f.Line, 0)
			}
		}
	}
	return frames
}

// Package returns the import path of the frame's function, or "main" for package main.
func (f Frame) Package() string {
	slash := strings.LastIndexByte(f.Function, '/')
	name, _, _ := strings.Cut(f.Function[slash+1:], ".")
	return f.Function[:slash+1] + strings.ReplaceAll(name, "%2e", ".")
}

// FaultOf returns the fault of a panic with a text. Its place is the first frame of the
// application. If the file's name is not absolute, it is looked for below the directories.
func FaultOf(text string, frames []Frame, dirs ...string) Fault {
	f := Fault{Text: cut(text, maxText)}
	for _, frame := range frames {
		if frame.Own {
			f.File, f.Line = frame.File, frame.Line
			file := filepath.FromSlash(f.File)
			if !filepath.IsAbs(file) { // the program was built with -trimpath
				file = find(f.File, dirs)
			}
			f.read(file)
			break
		}
	}
	return f
}
