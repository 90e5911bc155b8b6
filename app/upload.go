package app

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"example.com/flow"
)

// maxUpload is the size of the largest body that /upload takes, in bytes. The body is the
// file and a few hundred bytes of form around it.
const maxUpload = 1 << 20

func init() {
	flow.GET().Name("upload").Do(showUpload)
	flow.POST().Name("upload").MaxBody(maxUpload).Do(upload)
}

var uploadPage = flow.PageOf[uploadData]()

// An uploadData is what the page shows: what is wrong, or what is known of the file that
// was uploaded. No file is kept.
type uploadData struct {
	Max   int64
	Wrong string
	File  *uploaded
}

// An uploaded is what is known of an uploaded file.
type uploaded struct {
	Name      string
	Size      int64
	MediaType string
}

func showUpload(*flow.Request) (uploadData, error) { return uploadData{Max: maxUpload}, nil }

func upload(req *flow.Request) (flow.Response, error) {
	file, header, err := req.FormFile("file")
	missing := errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart)
	if err == nil {
		defer file.Close()
		missing = header.Filename == "" // what browsers send for a form without a choice
	}
	if missing {
		return uploadPage(uploadData{Max: maxUpload, Wrong: "Choose a file first."}).Status(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return flow.Response{}, err
	}
	mediaType, err := sniff(file)
	return uploadPage(uploadData{Max: maxUpload, File: &uploaded{header.Filename, header.Size, mediaType}}), err
}

// sniff returns the media type that the content looks like. The one that a browser sends
// is only a guess from the file's name.
func sniff(file multipart.File) (string, error) {
	b, err := io.ReadAll(io.LimitReader(file, 512)) // DetectContentType reads no more
	if err != nil {
		return "", fmt.Errorf("app: reading an uploaded file: %w", err)
	}
	return http.DetectContentType(b), nil
}
