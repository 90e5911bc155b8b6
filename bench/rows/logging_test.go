package rows

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/matryer/is"
)

// What is written by hand tells the same as Logger.
func TestLinesTellTheSame(t *testing.T) {
	is := is.New(t)
	var lines bytes.Buffer
	told := map[string]map[string]any{}
	for _, c := range logging(slog.NewJSONHandler(&lines, nil)).Contestants {
		if c.Name != BothName && c.Name != ByHandName {
			continue
		}
		lines.Reset()
		c.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/users/7", nil))
		var line map[string]any
		is.NoErr(json.Unmarshal(lines.Bytes(), &line))
		for _, key := range []string{"time", "duration", "id"} {
			is.True(line[key] != nil) // is there
			delete(line, key)
		}
		told[c.Name] = line
	}
	is.Equal(told[ByHandName], told[BothName])
	is.Equal(told[BothName]["pattern"], "GET /users/{id}")
}
