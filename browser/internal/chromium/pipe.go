package chromium

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// A Pipe is a Chromium with one tab that is watched from outside of its pages. chromedp
// attaches to a page, and Chromium prerenders nothing for a page that somebody is attached to.
// So a Pipe attaches to the tab, which tells of its pages.
type Pipe struct {
	cmd     *exec.Cmd
	profile string
	toChild *os.File

	mu      sync.Mutex
	last    int            // the id of the last command
	waiting map[int]waiter // for the answers, by id
	pages   []string       // the sessions of the pages, the latest one last
	logged  []string       // what the browser has said about the pages
	ended   error
}

// A waiter waits for the answer to a command. The channel is closed if there will be none.
type waiter struct {
	session string
	answer  chan<- message
}

type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// StartPipe starts a browser with a profile of its own. Each document begins with a script.
func StartPipe(script string) (*Pipe, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	p := &Pipe{waiting: map[int]waiter{}}
	if p.profile, err = os.MkdirTemp("", "flow-browser-"); err != nil {
		return nil, err
	}
	args := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + p.profile, "--window-size=1280,900",
		"--no-first-run", "--disable-gpu", "--disable-extensions", "--disable-sync", "--disable-dev-shm-usage"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	childIn, toChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromChild, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.toChild = toChild
	p.cmd = exec.Command(program, args...)
	p.cmd.ExtraFiles = []*os.File{childIn, childOut} // 3 and 4
	err = p.cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		return nil, err
	}
	go p.read(bufio.NewReader(fromChild), script)

	var tab struct{ TargetID, SessionID string }
	if err := p.call(patience, "", "Target.createTarget", map[string]any{"url": "about:blank", "forTab": true}, &tab); err != nil {
		p.Stop()
		return nil, err
	}
	err = p.call(patience, "", "Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}, &tab)
	if err == nil {
		err = p.call(patience, tab.SessionID, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}, nil)
	}
	if err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// Stop ends the browser, and removes its profile.
func (p *Pipe) Stop() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
	p.toChild.Close()
	os.RemoveAll(p.profile)
}

// read reads messages, each of which ends with a 0, until the browser ends.
func (p *Pipe) read(from *bufio.Reader, script string) {
	for {
		text, err := from.ReadBytes(0)
		if err != nil {
			p.mu.Lock()
			p.ended = fmt.Errorf("the browser has ended: %w", err)
			p.giveUp(func(waiter) bool { return true })
			p.mu.Unlock()
			return
		}
		var m message
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			continue // of a kind that nobody waits for
		}
		p.receive(m, script)
	}
}

func (p *Pipe) receive(m message, script string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.ID != 0:
		if w, ok := p.waiting[m.ID]; ok {
			delete(p.waiting, m.ID)
			w.answer <- m
		}
	case m.Method == "Target.attachedToTarget":
		var attached struct {
			SessionID  string
			TargetInfo struct{ Type string }
		}
		json.Unmarshal(m.Params, &attached)
		if attached.TargetInfo.Type == "page" {
			p.pages = append(p.pages, attached.SessionID)
		}
		// The page waits for the last of these, and answers none before.
		p.send(attached.SessionID, "Page.enable", nil)
		p.send(attached.SessionID, "Log.enable", nil)
		p.send(attached.SessionID, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script})
		p.send(attached.SessionID, "Runtime.runIfWaitingForDebugger", nil)
	case m.Method == "Target.detachedFromTarget":
		var detached struct{ SessionID string }
		json.Unmarshal(m.Params, &detached)
		p.pages = slices.DeleteFunc(p.pages, func(session string) bool { return session == detached.SessionID })
		p.giveUp(func(w waiter) bool { return w.session == detached.SessionID })
	case m.Method == "Log.entryAdded":
		var entry struct {
			Entry struct{ Source, Level, Text, URL string }
		}
		json.Unmarshal(m.Params, &entry)
		p.logged = append(p.logged, fmt.Sprint(entry.Entry))
	}
}

