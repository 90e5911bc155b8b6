// Package chromium starts a headless Chromium for the tests and programs of this module.
package chromium

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Start starts a browser with a profile of its own. The context is that of its first tab:
// chromedp.NewContext of it opens another one. stop ends the browser and removes the profile.
func Start() (ctx context.Context, stop func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}
	profile, err := os.MkdirTemp("", "flow-browser-")
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(profile), chromedp.WindowSize(1280, 900),
		chromedp.DisableGPU, chromedp.Flag("disable-background-networking", true),
		chromedp.WSURLReadTimeout(patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopTab := chromedp.NewContext(allocator)
	stop = func() {
		stopTab()
		stopAllocator()
		os.RemoveAll(profile)
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, err
	}
	return ctx, stop, nil
}

// patience is how long a browser may take to start or to answer, on a machine that is busy.
const patience = 5 * time.Minute

func find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errors.New("there is no Chromium: apt-get install chromium")
}

// Look sets the size of the page in CSS pixels, how many pixels of the screen each of them
// has, and the color scheme: "light" or "dark".
func Look(width, height int64, scale float64, scheme string) chromedp.Action[chromedp.Void] {
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: scale}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		if _, err := cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, size); err != nil {
			return none, err
		}
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, media)
		return none, err
	}
}
