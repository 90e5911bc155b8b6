package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/matryer/is"
	"github.com/nats-io/nats-server/v2/server"

	"example.com/board/events"
	"example.com/board/internal/engines"
)

// patience is how long a test waits for what should happen soon.
const patience = 2 * time.Minute

// TestMain is also the application, in processes that tests start.
func TestMain(m *testing.M) {
	if os.Getenv("BOARD") == "" {
		os.Exit(m.Run())
	}
	send := sendMail
	sendMail = func(ctx context.Context, post int64) error {
		slog.Info("mail begins", "post", post)
		if os.Getenv("BOARD") == "hangs" {
			<-ctx.Done()
			return ctx.Err()
		}
		return send(ctx, post)
	}
	main()
}

// A cluster is what the processes of one test share.
type cluster struct {
	env  []string
	pool *pgxpool.Pool
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	db := fmt.Sprintf(engines.Postgres(t), "postgres")
	pool, err := pgxpool.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &cluster{pool: pool, env: append(os.Environ(),
		"DATABASE_URL="+db, "REDIS_URL="+engines.Redis(t), "S3_ENDPOINT="+engines.ObjectStore(t, "board"),
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")}
}

// A process is one of the application.
type process struct {
	cmd  *exec.Cmd
	url  string
	mu   sync.Mutex
	log  bytes.Buffer
	done chan struct{}
}

// start starts a process, and returns when it listens.
func (c *cluster) start(t *testing.T, mode string) *process {
	t.Helper()
	addr := engines.FreeAddr(t)
	p := &process{url: "http://" + addr, done: make(chan struct{})}
	p.cmd = exec.Command(os.Args[0], "-addr", addr)
	p.cmd.Env = append(c.env, "BOARD="+mode)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Log(p.text())
		}
	})
	until(t, func() bool {
		resp, err := http.Get(p.url + "/")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	return p
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// kill is kill -9.
func (p *process) kill() {
	p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

// until waits for something that only asking tells.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}

// A browser keeps cookies, also those that are Secure, for all processes: behind a proxy
// they have one name.
type browser struct {
	client http.Client
	header http.Header
}

func newBrowser() *browser {
	jar, _ := cookiejar.New(nil) // without options it has no error
	return &browser{http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

// do sends a request to a process as if a proxy of HTTPS had passed it on.
func (b *browser) do(t *testing.T, p *process, method, path, media string, body io.Reader) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	site := &url.URL{Scheme: "https", Host: "board.example"}
	for _, c := range b.client.Jar.Cookies(site) {
		req.AddCookie(c)
	}
	for key, values := range b.header {
		req.Header[key] = values
	}
	req.Header.Set("Content-Type", media)
	resp, err := (&http.Client{CheckRedirect: b.client.CheckRedirect}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b.client.Jar.SetCookies(site, resp.Cookies())
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

func (b *browser) get(t *testing.T, p *process, path string) (int, string) {
	t.Helper()
	status, text, _ := b.do(t, p, "GET", path, "", nil)
	return status, text
}

func (b *browser) post(t *testing.T, p *process, path string, form url.Values) int {
	t.Helper()
	status, _, _ := b.do(t, p, "POST", path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	return status
}

func (b *browser) signIn(t *testing.T, p *process, name string) {
	t.Helper()
	if status := b.post(t, p, "/login", url.Values{"name": {name}, "password": {"secret of " + name}}); status != 303 {
		t.Fatalf("signing in: %d", status)
	}
}

func (b *browser) say(t *testing.T, p *process, text string) {
	t.Helper()
	if status := b.post(t, p, "/", url.Values{"text": {text}}); status != 303 {
		t.Fatalf("posting: %d", status)
	}
}

// TestSessions: who signs in at one process is known at the other, and so is who signs out.
func TestSessions(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	one, two := c.start(t, "works"), c.start(t, "works")
	home, phone, bob := newBrowser(), newBrowser(), newBrowser()
	home.signIn(t, one, "ada")
	phone.signIn(t, two, "ada")
	bob.signIn(t, two, "bob")
	for _, p := range []*process{one, two} {
		_, page := home.get(t, p, "/")
		is.True(strings.Contains(page, "Sign out ada"))
	}
	one.kill() // sessions outlive a process
	_, page := home.get(t, two, "/")
	is.True(strings.Contains(page, "Sign out ada"))

	one = c.start(t, "works")
	is.Equal(phone.post(t, one, "/logout", url.Values{"everywhere": {"true"}}), 303)
	for _, p := range []*process{one, two} {
		_, page := home.get(t, p, "/")
		is.True(strings.Contains(page, "Sign in"))
		_, page = bob.get(t, p, "/")
		is.True(strings.Contains(page, "Sign out bob"))
	}
}

// A stream is an open page.
type stream struct {
	ids    []string
	events chan string // data, or "retry"
	close  func()
}

func open(t *testing.T, p *process, lastID string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", p.url+"/events?after=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{events: make(chan string, 1000), close: cancel}
	go func() {
		defer close(s.events)
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			switch key, value, _ := strings.Cut(lines.Text(), ": "); key {
			case "id":
				s.ids = append(s.ids, value)
			case "data":
				var text string
				json.Unmarshal([]byte(value), &text)
				s.events <- text
			case "retry":
				s.events <- "retry"
			}
		}
	}()
	return s
}

// next returns the next event, and "" if the stream has ended.
func (s *stream) next(t *testing.T) string {
	t.Helper()
	select {
	case e := <-s.events:
		return e
	case <-time.After(patience):
		t.Fatal("no event")
		return ""
	}
}

// TestEvents: a post at one process reaches the pages of both, and what a page missed.
func TestEvents(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	one, two := c.start(t, "works"), c.start(t, "works")
	ada := newBrowser()
	ada.signIn(t, one, "ada")
	first, second := open(t, one, ""), open(t, two, "")
	for i, p := range []*process{one, two} {
		text := fmt.Sprintf("<%d>\n", i)
		ada.say(t, p, text)
		is.Equal(first.next(t), strings.TrimSpace(text))
		is.Equal(second.next(t), strings.TrimSpace(text))
	}
	// kill -9: the page connects to the other process, with the id that it has seen last.
	one.kill()
	is.Equal(first.next(t), "")
	ada.say(t, two, "while nobody listened")
	is.Equal(second.next(t), "while nobody listened")
	is.Equal(open(t, two, first.ids[len(first.ids)-1]).next(t), "while nobody listened")

	// SIGTERM: the page is told when to come back, and the stream ends.
	two.cmd.Process.Signal(syscall.SIGTERM)
	is.Equal(second.next(t), "retry")
	is.Equal(second.next(t), "")
	<-two.done
	is.Equal(two.cmd.ProcessState.ExitCode(), 0)
}

// TestEventsInOrder has many posts at once at both processes: a page that connects anew after each
// event sees each of them once.
func TestEventsInOrder(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	processes := []*process{c.start(t, "works"), c.start(t, "works")}
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for range each {
				b := newBrowser()
				b.header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", w))
				b.signIn(t, processes[w%2], "ada")
				b.header.Set("X-Forwarded-For", fmt.Sprintf("198.51.100.%d", w))
				b.say(t, processes[w%2], fmt.Sprint("post of ", w))
			}
		})
	}
	last := ""
	for n := range writers * each {
		s := open(t, processes[n%2], last)
		is.True(s.next(t) != "")
		is.True(len(s.ids) > 0)
		last = s.ids[0]
		s.close()
	}
	wg.Wait()
	var left int
	is.NoErr(c.pool.QueryRow(t.Context(), "SELECT count(*) FROM posts WHERE id > $1", last).Scan(&left))
	is.Equal(left, 0)
}

// TestNATS: what one process publishes rings the bells of both.
func TestNATS(t *testing.T) {
	is := is.New(t)
	engine, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	is.NoErr(err)
	engine.Start()
	defer engine.Shutdown()
	is.True(engine.ReadyForConnections(patience))
	var one, two events.Bell
	here, err := events.Subscribe(engine.ClientURL(), &one)
	is.NoErr(err)
	defer here.Close()
	there, err := events.Subscribe(engine.ClientURL(), &two)
	is.NoErr(err)
	defer there.Close()
	rungHere, rungThere := one.Wait(), two.Wait()
	is.NoErr(events.Publish(here))
	for _, rung := range []<-chan struct{}{rungHere, rungThere} {
		select {
		case <-rung:
		case <-time.After(patience):
			t.Fatal("no message")
		}
	}
}

// TestJobs: a job is enqueued with its post, or not at all, and is done once by one of the processes;
// periodic ones are done once, too.
func TestJobs(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	one, two := c.start(t, "works"), c.start(t, "works")
	ada := newBrowser()
	ada.signIn(t, one, "ada")
	for i := range 10 {
		ada.say(t, []*process{one, two}[i%2], fmt.Sprint(i))
	}
	until(t, func() bool { return c.count(t, "state = 'completed' AND kind = 'mail'") == 10 })
	is.Equal(strings.Count(one.text()+two.text(), "mail begins"), 10)
	until(t, func() bool { return c.count(t, "state = 'completed' AND kind = 'sweep'") == 1 })
	is.Equal(c.count(t, "kind = 'sweep'"), 1)

	// A transaction that fails leaves no job.
	_, err := c.pool.Exec(t.Context(), "ALTER TABLE posts ADD CHECK (text <> 'refused')")
	is.NoErr(err)
	is.Equal(ada.post(t, one, "/", url.Values{"text": {"refused"}}), 500)
	is.Equal(c.count(t, "kind = 'mail'"), 10)
}

// TestJobsOfAProcessThatWasKilled: another process does them.
func TestJobsOfAProcessThatWasKilled(t *testing.T) {
	if os.Getenv("FLOW_SLOW") == "" {
		t.Skip("River looks for such jobs every 30 seconds: set FLOW_SLOW=1")
	}
	is := is.New(t)
	c := newCluster(t)
	one := c.start(t, "hangs")
	ada := newBrowser()
	ada.signIn(t, one, "ada")
	ada.say(t, one, "hello")
	until(t, func() bool { return strings.Contains(one.text(), "mail begins") })
	one.kill()
	is.Equal(c.count(t, "state = 'running' AND kind = 'mail'"), 1)

	// As if the minute were over after which such a job counts as lost.
	_, err := c.pool.Exec(t.Context(), "UPDATE river_job SET attempted_at = now() - interval '2 minutes' WHERE kind = 'mail'")
	is.NoErr(err)
	two := c.start(t, "works")
	until(t, func() bool { return c.count(t, "state = 'completed' AND kind = 'mail'") == 1 })
	is.Equal(strings.Count(two.text(), "mail begins"), 1)
}

// count returns how many jobs there are.
func (c *cluster) count(t *testing.T, where string) (n int) {
	t.Helper()
	if err := c.pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE "+where).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLimits: the processes count together, for the address that the proxy has added.
func TestLimits(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	processes := []*process{c.start(t, "works"), c.start(t, "works")}
	wrong := url.Values{"name": {"ada"}, "password": {"?"}}
	statuses := map[int]int{}
	b := newBrowser()
	for i := range 40 {
		// What stands before comes from the client, which makes up another one each time.
		b.header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d, 192.0.2.1", i))
		statuses[b.post(t, processes[i%2], "/login", wrong)]++
	}
	is.True(statuses[422] >= 20 && statuses[422] < 40) // the burst, and one a second
	is.Equal(statuses[422]+statuses[429], 40)

	b.header.Set("X-Forwarded-For", "192.0.2.1, 192.0.2.2")
	is.Equal(b.post(t, processes[0], "/login", wrong), 422) // another client
}

// TestFiles: what was uploaded at one process is downloaded from the other.
func TestFiles(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	one, two := c.start(t, "works"), c.start(t, "works")
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "<script>.html")
	is.NoErr(err)
	_, err = io.WriteString(part, "0123456789")
	is.NoErr(err)
	is.NoErr(form.Close())
	ada, stranger := newBrowser(), newBrowser()
	status, _, _ := stranger.do(t, one, "POST", "/files", form.FormDataContentType(), bytes.NewReader(body.Bytes()))
	is.Equal(status, 401)
	ada.signIn(t, one, "ada")
	status, _, header := ada.do(t, one, "POST", "/files", form.FormDataContentType(), bytes.NewReader(body.Bytes()))
	is.Equal(status, 303)
	one.kill()

	status, _ = stranger.get(t, two, header.Get("Location"))
	is.Equal(status, 401)
	status, text, header := ada.do(t, two, "GET", header.Get("Location"), "", nil)
	is.Equal(status, 200)
	is.Equal(text, "0123456789")
	is.Equal(header.Get("Content-Disposition"), "attachment")
	is.Equal(header.Get("Content-Type"), "application/octet-stream")
	status, _ = ada.get(t, two, "/files/unknown")
	is.Equal(status, 404)
}

// TestWithoutEngines: check and routes connect with nothing.
func TestWithoutEngines(t *testing.T) {
	is := is.New(t)
	cmd := exec.Command(os.Args[0], "check")
	cmd.Env = append(os.Environ(), "BOARD=works")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	is.True(!errors.As(err, &exit))
	is.True(strings.Contains(string(out), "no faults"))
}
