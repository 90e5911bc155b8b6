// Package manifest compares two versions of an application. A [Manifest] is what one of them answers,
// and what its pages ask for, as JSON. [Breaks] says what requests of one version the other one does not
// answer: while a version is rolled out, browsers show pages of the one before. It gets plain data, and
// asks a [site.Map] what answers a request.
package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Format is the version of the format of a Manifest. It is greater if a program that reads the one
// before would come to wrong conclusions.
const Format = 1

// A Manifest is what a version of an application answers, and what its pages ask for.
type Manifest struct {
	Format  int    `json:"format"`
	Program string `json:"program"` // the import path of its package main; "" if that is not known
	Host
	Hosts map[string]Host `json:"hosts,omitempty"` // of flow.Hosts, by name
}

// A Host is what the Router of a host has, with those mounted inside it. All lists are sorted.
type Host struct {
	Routes []Route           `json:"routes"`
	Links  []Link            `json:"links"`
	Assets map[string]string `json:"assets"` // the URLs of public files with a hash, by those without
}

// A Route is what answers a method of a pattern.
type Route struct {
	Method   string   `json:"method"`  // "ANY" for those without a handler of their own
	Pattern  string   `json:"pattern"` // for people: "/users/{id}"
	URL      string   `json:"url"`     // the pattern with its matchers and without names: see URL
	File     string   `json:"file"`
	Fields   []string `json:"fields"`   // what is read of a body or, for GET, of a query; null if that is not known, as without a typed handler
	Required []string `json:"required"` // those that it requires; the number of each row is 0
}

// A Link is a request that a page makes browsers send.
type Link struct {
	File   string  `json:"file"`
	Method string  `json:"method"` // "" if that is not known
	URL    string  `json:"url"`    // with {} for what actions write; "" for a form whose URL is not known
	Route  string  `json:"route"`  // the URL of the Route that answers it, or of the public file; "" if that is not known
	Form   bool    `json:"form"`
	Fields []Field `json:"fields"` // that the form sends, as far as they are known
}

// A Field is a field of a form.
type Field struct {
	Name  string `json:"name"`            // with {} for what actions write
	Type  string `json:"type,omitempty"`  // of an input, in lower case
	Value string `json:"value,omitempty"` // that it always has
	Lists bool   `json:"lists,omitempty"` // it may send several values
}

// sort brings the lists of a host in their order, and removes what is there twice.
func (h *Host) sort() {
	slices.SortFunc(h.Routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Method, b.Method), cmp.Compare(a.File, b.File))
	})
	for _, l := range h.Links {
		slices.SortFunc(l.Fields, compareFields)
	}
	slices.SortFunc(h.Links, compareLinks)
	h.Links = slices.CompactFunc(h.Links, func(a, b Link) bool { return compareLinks(a, b) == 0 })
}

func compareLinks(a, b Link) int {
	form := func(l Link) int {
		if l.Form {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Method, b.Method), cmp.Compare(form(a), form(b)),
		cmp.Compare(a.Route, b.Route), slices.CompareFunc(a.Fields, b.Fields, compareFields))
}

func compareFields(a, b Field) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Value, b.Value))
}

// Parse reads a Manifest that a program has written. The error says why it is none, or why it cannot be
// compared with one of program.
func Parse(text []byte, program string) (*Manifest, error) {
	var m Manifest
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // shells on Windows write it
	var otherType *json.UnmarshalTypeError          // each version of Go words it in its own way
	switch err := json.Unmarshal(text, &m); {
	case errors.As(err, &otherType):
		return nil, errors.New("it is no manifest, which the command manifest writes: it is other JSON")
	case err != nil:
		return nil, fmt.Errorf("it is no manifest, which the command manifest writes: %w", err)
	}
	switch {
	case m.Format < 1:
		return nil, fmt.Errorf("it is no manifest, which the command manifest writes: it has no format")
	case m.Format > Format:
		return nil, fmt.Errorf("its format is %d, of a later version of flow, and this one knows %d: compare it with a program of that version", m.Format, Format)
	case m.Program != "" && program != "" && m.Program != program:
		return nil, fmt.Errorf("it is of the program %s, and this is %s", m.Program, program)
	}
	for _, s := range m.hosts() {
		for _, r := range s.Routes {
			if _, err := parseURL(r.URL); err != nil {
				return nil, fmt.Errorf("it is no manifest, which the command manifest writes: %w", err)
			}
		}
	}
	return &m, nil
}
