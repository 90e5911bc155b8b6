package command

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/serve/routes/routetree"
)

// Dev is the flag -dev. Its value is a directory, and may be missing.
type Dev struct {
	On  bool
	Dir string
}

// set takes a directory or a boolean: "false" turns development off. Package flag calls it with
// "true" if the value is missing.
func (f *Dev) set(value string) error {
	on, err := strconv.ParseBool(value)
	if err != nil {
		*f = Dev{true, value}
		return nil
	}
	*f = Dev{On: on}
	return nil
}

// Find returns the directory of the flag, or source if the flag has no value. It is an error
// if the directory has no routes, or if the editor that links are for is not known.
func (f *Dev) Find(source string) (string, error) {
	dir := cmp.Or(f.Dir, source)
	switch {
	case f.Dir == "" && !(filepath.IsAbs(source) && disk.IsDir(source)):
		return "", Usagef("-dev: the binary does not know where its source is: give the directory that holds %s/, as -dev=app", routetree.RouterDir)
	case !disk.IsDir(filepath.Join(dir, routetree.RouterDir)):
		return "", Usagef("-dev=%s: there is no directory %s in it", dir, routetree.RouterDir)
	}
	if err := devpage.CheckEditor(); err != nil {
		return "", Usagef("-dev: %v", err)
	}
	return dir, nil
}

// IsSource reports whether dir, the directory of a source file as the compiler has recorded
// it, is on this machine and holds routes. In a binary built with -trimpath,
// dir is the import path of a package.
func IsSource(dir string) bool {
	return filepath.IsAbs(dir) && disk.IsDir(filepath.Join(dir, routetree.RouterDir))
}

// setSocketMode takes the flag -socket-mode: permissions in octal, as chmod does.
func (s *Serve) setSocketMode(value string) error {
	mode, err := strconv.ParseUint(value, 8, 32)
	if err != nil || fs.FileMode(mode) != fs.FileMode(mode).Perm() {
		return errors.New("must be permissions in octal, such as 0660")
	}
	s.SocketMode = fs.FileMode(mode)
	return nil
}

// Log is the flag -log: the format of the log.
type Log string

// set takes "text" and "json".
func (f *Log) set(value string) error {
	if value != "text" && value != "json" {
		return errors.New("must be text or json")
	}
	*f = Log(value)
	return nil
}

// Logger returns a logger that writes to w in the format.
func (f Log) Logger(w io.Writer) *slog.Logger {
	if f == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
