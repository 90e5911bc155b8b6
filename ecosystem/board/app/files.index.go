package app

import (
	"crypto/rand"
	"net/http"

	"github.com/minio/minio-go/v7"

	"example.com/flow"
)

const bucket = "board"

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("files").Do(a.upload) })
}

func (a *App) upload(req *flow.Request) (flow.Response, error) {
	file, header, err := req.FormFile("file")
	if err != nil {
		return flow.Response{}, flow.Error(422, "a file is missing", err)
	}
	defer file.Close()
	// The key is not the name of the file, which the client has chosen.
	key := rand.Text()
	_, err = a.Files.PutObject(req.Context(), bucket, key, file, header.Size, minio.PutObjectOptions{
		ContentType: "application/octet-stream",
	})
	if err != nil {
		return flow.Response{}, err
	}
	return flow.RedirectTo("file", "key", key).Status(http.StatusSeeOther), nil
}
