package export

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/fault"
)

// maxDiffering is how many answers that differ are told one by one.
const maxDiffering = 10

// again asks for all that is exported once more.
func (c *crawl) again() error {
	select {
	case <-time.After(between):
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
	differing := 0
	for _, r := range c.inOrder {
		if !r.walked {
			continue
		}
		a, err := visitors[1].ask(c.ctx, c.router, r.asks[1], c.store)
		if err != nil {
			return err
		}
		why, err := r.answer.differs(a, c.store)
		c.store.drop(a)
		switch {
		case err != nil:
			return err
		case why == "":
			r.answer.keepEqual(a.header)
			continue
		}
		if differing++; differing <= maxDiffering {
			about := "it is not the same each time, or for each host"
			if r.missing {
				about = "it is not the same for each URL, each time or for each host"
			}
			c.faults = append(c.faults, c.faultAt(place{page: r}, 0, about+": "+why))
		}
	}
	if differing > maxDiffering {
		c.faults = append(c.faults, fault.In("the site", "%s are not the same each time, or for each host", fault.Count(differing-maxDiffering, "more answer")))
	}
	return nil
}

// judge adds the faults of what was asked.
func (c *crawl) judge() {
	for _, r := range c.inOrder {
		if r.links.pages > 0 && !r.walked {
			c.faults = append(c.faults, c.fault(&r.links, r.shown()+" "+c.why(r)))
		} else if r.wanted && !r.walked {
			c.faults = append(c.faults, fault.In(r.shown(), "it is to be exported, and %s", c.why(r)))
		} else if r.begins && !r.not && !r.walked && (r.failed() || r.path == "/") {
			c.faults = append(c.faults, c.faultAt(place{page: r}, 0, fmt.Sprintf("it %s: mend it, or leave it out with -not", c.why(r))))
		}
		if _, isRoute := c.guards[r.shown()]; r.not && r.links.pages == 0 && !r.begins && !isRoute {
			c.faults = append(c.faults, fault.In(r.shown(), "it is to be left out, and nothing leads to it: is it misspelt?"))
		}
		if !r.walked {
			continue
		}
		if on := r.answer.dependsOn(); on != "" {
			c.faults = append(c.faults, c.faultAt(place{page: r}, 0, fmt.Sprintf("the answer %s, and a file is the same for everybody", on)))
		}
		switch isPage := r.isPage || r.to != nil; {
		case r.to != nil && r.loads.pages > 0:
			c.faults = append(c.faults, c.fault(&r.loads, fmt.Sprintf("%s is a redirect to %s, and its file is a page, which can be no part of another: write the URL that it leads to", r.shown(), r.to.url)))
		case r.to != nil && r.leadsBack():
			c.faults = append(c.faults, c.faultAt(place{page: r}, 0, fmt.Sprintf("it is a redirect to %s, which leads back to it: their files would repeat that without end", r.to.resource.shown())))
		case r.to != nil && r.to.resource == nil && !r.to.broken && strings.HasSuffix(r.to.url, r.path) && r.path != "/":
			c.faults = append(c.faults, c.faultAt(place{page: r}, 0, fmt.Sprintf("it is redirected to the same path on another server, %s: leave out the middleware that does this", r.to.url)))
		case isPage && r.to == nil:
			for fragment, m := range r.pieces {
				if !slices.Contains(r.ids, fragment) {
					c.faults = append(c.faults, c.fault(m, fmt.Sprintf("no element of %s has the id %q", r.shown(), fragment)))
				}
			}
		}
	}
	for t, m := range c.told {
		c.faults = append(c.faults, c.fault(m, t.text))
	}
}

// failed reports whether the application has not managed to answer, so that the export before may have a file
// of it which should stay.
func (r *resource) failed() bool {
	return r.asked && !r.answer.refused && (r.answer.wrong != "" || r.answer.status >= 500)
}

// leadsBack reports whether the redirect of a resource leads to the resource itself, also by way of others.
func (r *resource) leadsBack() bool {
	seen := map[*resource]bool{}
	for at := r; at.to != nil && at.to.resource != nil && !seen[at]; at = at.to.resource {
		seen[at] = true
		if at.to.resource == r {
			return true
		}
	}
	return false
}

// why says why a resource is not exported.
func (c *crawl) why(r *resource) string {
	switch {
	case r.not:
		return "is left out, as the options say"
	case r.answer.wrong != "":
		return r.answer.wrong
	case r.sends != "":
		return "has a form that sends " + r.sends
	case r.answer.refused:
		return fmt.Sprintf("answers %d, since a guard refuses it: %s", r.answer.status, strings.Join(c.guards[patternOf(r.answer)], " or "))
	case r.to != nil:
		return "redirects to " + r.to.url + ", which is not exported"
	}
	return fmt.Sprintf("answers %d", r.answer.status)
}

// left returns the handlers of which nothing was exported: see Result.
func (c *crawl) left() (all []string) {
	exported, reasons := map[string]bool{}, map[string]string{}
	for _, r := range c.inOrder {
		switch p := patternOf(r.answer); {
		case r.walked && !r.missing:
			exported[p], exported[r.shown()] = true, true // a Router inside of Hosts has another pattern
		case r.not:
			reasons[r.shown()] = c.why(r)
		case r.asked && !r.missing:
			reasons[p] = c.why(r)
		}
	}
	for _, info := range c.router.Routes() {
		isGET := info.Method == http.MethodGet || info.Method == "ANY"
		if isGET && exported[info.Pattern] {
			continue
		}
		line := info.Method + " " + info.Pattern
		switch why := reasons[info.Pattern]; {
		case !isGET || !strings.HasPrefix(info.Pattern, "/"):
		case why != "":
			line += ": it " + why
		case strings.Contains(info.Pattern, "{"):
			line += ": nothing links to a value of it"
		default:
			line += ": nothing links to it, and its URL has no extension"
		}
		all = append(all, line)
	}
	return all
}
