package flow

import (
	"log/slog"
	"os"
	"slices"

	"example.com/flow/internal/serve/wire/input"
)

// warnOfUploads logs a warning if Routers take uploads that do not fit in memory, and the
// directory for temporary files takes none. An image without /tmp shows this at the start, and
// not when the first user sends a large file.
func warnOfUploads(log *slog.Logger, routers []*Router) {
	if !slices.ContainsFunc(routers, (*Router).storesUploads) {
		return
	}
	f, err := os.CreateTemp("", "flow-")
	if err != nil {
		log.Warn("flow: uploads above 1 MiB will fail with 500, since no temporary file can be created. Mount a writable directory at /tmp, or set TMPDIR. An image from scratch gets one by COPY --from=build /tmp /tmp", "error", err.Error())
		return
	}
	f.Close()
	os.Remove(f.Name())
}

// storesUploads reports whether r or a Router mounted inside it has a handler that may get files
// larger than the memory for them.
func (r *Router) storesUploads() bool {
	return slices.ContainsFunc(r.withMounted(), func(r *Router) bool {
		return slices.ContainsFunc(r.compile().routes, (*endpoint).storesUploads)
	})
}

// storesUploads goes by the input of a typed handler. Any other of flow's own forms may ask for
// files by FormFile. A net/http handler decides itself where it keeps them.
func (e *endpoint) storesUploads() bool {
	switch {
	case e.maxBody <= input.FormMemory:
		return false
	case e.handler.typed != nil:
		return e.handler.typed.takesFiles()
	}
	return e.handler.flow != nil && !e.safe
}
