package app

import (
	"net/http"

	"github.com/minio/minio-go/v7"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("file").Do(a.download) })
}

type fileRef struct {
	Key string `param:"key"`
}

func (a *App) download(req *flow.Request, in fileRef) (flow.Response, error) {
	object, err := a.Files.GetObject(req.Context(), bucket, in.Key, minio.GetObjectOptions{})
	if err != nil {
		return flow.Response{}, err
	}
	info, err := object.Stat()
	if err != nil {
		object.Close()
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
			return flow.Response{}, flow.Error(404, "no such file")
		}
		return flow.Response{}, err
	}
	return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer object.Close()
		w.Header().Set("Content-Type", info.ContentType)
		w.Header().Set("Content-Disposition", "attachment") // what others uploaded is never a page of this site
		w.Header().Set("Cache-Control", "private, no-cache")
		http.ServeContent(w, r, "", info.LastModified, object) // ranges, too
	})), nil
}
