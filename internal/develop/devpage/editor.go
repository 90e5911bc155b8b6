package devpage

import (
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// EditorVariable is the environment variable with the URL that opens a file in the editor of
// the developer. In the URL, {file} stands for the absolute path, {line} and {column} for the
// place. "off" means that there are no such links.
const EditorVariable = "FLOW_EDITOR"

// defaultEditor is the URL if the variable is not set. Visual Studio Code and those that are
// made of it take it.
const defaultEditor = "vscode://file/{file}:{line}:{column}"

// CheckEditor returns an error if the value of the environment variable is neither a URL for
// files nor "off".
func CheckEditor() error {
	if v := os.Getenv(EditorVariable); v != "" && v != "off" && !strings.Contains(v, "{file}") {
		return fmt.Errorf("%s is %q: write a URL with {file}, and with {line} and {column} if the editor takes them, such as %s, or off for no links", EditorVariable, v, defaultEditor)
	}
	return nil
}

// editorURL returns the URL that opens a file on disk, or "" if there is none. A line and a
// column that are not known are 0.
func editorURL(name string, line, column int) template.URL {
	name, err := filepath.Abs(name)
	pattern := os.Getenv(EditorVariable)
	if pattern == "" {
		pattern = defaultEditor
	}
	if err != nil || !strings.Contains(pattern, "{file}") {
		return ""
	}
	path := (&url.URL{Path: filepath.ToSlash(name)}).EscapedPath()
	return template.URL(strings.NewReplacer(
		"/{file}", "/"+strings.TrimPrefix(path, "/"), // only on Windows an absolute path begins without a slash
		"{file}", path,
		"{line}", strconv.Itoa(max(1, line)),
		"{column}", strconv.Itoa(max(1, column)),
	).Replace(pattern))
}

// A Spot is a place in Go code, such as that of a handler.
type Spot struct {
	Place  string       // "app/users.id.go:12"; "" if it is not known
	Editor template.URL // opens it in an editor; "" if the file was not found
}

// SpotOf returns the Spot of a place as messages name it. The file is looked for below the
// directories.
func SpotOf(place string, dirs ...string) Spot {
	s := Spot{Place: place}
	if m := inside.FindStringSubmatch(place); m != nil {
		if name := find(m[1], dirs); name != "" {
			line, _ := strconv.Atoi(m[2])
			s.Editor = editorURL(name, line, 0)
		}
	}
	return s
}
