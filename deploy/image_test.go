//go:build linux

package deploy_test

import (
	"bytes"
	"debug/elf"
	"io"
	"mime/multipart"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

// nobody is the user that the Dockerfile names.
const nobody = 65534

// TestImage runs the application with the image as its root directory.
func TestImage(t *testing.T) {
	needs(t)
	is := is.New(t)
	dir := image(t)
	text, err := os.ReadFile("Dockerfile")
	is.NoErr(err)
	for _, part := range []string{
		"RUN CGO_ENABLED=0 go build -trimpath -ldflags=-s -o /image/app ./cmd/app ",
		"\nFROM scratch\n", "\nCOPY --from=build /image /\n", "\nUSER 65534:65534\n", "\nENTRYPOINT [\"/app\"]\n",
	} {
		is.True(strings.Contains(string(text), part)) // what this test does as well
	}

	binary, err := elf.Open(filepath.Join(dir, "app"))
	is.NoErr(err)
	defer binary.Close()
	libraries, err := binary.ImportedLibraries()
	is.NoErr(err)
	is.Equal(len(libraries), 0)
	is.Equal(binary.Section(".interp"), nil) // it is static
	is.Equal(binary.Section(".symtab"), nil) // and stripped

	if os.Getuid() != 0 {
		t.Skip("only root may change the root directory")
	}
	addr := freeAddrs(t, 1)[0]
	cmd := exec.Command("/app", "-addr", addr)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	p := serving(t, cmd)

	is.Equal(fetch(t, "GET", "http://"+addr+"/", nil).StatusCode, 200)
	body, contentType := form(t, 3_000_000)
	a := fetch(t, "POST", "http://"+addr+"/api/echo", bytes.NewReader(body), contentType)
	is.Equal(a.StatusCode, 200) // it was kept in /tmp
	is.True(strings.Contains(a.body, `"note":"with a file"`))
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	is.NoErr(err)
	is.Equal(len(left), 0)
	p.stop(t)
}

// form returns a form with a file of so many bytes, and its type as a header.
func form(t *testing.T, size int) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("note", "with a file")
	part, err := w.CreateFormFile("file", "zeros")
	if err != nil {
		t.Fatal(err)
	}
	io.CopyN(part, zeros{}, int64(size))
	w.Close()
	return b.Bytes(), "Content-Type: " + w.FormDataContentType()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
