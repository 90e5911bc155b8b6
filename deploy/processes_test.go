//go:build linux

package deploy_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestAnyProcessAnswers looks for state that a process would keep to itself.
func TestAnyProcessAnswers(t *testing.T) {
	needs(t)
	is := is.New(t)
	addrs := freeAddrs(t, 3)
	for _, addr := range addrs {
		serving(t, exec.Command(sample(t), "-addr", addr))
	}
	session := login(t, addrs[0])
	asset := regexp.MustCompile(`/app\.[^"/]+\.css`)
	hashed := asset.FindString(fetch(t, "GET", "http://"+addrs[0]+"/", nil).body)
	is.True(hashed != "")
	tags := map[string]string{} // of the first process
	for i, addr := range addrs {
		t.Run(fmt.Sprint("process ", i+1), func(t *testing.T) {
			is := is.New(t)
			a := fetch(t, "GET", "http://"+addr+"/dashboard", nil, session)
			is.Equal(a.StatusCode, 200) // it accepts the session of the first
			is.True(strings.Contains(a.body, "ada"))
			is.Equal(fetch(t, "GET", "http://"+addr+"/dashboard", nil, session+"x").StatusCode, 302)
			is.Equal(asset.FindString(fetch(t, "GET", "http://"+addr+"/", nil).body), hashed)
			for _, path := range []string{hashed, "/app.css", "/about"} {
				a := fetch(t, "GET", "http://"+addr+path, nil)
				is.Equal(a.StatusCode, 200)
				tag := a.Header.Get("ETag")
				is.True(tag != "")
				if i == 0 {
					tags[path] = tag
				}
				is.Equal(tag, tags[path])
				is.Equal(fetch(t, "GET", "http://"+addr+path, nil, "If-None-Match: "+tags[path]).StatusCode, 304)
			}
		})
	}
}
