package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/flow/browser/internal/chromium"
)

//go:embed stage.html
var stageHTML string

// Sizes of the stage and of the page on it, as in stage.html, in CSS pixels.
const (
	scale                   = 1.5 // pixels for each of them
	stageWidth, stageHeight = 1000, 560
	pageLeft, pageTop       = 588, 80
	pageWidth, pageHeight   = 400, 468
)

const (
	reading = 2 * time.Second       // the time to read a step
	key     = 60 * time.Millisecond // between two letters
)

// A screen is what the stage shows beside the page.
type screen struct {
	Caption  string
	Address  string
	File     string
	Text     string // of the file
	Caret    int    // an offset in it
	Top      int    // the first line that is shown, from 0
	Saved    bool
	Terminal []string
}

// A recorder makes a film of the work on an application. Its methods do nothing after the
// first error.
type recorder struct {
	app        *application
	tab, stage context.Context // of the page and of the stage
	close      func()          // both
	page       image.Image     // as it was last seen
	screen     screen
	film       film
	took       string // the time from the last save until the page showed it
	err        error
}

// newRecorder opens the page at an address, and the stage.
func newRecorder(browser context.Context, a *application, address string) (*recorder, error) {
	r := &recorder{app: a}
	tab, closeTab := chromedp.NewContext(browser)
	stage, closeStage := chromedp.NewContext(browser)
	r.tab, r.stage = tab, stage
	r.close = func() { closeTab(); closeStage() }
	r.screen.Address = strings.TrimPrefix(address, "http://")
	err := errors.Join(
		chromedp.Do(tab, chromium.Look(pageWidth, pageHeight, scale, "light"), chromedp.Navigate(address)),
		chromedp.Do(stage, chromium.Look(stageWidth, stageHeight, scale, "light"), chromedp.Navigate("data:text/html;charset=utf-8;base64,"+base64.StdEncoding.EncodeToString([]byte(stageHTML)))),
	)
	if err != nil {
		r.close()
		return nil, err
	}
	r.seePage()
	r.setTerminal(a.output())
	return r, r.err
}

// open shows a file of the application in the editor, from a line on.
func (r *recorder) open(file string, top int) {
	if r.err != nil {
		return
	}
	text, err := os.ReadFile(filepath.Join(r.app.dir, filepath.FromSlash(file)))
	r.err = err
	r.screen.File, r.screen.Text, r.screen.Caret, r.screen.Top, r.screen.Saved = file, string(text), 0, top, true
}

// say sets the caption.
func (r *recorder) say(format string, args ...any) { r.screen.Caption = fmt.Sprintf(format, args...) }

// after puts the caret after the first place that a text has in the file.
func (r *recorder) after(text string) {
	before, _, ok := strings.Cut(r.screen.Text, text)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("%s has no %q", r.screen.File, text)
	}
	r.screen.Caret = len(before) + len(text)
}

// enter types a text.
func (r *recorder) enter(text string) {
	for _, letter := range text {
		at := r.screen.Caret
		r.edit(r.screen.Text[:at]+string(letter)+r.screen.Text[at:], at+1)
	}
}

// erase deletes letters before the caret.
func (r *recorder) erase(letters int) {
	for range letters {
		at := r.screen.Caret
		r.edit(r.screen.Text[:at-1]+r.screen.Text[at:], at-1)
	}
}

func (r *recorder) edit(text string, caret int) {
	if r.err != nil {
		return
	}
	r.screen.Text, r.screen.Caret, r.screen.Saved = text, caret, false
	r.hold(key)
}

// save writes the file and waits until an expression is true on the page. Then it adds what
// has happened meanwhile: each line of the tool for as long as it was the last one.
func (r *recorder) save(shows string) {
	if r.err != nil {
		return
	}
	r.hold(10 * key)
	saved := time.Now()
	if r.err = os.WriteFile(filepath.Join(r.app.dir, filepath.FromSlash(r.screen.File)), []byte(r.screen.Text), 0o666); r.err != nil {
		return
	}
	if r.err = r.until(shows); r.err != nil {
		return
	}
	shown := time.Now()
	r.took = inWords(shown.Sub(saved))
	r.screen.Saved = true
	since := saved
	lines := r.app.output()
	for i, l := range lines {
		if l.at.After(since) && l.at.Before(shown) {
			r.hold(l.at.Sub(since))
			since = l.at
		}
		if l.at.Before(shown) {
			r.setTerminal(lines[:i+1])
		}
	}
	r.hold(shown.Sub(since))
	time.Sleep(settled) // for the rest of what the tool says, and for the paint of the page
	r.seePage()
	r.setTerminal(r.app.output())
}

// inWords returns a duration as a caption says it: "140 ms" or "1.2 s".
func inWords(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Round(10*time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// settled is the time after which the page and the terminal are at rest.
const settled = 500 * time.Millisecond

// until waits until an expression is true on the page. While the page is loaded again, none is.
func (r *recorder) until(expression string) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if yes, err := chromedp.Run(r.tab, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && yes {
			return nil
		}
	}
	return fmt.Errorf("the page never shows %s", expression)
}

// setTerminal shows the last lines of the tool.
func (r *recorder) setTerminal(lines []line) {
	r.screen.Terminal = []string{"$ " + r.app.typed}
	for _, l := range lines {
		r.screen.Terminal = append(r.screen.Terminal, l.text)
	}
}

// seePage takes a picture of the page.
func (r *recorder) seePage() {
	if r.err == nil {
		r.page, r.err = look(r.tab)
	}
}

// hold adds what is on the screen to the film.
func (r *recorder) hold(stays time.Duration) {
	if r.err != nil {
		return
	}
	state, err := json.Marshal(r.screen)
	if err != nil {
		r.err = err
		return
	}
	if r.err = chromedp.Do(r.stage, chromedp.Evaluate[chromedp.Void]("show("+string(state)+")")); r.err != nil {
		return
	}
	stage, err := look(r.stage)
	if err != nil {
		r.err = err
		return
	}
	picture := image.NewRGBA(stage.Bounds())
	draw.Draw(picture, picture.Rect, stage, image.Point{}, draw.Src)
	draw.Draw(picture, onScreen(pageLeft, pageTop, pageWidth, pageHeight), r.page, image.Point{}, draw.Src)
	r.film.add(picture, stays)
}

// onScreen returns a rectangle of the stage in pixels of the screen.
func onScreen(left, top, width, height float64) image.Rectangle {
	return image.Rect(int(left*scale), int(top*scale), int((left+width)*scale), int((top+height)*scale))
}

// look takes a picture of a tab.
func look(tab context.Context) (image.Image, error) {
	data, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}
