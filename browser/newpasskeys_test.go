package browser

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/matryer/is"
)

// call calls a command of DevTools.
func call[P, R any](tb *tab, c cdp.Command[P, R], params P) R {
	tb.t.Helper()
	result, err := ask(tb, chromedp.Action[R](func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, c, params) }))
	if err != nil {
		tb.t.Fatal(err)
	}
	return result
}

// TestNewPasskeys signs up in what "flow new -accounts" writes, adds a passkey of Chromium's
// virtual authenticator, signs in with it, and removes it.
func TestNewPasskeys(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	is, tb := is.New(t), newTab(t)
	forget(tb)
	t.Cleanup(func() { forget(newTab(t)) })
	a := accountsApplication(t)
	// Passkeys are for the URL that the application is told, so that has to be known before it starts.
	l, err := net.Listen("tcp", "localhost:0")
	is.NoErr(err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	is.NoErr(err)
	origin := "http://localhost:" + port
	a.args = append(a.args, "-url", origin)
	client, stop := a.serve(t)
	t.Cleanup(stop)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: a.name})
	proxy.Transport = client.Transport
	s := httptest.NewUnstartedServer(proxy)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)

	call(tb, webauthn.Enable, webauthn.EnableParams{})
	device := call(tb, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}).AuthenticatorID
	answers := func(bits webauthn.SetResponseOverrideBitsParams) {
		bits.AuthenticatorID = device
		call(tb, webauthn.SetResponseOverrideBits, bits)
	}
	look := func(name string) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{390, 1280} {
				tb.look(width, scheme)
				tb.accessible(t)
				is.True(tb.fits())
				tb.picture(fmt.Sprintf("newpasskeys-%s-%d-%s", name, width, scheme))
			}
		}
	}
	at := func(path string) {
		t.Helper()
		tb.until("it leads to "+path, fmt.Sprintf("location.pathname === %q && document.readyState === 'complete'", path))
	}
	const alert = `document.querySelector("form[data-passkey] [role=alert]").textContent`
	press := func(button string) {
		t.Helper()
		tb.run(chromedp.Click(fmt.Sprintf(`//button[normalize-space()=%q]`, button)))
	}
	signOut := func() {
		t.Helper()
		press("Sign out")
		at("/")
	}

	tb.open(origin + "/sign-up")
	tb.run(chromedp.SendKeys("#email", "ada@example.com"), chromedp.Submit("#email"))
	at("/sent")
	tb.open(origin + <-a.log.(mailbox))
	tb.run(chromedp.SendKeys("#password", "correct horse battery"), chromedp.Submit("#password"))
	at("/account")

	tb.run(chromedp.Click(`//a[text()="Passkeys"]`))
	at("/account/passkeys")
	press("Add a passkey")
	tb.until("it is added", `document.querySelector(".rows")?.textContent.includes("Chrome on Linux")`)
	look("list")
	is.Equal(tb.refused(), "")
	made := call(tb, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: device}).Credentials
	is.Equal(len(made), 1)
	is.Equal(made[0].RpID, "localhost")
	is.Equal(made[0].UserName, "ada@example.com")
	press("Add a passkey")
	tb.until("a device has one passkey", alert+` === "This device has a passkey of your account already."`)

	signOut()
	tb.open(origin + "/sign-in?next=/account/sessions")
	look("sign-in")
	is.Equal(tb.do(`let asked = 0
		const before = fetch
		fetch = (...of) => { asked++; return before(...of) }
		const button = document.querySelector("form[data-passkey] button")
		button.click()
		button.click()
		return asked`), "1") // who presses twice asks once
	at("/account/sessions")
	tb.open(origin + "/account")
	is.True(strings.Contains(tb.do(`return document.body.textContent`), "signed in by a passkey"))

	signOut()
	tb.open(origin + "/sign-in")
	call(tb, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: false})
	press("Sign in with a passkey")
	tb.until("who is not verified gets nothing", alert+` === "No passkey was used."`)
	tb.accessible(t)
	call(tb, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: true})
	for name, bits := range map[string]webauthn.SetResponseOverrideBitsParams{
		"a wrong signature": {IsBogusSignature: new(true)}, "not verified": {IsBadUV: new(true)}, "not present": {IsBadUP: new(true)},
	} {
		t.Log(name)
		answers(bits)
		tb.open(origin + "/sign-in")
		press("Sign in with a passkey")
		tb.until("it is refused", alert+` === "The passkey was not accepted."`)
		tb.open(origin + "/account")
		at("/sign-in")
	}
	answers(webauthn.SetResponseOverrideBitsParams{})

	press("Sign in with a passkey")
	at("/account") // where next leads
	tb.open(origin + "/account/passkeys")
	press("Remove")
	tb.until("it is removed", `document.readyState === "complete" && !document.querySelector(".rows")`)
	signOut()
	tb.open(origin + "/sign-in")
	press("Sign in with a passkey") // the device still has it
	tb.until("a passkey that was removed is refused", alert+` === "The passkey was not accepted."`)
	tb.open(origin + "/account")
	at("/sign-in")

	const shown = `return document.querySelector("form[data-passkey]").checkVisibility()`
	is.Equal(tb.do(shown), "true")
	call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	tb.open(origin + "/sign-in")
	is.Equal(tb.do(shown), "false") // without scripts
	call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
	call(tb, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "delete window.PublicKeyCredential"})
	tb.open(origin + "/sign-in")
	is.Equal(tb.do(shown), "false") // in a browser without passkeys
}
