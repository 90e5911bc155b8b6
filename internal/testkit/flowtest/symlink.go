package flowtest

import (
	"os"
	"runtime"
	"testing"
)

// Symlink makes a symbolic link. On Windows it skips the test if there is no link then: only
// administrators and developers may make links, and Wine 8 reports that it has made one and has not.
func Symlink(t testing.TB, to, link string) {
	t.Helper()
	err := os.Symlink(to, link)
	if err == nil {
		_, err = os.Lstat(link)
	}
	switch {
	case err == nil:
	case runtime.GOOS == "windows":
		t.Skip("no symbolic links: ", err)
	default:
		t.Fatal(err)
	}
}
