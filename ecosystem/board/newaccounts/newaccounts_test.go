package newaccounts

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/matryer/is"

	"example.com/board/internal/engines"
)

// TestNewAccounts makes the application once, and has it judged by its own tests, by check, and
// by what its processes do together.
func TestNewAccounts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an application")
	}
	os.Getenv("FLOW_TREE") // with another one, this is not what go test has a result of
	c := &cluster{postgres: engines.Postgres(t)}
	dir := filepath.Join(t.TempDir(), "newapp")
	c.program = filepath.Join(t.TempDir(), "newapp.exe")
	command(t, "../../../cmd/flow", nil, "go", "run", "-trimpath=false", ".", "new", "-accounts", "-module", "example.com/newapp", dir)
	command(t, dir, nil, "go", "mod", "tidy", "-diff")
	command(t, dir, nil, "go", "vet", "./...")
	command(t, dir, nil, "go", "build", "-o", c.program, ".")
	command(t, dir, nil, c.program, "check", "-warnings=fail")
	command(t, dir, []string{"TEST_POSTGRES=" + fmt.Sprintf(c.postgres, "postgres")}, "go", "test", "-vet=off", "./...")
	command(t, dir, []string{"TEST_POSTGRES="}, "go", "test", "-vet=off", "./app") // requests, which had PostgreSQL alone

	for _, tt := range []struct {
		name string
		test func(*testing.T, *cluster)
	}{
		{"migrations", migrations},
		{"sessions", sessions},
		{"limits", limits},
		{"mails", mails},
		{"killed", killed},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, c.empty(t, tt.name)) })
	}
}

// TestNewAccountsVendor has copies of flow, without its tests and what these need.
func TestNewAccountsVendor(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tool")
	}
	os.Getenv("FLOW_TREE") // as above
	dir := filepath.Join(t.TempDir(), "newapp")
	command(t, "../../../cmd/flow", nil, "go", "run", "-trimpath=false", ".", "new", "-accounts", "-vendor", "-module", "example.com/newapp", dir)
	command(t, dir, nil, "go", "mod", "tidy", "-diff")
}

func command(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "GOWORK=off", "GOFLAGS=-trimpath")...) // what was compiled before is taken in any directory
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// migrations has two processes start at the same time with an empty database: one migrates, and
// the other one waits.
func migrations(t *testing.T, c *cluster) {
	is := is.New(t)
	tx, err := c.db.Begin(t.Context())
	is.NoErr(err)
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock(4712)") // so that both are there before one begins
	is.NoErr(err)
	one, two := c.launch(t), c.launch(t)
	until(t, func() bool {
		return c.count(t, "pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") == 2
	})
	is.NoErr(tx.Rollback(t.Context()))
	for _, p := range []*process{one, two} {
		p.await(t)
	}
	files, err := filepath.Glob("../../../cmd/flow/internal/scaffold/_template/accounts/accounts/migrations/*.sql")
	is.NoErr(err)
	is.True(len(files) > 0)
	is.Equal(c.count(t, "accounts_migrations"), len(files))
}

// sessions does one thing at one process, and the next at the other.
func sessions(t *testing.T, c *cluster) {
	is := is.New(t)
	one, two := c.start(t), c.start(t)
	home, phone, bob := newBrowser(1), newBrowser(2), newBrowser(3)

	home.join(t, c, one, two, "ada@example.com")
	bob.join(t, c, two, one, "bob@example.com")
	is.Equal(phone.post(t, two, "/sign-in", "email", "ada@example.com", "password", password), 303)
	for _, p := range []*process{one, two} {
		for _, b := range []*browser{home, phone, bob} {
			is.Equal(b.get(t, p, "/account"), 200)
		}
	}
	one.kill() // sessions outlive a process
	is.Equal(home.get(t, two, "/account"), 200)

	one = c.start(t)
	is.Equal(phone.post(t, one, "/sign-out"), 303)
	is.Equal(phone.get(t, two, "/account"), 303) // to sign in
	is.Equal(home.get(t, two, "/account"), 200)

	is.Equal(phone.post(t, two, "/sign-in", "email", "ada@example.com", "password", password), 303)
	is.Equal(home.post(t, one, "/account/sessions"), 303) // all of them
	for _, p := range []*process{one, two} {
		is.Equal(home.get(t, p, "/account"), 303)
		is.Equal(phone.get(t, p, "/account"), 303)
		is.Equal(bob.get(t, p, "/account"), 200)
	}
}

