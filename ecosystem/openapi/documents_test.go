package openapi

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/matryer/is"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi/datamodel"
)

// TestDocuments holds the documents against the validators of others.
func TestDocuments(t *testing.T) {
	for _, of := range applications {
		t.Run(of.name, func(t *testing.T) {
			is := is.New(t)
			r := of.make()
			is.NoErr(r.Check())
			text := get(r, of.json)
			newKin(t, text)
			newPB33F(t, text)
			is.True(!bytes.Contains(get(r, of.page), []byte("<script")))
		})
	}
}

// TestSameBytes starts a program twenty times: the documents and pages are the same, whichever is asked
// for first.
func TestSameBytes(t *testing.T) {
	program := newApplication(t)
	for _, program := range []string{os.Args[0], program} {
		var first []byte
		for i := range 20 {
			out := run(t, "", program, print+"="+[]string{"page first", "document first"}[i%2])
			if first == nil {
				first = out
			}
			if len(out) == 0 || !bytes.Equal(out, first) {
				t.Fatalf("start %d of %s wrote\n%s\nand the first\n%s", i, program, out, first)
			}
		}
	}
}

// TestNewApplication holds the document of what "flow new -api" writes against the validators.
func TestNewApplication(t *testing.T) {
	text := newDocument(t)
	newKin(t, text)
	newPB33F(t, text)
}

// newDocument returns that document.
func newDocument(t *testing.T) []byte {
	t.Helper()
	text, _, _ := bytes.Cut(run(t, "", newApplication(t), print+"=document first"), []byte("\n"))
	return text
}

// printer is a program of a new application that writes its document and its page.
const printer = `package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"slices"

	"example.com/todo/app"
)

func main() {
	r, paths, texts := app.New(&app.App{}), []string{"/openapi.json", "/docs"}, map[string]string{}
	if os.Getenv("` + print + `") == "page first" {
		slices.Reverse(paths)
	}
	for _, path := range paths {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		texts[path] = w.Body.String()
	}
	fmt.Println(texts["/openapi.json"])
	fmt.Println(texts["/docs"])
}
`

// newApplication builds the program of what "flow new -api" writes, and returns its file.
func newApplication(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "todo")
	run(t, filepath.Join("..", "..", "cmd", "flow"), "go run . new -api -module example.com/todo "+dir)
	if err := os.Mkdir(filepath.Join(dir, "print"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "print", "main.go"), []byte(printer), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go build -o printer ./print")
	return filepath.Join(dir, "printer")
}

// run runs a command in a directory, and returns what it writes.
func run(t *testing.T, dir, command string, env ...string) []byte {
	t.Helper()
	args := strings.Fields(command)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off"), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd, err, out, stderr.Bytes())
	}
	return out
}

// newKin returns a document as kin-openapi reads it, which is valid.
func newKin(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil {
		err = doc.Validate(t.Context())
	}
	if err != nil {
		t.Fatalf("kin-openapi: %v", err)
	}
	return doc
}

// newPB33F returns a validator of libopenapi-validator for a document, which is valid.
func newPB33F(t *testing.T, text []byte) validator.Validator {
	t.Helper()
	// A list of its own type may be empty, and a pointer null: without these settings they count as
	// types without an end.
	doc, err := libopenapi.NewDocumentWithConfiguration(text, &datamodel.DocumentConfiguration{IgnoreArrayCircularReferences: true, IgnorePolymorphicCircularReferences: true})
	if err != nil {
		t.Fatalf("libopenapi: %v", err)
	}
	v, errs := validator.NewValidator(doc)
	if len(errs) > 0 {
		t.Fatalf("libopenapi: %v", errs)
	}
	if ok, wrong := v.ValidateDocument(); !ok {
		for _, w := range wrong {
			t.Errorf("libopenapi: %v %+v", w, w.SchemaValidationErrors)
		}
	}
	return v
}
