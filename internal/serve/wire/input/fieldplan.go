package input

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// A FieldPlan says how Bind fills and validates a type. It is made once for each type.
type FieldPlan struct {
	Data, Query, Route *Fields // nil if the type is no struct
	TakesFiles         bool    // a field of Data is for files
	Decodes            bool    // the type has UnmarshalJSON or UnmarshalText
	Err                error   // why Bind cannot fill the type, or nil

	parts           *validatedParts // of a struct
	mayHoldValidate bool            // of another type: its items may have Validate
	mayHoldNaN      bool            // of a type that encoding/json fills as a whole: see the function of that name
	jsonOnly        bool            // a form or a query cannot fill it: it is no struct, or decodes itself and has no fields
	bound           atomic.Bool     // Bind was called for it
	required        required
}

var plans sync.Map // reflect.Type to *FieldPlan; bounded by the types in the program

// PlanOf returns the plan of a type.
func PlanOf(t reflect.Type) *FieldPlan {
	if known, ok := plans.Load(t); ok {
		return known.(*FieldPlan)
	}
	p := &FieldPlan{Decodes: DecodesItself(t), jsonOnly: t.Kind() != reflect.Struct}
	if t.Kind() == reflect.Struct {
		p.Data, p.Query, p.Route = FieldsOf(t, FromData), FieldsOf(t, FromQuery), FieldsOf(t, FromRoute)
		for _, f := range p.Data.List {
			f.mayHoldNaN = mayHoldNaN(f.Go.Type, map[reflect.Type]bool{})
		}
		p.TakesFiles = slices.ContainsFunc(p.Data.List, (*Field).IsFile)
		p.parts = newParts(t, FromData, p.Data, p.Query, p.Route)
		p.jsonOnly = p.Decodes && len(p.Data.List)+len(p.Query.List)+len(p.Route.List) == 0
	} else {
		p.mayHoldValidate = HoldsValidate(t)
		p.mayHoldNaN = mayHoldNaN(t, map[reflect.Type]bool{})
	}
	if name := misplacedTag(t, p.Data, map[reflect.Type]bool{}); name != "" {
		p.Err = fmt.Errorf("flow: Bind cannot fill %v: %s has a tag param or query, which is for fields of the struct itself and of those embedded in it, but JSON would fill it by its name: give it the tag json, with a name or with \"-\"", t, name)
	}
	known, _ := plans.LoadOrStore(t, p)
	return known.(*FieldPlan)
}

// FormNames returns the names of the form fields from which Bind fills a struct type: of a
// body or, if query is set, of the query of a request without one. It returns nil if the type
// has none, or reads the body by itself.
func FormNames(t reflect.Type, query bool) (names []string) {
	p := PlanOf(t)
	if p.Data == nil || p.Decodes || len(p.Data.List) == 0 && !query {
		return nil
	}
	for _, f := range p.Data.List {
		if !query || !f.fromQuery {
			names = append(names, f.Name)
		}
	}
	if query {
		for _, f := range p.Query.List {
			names = append(names, f.Name)
		}
	}
	return names
}

// needsData reports whether Bind needs the body. A struct whose fields all have a tag param or
// query does not, and accepts any body.
func (p *FieldPlan) needsData() bool {
	return p.Data == nil || len(p.Data.List) > 0 || len(p.Query.List)+len(p.Route.List) == 0
}
