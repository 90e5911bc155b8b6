package inputs

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/serve/wire/reply"
)

// Limit says how a limit of an input element differs from that of Validate for the same field. It
// returns "" if it does not, or if Validate does not tell: if the type has none, or if it refuses all
// values that are tried, as it does for an address.
//
// Validate is called as by input.RequiredPaths, with other fields that have some value.
func (f *FormInput) Limit(field, attr, value string) string {
	to, _, ok := input.FormTarget(f.of, f.query, field)
	if !ok || to.Type == nil || strings.Contains(field, input.Unknown) || !validatesField(f.of, to) {
		return ""
	}
	p := probe{FormInput: f, to: to}
	says := fmt.Sprintf("Validate of %v", f.of)
	if attr == "required" {
		if canBeEmpty(to.Type) && p.takes("") && !p.hasDefault() {
			return fmt.Sprintf("%q must have a value here, and %s takes it without one", field, says)
		}
		return ""
	}
	limit, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.Abs(limit) > 1<<20 {
		return ""
	}
	m := measureOf(attr, input.ConversionOf(to.Type).Kind)
	if m.show == nil || limit != math.Trunc(limit) || !p.takesAny(m, limit) {
		return ""
	}
	beyond := limit + m.step
	if message, refused := p.ask(m.show(limit)); refused {
		return fmt.Sprintf("%q may %s here, and %s says that it %s", field, m.says(limit), says, message)
	}
	if isEmptyText := m.length && beyond == 0; !isEmptyText && p.takes(m.show(beyond)) {
		return fmt.Sprintf("%q may not %s here, and %s takes that", field, m.says(beyond), says)
	}
	return ""
}

// A measure is what a limit limits: a length or a number.
type measure struct {
	show   func(float64) string // a text of this length, or with this number
	step   float64              // from the limit to what is beyond it
	length bool
}

// measureOf returns what an attribute limits of a field of a kind. Its function is nil if that is
// nothing.
func measureOf(attr string, kind input.Kind) (m measure) {
	switch {
	case strings.HasSuffix(attr, "length") && kind == input.String:
		m = measure{show: func(n float64) string { return strings.Repeat("a", max(int(n), 0)) }, length: true}
	case !strings.HasSuffix(attr, "length") && kind.IsNumber():
		m = measure{show: func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }}
	}
	if m.step = 1; strings.HasPrefix(attr, "min") {
		m.step = -1
	}
	return m
}

// says tells of a value.
func (m measure) says(n float64) string {
	if m.length && n == 1 {
		return "have 1 character"
	} else if m.length {
		return fmt.Sprintf("have %v characters", n)
	}
	return fmt.Sprintf("be %v", n)
}

// canBeEmpty reports whether a field without a value differs from all that have one. A number that
// is 0 may have been sent.
func canBeEmpty(t reflect.Type) bool {
	return !input.ConversionOf(t).Kind.IsNumber() || t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice
}

// validatesField reports whether a type has a Validate that may look at what a key fills: its own, or
// that of a struct in the field that the key leads into.
func validatesField(t reflect.Type, to input.Target) bool {
	itself, _ := input.PlanOf(t).Validates()
	return itself || to.Path != to.Field.Name && input.HoldsValidate(to.Field.Go.Type)
}

// A probe asks Validate of a type about one field.
type probe struct {
	*FormInput
	to            input.Target
	panicked      bool
	refusesOthers bool // Validate has refused other fields, so that it may not have come to this one
	refusesSome   bool // Validate has refused some value of the field
}

// ask returns the message for a field with a text, if it is refused.
func (p *probe) ask(text string) (message string, refused bool) {
	found, converts := false, true
	var must reply.Message
	invalid, ok := new(input.Asker).Ask(func() reflect.Value {
		dst := input.Filler{Rows: true, Values: true, Without: p.to.FirstRow}.New(p.of)
		var v reflect.Value
		if v, found = input.FormValue(dst.Elem(), p.query, p.to.FirstRow); found {
			must, converts = input.Convert(v, text)
		}
		return dst
	}, p.messages)
	switch {
	case !converts:
		return must.English, true
	case !ok || !found:
		p.panicked = true
		return "", false
	}
	for key, text := range invalid {
		if of, _, ok := input.FormTarget(p.of, p.query, key); ok && of.FirstRow == p.to.FirstRow {
			message, refused, p.refusesSome = text.English, true, true
		} else {
			p.refusesOthers = true
		}
	}
	return message, refused
}

// takes reports whether Validate takes a text. It is false in doubt: a Validate that ends at the
// first mistake has perhaps not seen the field.
func (p *probe) takes(text string) bool {
	if _, refused := p.ask(text); refused {
		return false
	}
	if p.refusesOthers && !p.refusesSome {
		p.ask(strings.Repeat("a", 1<<16))
		p.ask("")
	}
	return !p.panicked && (!p.refusesOthers || p.refusesSome)
}

// takesAny reports whether Validate takes some value within the limit, so that what it says of
// others is about the limit.
func (p *probe) takesAny(m measure, limit float64) bool {
	values := []float64{limit, limit - m.step, 1, 2, 10, 100}
	if m.length {
		values = []float64{limit, limit - m.step, 1}
		for n := 2.0; n < min(4*limit, 1<<10) && (m.step < 0 || n < limit); n *= 2 {
			values = append(values, n)
		}
	}
	for _, n := range values {
		if m.length && n < 1 {
			continue
		}
		if _, refused := p.ask(m.show(n)); !refused && !p.panicked {
			return true
		}
	}
	return false
}

// hasDefault reports whether Default gives the field a value that stays if the form has none. A form always
// has a text.
func (p *probe) hasDefault() bool {
	v, ok := p.defaultOf(p.to.FirstRow)
	return ok && !v.IsZero() && input.ConversionOf(p.to.Type).Kind != input.String
}
