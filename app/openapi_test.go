package app

import (
	"html"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestCommandsOfThePage runs the commands on the page of the API in a shell: the answers have the
// status that the examples expect.
func TestCommandsOfThePage(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	is := is.New(t)
	s := httptest.NewServer(quiet())
	defer s.Close()
	page := do(quiet(), newRequest("GET", "/api/docs", "")).body
	commands := 0
	for _, part := range strings.Split(page, "<summary>") {
		m := regexp.MustCompile(`^(.*)</summary>.*<input readonly value="([^"]*)"`).FindStringSubmatch(strings.ReplaceAll(part, "\n", " "))
		if m == nil {
			continue
		}
		t.Run(html.UnescapeString(m[1]), func(t *testing.T) {
			is := is.New(t)
			commands++
			command := exec.Command("sh", "-c", html.UnescapeString(m[2]))
			command.Env = append(os.Environ(), "URL="+s.URL)
			said, err := command.Output()
			is.NoErr(err)
			want := regexp.MustCompile(`<code>status == (\d+)</code>`).FindStringSubmatch(part)
			if want == nil {
				want = []string{"", "200"} // what an example without a status expects here
			}
			if !strings.HasPrefix(string(said), "HTTP/1.1 "+want[1]+" ") {
				t.Errorf("%s\nanswers\n%s", command, said)
			}
		})
	}
	is.Equal(commands, 11)
}
