package export

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

// content returns a function for the content of a file.
func content(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// exportTo writes files to a directory as Site does.
func exportTo(t *testing.T, name string, files []file) (written, removed int) {
	is := is.New(t)
	d, err := openDir(name)
	is.NoErr(err)
	is.Equal(len(d.compare(files)), 0)
	written, removed, err = d.write(context.Background(), files)
	is.NoErr(err)
	return written, removed
}

// TestExportAfterOneThatWasKilled: what a process that is killed leaves behind is completed by the next export, and neither its
// files nor those that it would have removed stay for good.
func TestExportAfterOneThatWasKilled(t *testing.T) {
	is := is.New(t)
	kill := func() ([]byte, error) {
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = p.Kill()
		}
		if err == nil {
			select {}
		}
		return nil, err
	}
	if dir := os.Getenv("FLOW_EXPORT_KILLED"); dir != "" {
		exportTo(t, dir, []file{{"a/b", "", content("new")}, {"c", "", kill}, {"d", "", content("d")}})
		return
	}
	dir := t.TempDir()
	exportTo(t, dir, []file{{"a", "", content("old")}, {"x/y", "", content("y")}})

	cmd := exec.Command(os.Args[0], "-test.run=^TestExportAfterOneThatWasKilled$")
	cmd.Env = append(os.Environ(), "FLOW_EXPORT_KILLED="+dir)
	is.True(cmd.Run() != nil)
	_, err := os.Stat(filepath.Join(dir, "d"))
	is.True(os.IsNotExist(err))                                                             // it was killed before
	is.NoErr(os.WriteFile(filepath.Join(dir, tempName+"x"), []byte("a part of it"), 0o666)) // as it would be in the middle of a file

	written, removed := exportTo(t, dir, []file{{"c", "", content("c")}, {"d", "", content("d")}})
	is.Equal(written, 2)
	is.Equal(removed, 1) // a/b of the export that was killed; it had removed the others
	entries, err := os.ReadDir(dir)
	is.NoErr(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	is.Equal(names, []string{listName, "c", "d"})
}