// giveUp ends the waiting for answers that will not come. p.mu is locked.
func (p *Pipe) giveUp(on func(waiter) bool) {
	for id, w := range p.waiting {
		if on(w) {
			delete(p.waiting, id)
			close(w.answer)
		}
	}
}

// send sends a command to a session, or to the browser. p.mu is locked.
func (p *Pipe) send(session, method string, params any) (<-chan message, error) {
	if p.ended != nil {
		return nil, p.ended
	}
	if params == nil {
		params = struct{}{}
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	p.last++
	text, err := json.Marshal(message{ID: p.last, Session: session, Method: method, Params: encoded})
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	p.waiting[p.last] = waiter{session, answer}
	_, err = p.toChild.Write(append(text, 0))
	return answer, err
}

// errNoAnswer is for commands to a page that is gone, or frozen.
var errNoAnswer = errors.New("the page does not answer")

// How long a page is waited for before it is asked for again which one is shown: one that is kept
// for the way back answers nothing.
const (
	whetherShown = 2 * time.Second
	whenShown    = 20 * time.Second
)

// call sends a command, and reads its result.
func (p *Pipe) call(limit time.Duration, session, method string, params, result any) error {
	p.mu.Lock()
	answer, err := p.send(session, method, params)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	var m message
	ok := false
	select {
	case m, ok = <-answer:
	case <-time.After(limit):
	}
	switch {
	case !ok:
		return errNoAnswer
	case m.Error != nil:
		return fmt.Errorf("%s: %s", method, m.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// shown returns the session of the page that the tab shows.
func (p *Pipe) shown() (session string, err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		p.mu.Lock()
		pages := slices.Clone(p.pages)
		err = p.ended
		p.mu.Unlock()
		if err != nil {
			return "", err
		}
		for i := len(pages) - 1; i >= 0; i-- { // those that were left are detached, or hidden
			var is struct{ Result struct{ Value bool } }
			err = p.call(whetherShown, pages[i], "Runtime.evaluate", map[string]any{"expression": `!document.prerendering && document.visibilityState === "visible"`, "returnByValue": true}, &is)
			if err == nil && is.Result.Value {
				return pages[i], nil
			}
		}
	}
	return "", fmt.Errorf("the tab shows no page: %v", err)
}

// Page calls a method of the page that the tab shows. It calls it again if the page is left before
// it answers.
func (p *Pipe) Page(method string, params, result any) error {
	for end := time.Now().Add(patience); ; {
		session, err := p.shown()
		if err != nil {
			return err
		}
		err = p.call(whenShown, session, method, params, result)
		if !errors.Is(err, errNoAnswer) || time.Now().After(end) {
			return err
		}
	}
}

// Evaluate returns the value of a JavaScript expression, as JSON.
func (p *Pipe) Evaluate(expression string) (string, error) {
	var got struct{ Result struct{ Value string } }
	err := p.Page("Runtime.evaluate", map[string]any{"expression": "JSON.stringify(" + expression + ") ?? 'undefined'", "returnByValue": true}, &got)
	return got.Result.Value, err
}

// Mouse sends an event of the mouse: "mouseMoved", "mousePressed", "mouseReleased". The page
// may be gone before it answers.
func (p *Pipe) Mouse(kind string, x, y float64) error {
	params := map[string]any{"type": kind, "x": x, "y": y}
	if kind != "mouseMoved" {
		params["button"], params["clickCount"] = "left", 1
	}
	session, err := p.shown()
	if err != nil {
		return err
	}
	if err := p.call(whenShown, session, "Input.dispatchMouseEvent", params, nil); !errors.Is(err, errNoAnswer) {
		return err
	}
	return nil
}

// Logged returns what the browser has said about the pages: what a policy has refused, and
// requests that have failed.
func (p *Pipe) Logged() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.logged)
}