// limits has wrong passwords and requests for links alternate between two processes, which
// count together.
func limits(t *testing.T, c *cluster) {
	is := is.New(t)
	one, two := c.start(t), c.start(t)
	newBrowser(1).join(t, c, one, two, "ada@example.com")
	for _, tt := range []struct {
		path string
		most int
		want int
		form []string
	}{
		{"/sign-in", 10, 422, []string{"password", "a wrong password"}},
		{"/reset", 5, 303, nil},
	} {
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			var got []int
			for i := range tt.most + 2 {
				p := []*process{one, two}[i%2]
				got = append(got, newBrowser(100+i).post(t, p, tt.path, append(tt.form, "email", email)...))
			}
			for i, status := range got {
				want := tt.want
				if i >= tt.most {
					want = 429
				}
				// One link for signing up has been sent to ada.
				if tt.path == "/reset" && email == "ada@example.com" && i == tt.most-1 {
					want = 429
				}
				if status != want {
					t.Errorf("%s for %s: %v", tt.path, email, got)
					break
				}
			}
		}
	}
	var got []int
	for i := range 52 { // one browser, and another address each time
		got = append(got, newBrowser(1000).post(t, []*process{one, two}[i%2], "/sign-in", "email", fmt.Sprintf("user%d@example.com", i), "password", "a wrong password"))
	}
	is.Equal(got[49], 422)
	is.Equal(got[50], 429)
	is.Equal(got[51], 429)
}

// mails has two processes send what both were asked for: each mail once.
func mails(t *testing.T, c *cluster) {
	const addresses = 300
	is := is.New(t)
	var mu sync.Mutex
	clients, both := map[string]bool{}, make(chan bool)
	c.smtp.hold = func(client string) { // the first mails wait for each other, so that both processes do send
		mu.Lock()
		if !clients[client] {
			clients[client] = true
			if len(clients) == 2 {
				close(both)
			}
		}
		mu.Unlock()
		<-both
	}
	processes := []*process{c.start(t), c.start(t)}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := worker; i < addresses; i += 4 {
				if status := newBrowser(i).post(t, processes[i/4%2], "/sign-up", "email", fmt.Sprintf("user%d@example.com", i)); status != 303 {
					t.Errorf("asking for a link: %d", status)
				}
			}
		})
	}
	wg.Wait()
	until(t, func() bool { return c.count(t, "mails") == 0 })
	for i := range addresses {
		is.Equal(len(c.smtp.to(fmt.Sprintf("user%d@example.com", i))), 1)
	}
	is.Equal(c.smtp.count(), addresses)
}

// killed ends a process by kill -9 while it sends a mail. The other one sends it when the lease
// of the first has ended. It has the same ID, by which mail servers may know that it is twice.
func killed(t *testing.T, c *cluster) {
	is := is.New(t)
	hangs, release := make(chan bool), make(chan bool)
	var first sync.Once
	c.smtp.hold = func(string) { first.Do(func() { close(hangs); <-release }) }
	one := c.start(t)
	is.Equal(newBrowser(1).post(t, one, "/sign-up", "email", "ada@example.com"), 303)
	<-hangs // the server has the mail, and has not answered
	two := c.start(t)
	one.kill()
	close(release)
	is.Equal(c.count(t, "mails"), 1)
	_, err := c.db.Exec(t.Context(), "UPDATE mails SET due = due - 120 * 1000") // two minutes pass
	is.NoErr(err)
	is.Equal(newBrowser(2).post(t, two, "/sign-up", "email", "bob@example.com"), 303) // which wakes its mailer
	until(t, func() bool { return c.count(t, "mails") == 0 })
	got := c.smtp.to("ada@example.com")
	is.True(len(got) > 0)
	is.Equal(len(c.smtp.to("bob@example.com")), 1)
	for _, m := range got {
		is.Equal(m.Header.Get("Message-Id"), got[0].Header.Get("Message-Id"))
	}
	home := newBrowser(1)
	is.Equal(home.post(t, two, got[len(got)-1].link(t), "password", password), 303)
	is.Equal(home.get(t, two, "/account"), 200)
}

