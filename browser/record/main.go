// Command record makes the pictures of README: it writes docs/dev-loop.gif, which shows the
// work on an application with "flow dev", and docs/sample.png, the home page of the sample.
//
//	cd browser && go run ./record
//
// For the recording it makes an application with "flow new", adds a note to its main.go, runs
// "flow dev", opens the page of the note in headless Chromium, and edits files. The page is
// that of Chromium, and the terminal has what the tool says, but for the log of requests. The
// editor only looks like one: the program shows the text of the file letter by letter, and
// writes the file when the text is complete. What follows a save takes as long in the recording
// as it took.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"example.com/flow/app"
	"example.com/flow/browser/internal/chromium"
)

func main() {
	log.SetFlags(0)
	address := flag.String("addr", usualAddress, "where flow dev serves")
	docs := flag.String("o", filepath.Join("..", "docs"), "the directory of the pictures")
	flag.Parse()
	if err := run(*address, *docs); err != nil {
		log.Fatal("record: ", err)
	}
}

func run(address, docs string) error {
	browser, stop, err := chromium.Start()
	if err != nil {
		return err
	}
	defer stop()
	if err := pictureOfSample(browser, filepath.Join(docs, "sample.png")); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "flow-record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a, err := start(dir, address)
	if err != nil {
		return err
	}
	f, err := record(browser, a, "http://"+address)
	if stopErr := a.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := f.encode(&out); err != nil {
		return err
	}
	fmt.Printf("%d frames, %.1f s, %d KB\n", len(f), f.length().Seconds(), out.Len()/1000)
	return os.WriteFile(filepath.Join(docs, "dev-loop.gif"), out.Bytes(), 0o666)
}

// pictureOfSample writes a picture of what is first seen of the sample application.
func pictureOfSample(browser context.Context, file string) error {
	s := httptest.NewServer(app.New(&app.App{Logger: slog.New(slog.DiscardHandler)}))
	defer s.Close()
	tab, closeTab := chromedp.NewContext(browser)
	defer closeTab()
	if err := chromedp.Do(tab, chromium.Look(1280, 800, 1, "light"), chromedp.Navigate(s.URL)); err != nil {
		return err
	}
	picture, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o666)
}

// record plays the story of the recording.
func record(browser context.Context, a *application, site string) (film, error) {
	if err := a.await("ready on"); err != nil {
		return nil, err
	}
	r, err := newRecorder(browser, a, site+"/notes/1")
	if err != nil {
		return nil, err
	}
	defer r.close()

	r.open("app/router/notes/[id].html", 0)
	r.say("1. Edit a page.")
	r.hold(reading)
	r.after("<h1>")
	r.enter("Note: ")
	r.save(`document.querySelector("h1").textContent === "Note: Buy milk"`)
	r.say("1. Edit a page. Saved, and on the screen %s later.", r.took)
	r.hold(reading)

	r.say("2. Make a mistake.")
	r.after("</h1>")
	r.enter("\n<p>Number {{.Id}}</p>")
	r.save(`document.body.innerText.includes("[id].html:5")`)
	r.say("2. Make a mistake. The page says which line it is, and what would be right.")
	r.hold(2 * reading)

	r.say("3. Mend it.")
	r.after("{{.Id")
	r.erase(1)
	r.enter("D")
	r.save(`document.querySelector("h1") && document.body.innerText.includes("Number 1")`)
	r.say("3. Mend it. Saved, and on the screen %s later.", r.took)
	r.hold(reading)

	r.open("app/notes.id.go", 16)
	r.say("4. Edit a Go file.")
	r.hold(reading / 2)
	r.after("no such note\")\n\t}")
	r.enter("\n\tn.Title += \"!\"")
	r.save(`document.querySelector("h1").textContent === "Note: Buy milk!"`)
	r.say("4. Edit a Go file. Saved, built, and on the screen %s later.", r.took)
	r.hold(2 * reading)
	return r.film, r.err
}
