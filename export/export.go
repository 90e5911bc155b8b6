// Package export writes what an application shows without knowing who asks as files, for a server that
// runs no program: pages, public files, feeds. The application is asked in process, as a browser would
// ask it, and the links of its answers are followed. What would be dead or wrong as a file is a fault, and
// then nothing is written.
//
// A program that imports the package has the command export:
//
//	import _ "example.com/flow/export"
package export

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flow"
	"example.com/flow/internal/fault"
)

// Options say what is exported, and how. Only Dir has to be set.
type Options struct {
	// Dir is the directory that the files are written to. It is made if it is not there. A directory
	// that holds other files than those of an export is refused.
	Dir string
	// URLs are those of pages that nothing links to and that cannot be found by themselves, such as
	// /users/7. Each begins with a slash, and is a fault if it cannot be exported.
	URLs []string
	// Not are URLs that are left out. A link to one of them is a fault.
	Not []string
	// Base is the path at which the files will be served, such as /repo. It is written before the
	// URLs of the site where links stand in HTML, and not in scripts. In CSS such a URL is a fault.
	Base string
	// Index makes /about the file about/index.html in place of about.html. Relative links are faults
	// then, since browsers would ask for something else.
	Index bool
	// Gzip writes compressed files beside those that are worth it: app.css.gz.
	Gzip bool
	// Headers writes _headers, from which some hosts take the header fields of answers, such as the
	// Content-Security-Policy. Without it, the files have none.
	Headers bool
}

// A Result tells what was exported.
type Result struct {
	Files   []string // the names of all files below Dir, sorted, with slashes
	Written int      // how many of them are new or have changed
	Removed int      // how many files of the export before were removed
	// NotExported are the handlers of which nothing was exported, in the order of Router.Routes, with
	// the reason behind a colon if there is one: "GET /admin: it answers 302, since a guard refuses it: app.signedIn".
	NotExported []string
}

// Site exports the site of a Router. It begins with the public files, the pages without parameters, the
// endpoints for GET without parameters whose URL has an extension, and the URLs of the Options, and
// follows the links from there. Each answer is asked for twice, for different hosts, the second time at
// least a second later: Site takes that long.
//
// All that cannot be right as files is one error, with a line for each fault, and nothing is written. A
// page that nothing exported links to, and that cannot be exported since it does not answer 200 or has a
// form that is not sent with GET, is left out. The Result says so. One that answers 500 and more is a fault.
//
// Only files whose bytes differ are written. The file .flow-export lists those of the export, so that the
// next one removes those that are gone, and nothing else. If Site is interrupted, the next Site mends
// that.
//
// Site calls Check, and neither the functions of OnStart nor those of OnStop.
func Site(ctx context.Context, r *flow.Router, o Options) (Result, error) {
	return write(ctx, r, o, nil)
}

// write is Site, and tells progress from time to time how far it is.
func write(ctx context.Context, r *flow.Router, o Options, progress func(string)) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	if err := r.Check(); err != nil {
		return Result{}, err
	}
	into, err := openDir(o.Dir)
	if err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	store, err := newSpool()
	if err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	defer store.Close()
	c := newCrawl(ctx, r, o, store)
	c.progress = progress
	if err := c.run(); err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	files := c.files()
	c.faults = append(c.faults, into.compare(files)...)
	if err := fault.Join(c.faults); err != nil {
		return Result{}, err
	}
	result := Result{NotExported: c.left()}
	for _, f := range files {
		result.Files = append(result.Files, f.name)
	}
	if result.Written, result.Removed, err = into.write(ctx, files); err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	return result, nil
}

// check returns an error for options that cannot be meant.
func (o *Options) check() error {
	if o.Dir == "" {
		return errors.New("there is no directory to export to")
	}
	for _, u := range slices.Concat(o.URLs, o.Not) {
		if path, ok := parsePath(u); !ok || path == "" {
			return fmt.Errorf("%q is not the URL of a page: it begins with one slash, and has neither query nor fragment, as in /users/7", u)
		}
	}
	if o.Base = strings.TrimSuffix(o.Base, "/"); o.Base != "" {
		if path, ok := parsePath(o.Base); !ok || path == "/" || strings.Contains(path, "//") || strings.ContainsAny(o.Base, `"'<> `) {
			return fmt.Errorf("the base %q is not a path: it begins with one slash, as in /repo", o.Base)
		}
	}
	return nil
}

// parsePath returns the path of a URL that is nothing else, without escapes.
func parsePath(text string) (path string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#") {
		return "", false
	}
	return u.Path, strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
}