// A cluster is what processes have in common.
type cluster struct {
	postgres string // the URL of a database without its name
	program  string
	url      string
	db       *pgxpool.Pool
	smtp     *mailServer
}

// empty returns a cluster with a database and a mailbox of its own.
func (c *cluster) empty(t *testing.T, name string) *cluster {
	t.Helper()
	server, err := pgxpool.New(t.Context(), fmt.Sprintf(c.postgres, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := server.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	e := &cluster{program: c.program, url: fmt.Sprintf(c.postgres, name), smtp: &mailServer{hold: func(string) {}, got: map[string][]letter{}}}
	if e.db, err = pgxpool.New(t.Context(), e.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.db.Close)
	return e
}

func (c *cluster) count(t *testing.T, query string) (n int) {
	t.Helper()
	if err := c.db.QueryRow(t.Context(), "SELECT count(*) FROM "+query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A process is one of the application.
type process struct {
	cmd  *exec.Cmd
	url  string
	done chan struct{}
}

// launch starts a process.
func (c *cluster) launch(t *testing.T) *process {
	t.Helper()
	addr := engines.FreeAddr(t)
	p := &process{url: "http://" + addr, done: make(chan struct{})}
	p.cmd = exec.Command(c.program, "-addr", addr, "-url", "http://localhost:8080", "-db", c.url, "-proxies", "1")
	p.cmd.Env = append(os.Environ(), "SMTP_URL=smtp://"+c.smtp.listen(t))
	var log bytes.Buffer
	p.cmd.Stdout, p.cmd.Stderr = &log, &log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return p
}

// await returns when the process listens.
func (p *process) await(t *testing.T) {
	t.Helper()
	until(t, func() bool {
		resp, err := http.Get(p.url + "/")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
}

func (c *cluster) start(t *testing.T) *process {
	t.Helper()
	p := c.launch(t)
	p.await(t)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

// patience is how long a test waits for what should happen soon.
const patience = 2 * time.Minute

// until waits for something that only asking tells.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}

const password = "correct horse battery"

// A browser keeps cookies, and has an address that the proxy in front tells.
type browser struct {
	client http.Client
	addr   string
}

func newBrowser(n int) *browser {
	jar, _ := cookiejar.New(nil) // without options it has no error
	return &browser{
		client: http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		addr:   net.IPv4(10, 0, byte(n>>8), byte(n)).String(),
	}
}

// do sends a request, and returns the status of the answer. Cookies have no ports: the browser
// has the same for both processes.
func (b *browser) do(t *testing.T, method, target string, form url.Values) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", b.addr)
	if method == "POST" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func (b *browser) get(t *testing.T, p *process, path string) int {
	t.Helper()
	return b.do(t, "GET", p.url+path, nil)
}

func (b *browser) post(t *testing.T, p *process, path string, form ...string) int {
	t.Helper()
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Set(form[i], form[i+1])
	}
	return b.do(t, "POST", p.url+path, values)
}

// join makes an account: the browser asks one process for the link, and follows it at another.
func (b *browser) join(t *testing.T, c *cluster, asked, followed *process, email string) {
	t.Helper()
	if status := b.post(t, asked, "/sign-up", "email", email); status != 303 {
		t.Fatalf("asking for a link: %d", status)
	}
	until(t, func() bool { return len(c.smtp.to(email)) > 0 })
	link := c.smtp.to(email)[0].link(t)
	if status := b.get(t, followed, link); status != 200 {
		t.Fatalf("following the link: %d", status)
	}
	if status := b.post(t, followed, link, "password", password); status != 303 {
		t.Fatalf("choosing a password: %d", status)
	}
}
