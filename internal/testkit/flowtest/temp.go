package flowtest

import "testing"

// SetTempDir has os.TempDir return a directory until the test ends.
func SetTempDir(t testing.TB, dir string) {
	t.Helper()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
}
