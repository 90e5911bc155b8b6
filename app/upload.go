package app

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"example.com/flow"
)

// maxFile is the size of the largest file that /upload takes, in bytes. The form may be
// twice as large, so that Validate sees most files that are not much larger.
const maxFile = 1 << 20

func init() {
	flow.GET().Name("upload").Do(showUpload)
	flow.POST().Name("upload").MaxBody(2 * maxFile).Do(upload)
}

// An uploadForm is what the form of the page sends.
type uploadForm struct {
	File *multipart.FileHeader `form:"file"`
}

// Validate runs before upload. Of a form that is larger than MaxBody, flow itself says that
// the file is too large.
func (f uploadForm) Validate() error {
	switch {
	case f.File == nil:
		return flow.Invalid{"file": "is required"}
	case f.File.Size > maxFile:
		return flow.Invalid{"file": "has more than " + sizeText(maxFile)}
	}
	return nil
}

var uploadPage = flow.PageOf[uploadData]()

// An uploadData is what the page shows: the form, with what is wrong about it, or what is
// known of the file that was uploaded. No file is kept.
type uploadData struct {
	Max  int64
	Form flow.Form[uploadForm]
	File *uploaded
}

// An uploaded is what is known of an uploaded file.
type uploaded struct {
	Name      string
	Size      int64
	MediaType string
}

func showUpload(*flow.Request) (uploadData, error) { return uploadData{Max: maxFile}, nil }

func upload(_ *flow.Request, in flow.Form[uploadForm]) (flow.Response, error) {
	if in.Wrong != nil {
		return uploadPage(uploadData{Max: maxFile, Form: in}).Status(http.StatusUnprocessableEntity), nil
	}
	header := in.Value.File
	mediaType, err := sniff(header)
	return uploadPage(uploadData{Max: maxFile, File: &uploaded{header.Filename, header.Size, mediaType}}), err
}

// sniff returns the media type that the content of a file looks like. The one that a browser
// sends is only a guess from the file's name.
func sniff(header *multipart.FileHeader) (string, error) {
	file, err := header.Open()
	if err != nil {
		return "", fmt.Errorf("app: opening an uploaded file: %w", err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, 512)) // DetectContentType reads no more
	if err != nil {
		return "", fmt.Errorf("app: reading an uploaded file: %w", err)
	}
	return http.DetectContentType(b), nil
}
