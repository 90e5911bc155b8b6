package input

import (
	"errors"
	"mime/multipart"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"
)

// requires reports whether a form has to have a key.
func requires(t *testing.T, of reflect.Type, key string) bool {
	t.Helper()
	to, _, ok := FormTarget(of, false, key)
	if !ok {
		to, _, ok = FormTarget(of, true, key)
	}
	if !ok {
		t.Errorf("%s is no key of %v", key, of)
	}
	return RequiredPaths(of, func(err error) (map[string]string, bool) {
		w, ok := err.(wrong)
		return w, ok
	})[to.FirstRow]
}

// A ruled form has messages of all kinds.
type ruled struct {
	Name     string `form:"name"`
	Age      int
	Email    string `form:"email"`
	Phone    string `form:"phone"`
	Limit    int    `form:"limit"`
	Password string `form:"password"`
	Again    string `form:"again"`
	Kind     string `form:"kind"`
	Company  string `form:"company"`
	Tags     []string
	Page     int `query:"page"`
	Place    struct {
		City string `json:"city"`
	} `json:"place"`
	Away *struct {
		City string `json:"city"`
	} `json:"away"`
	Items  []ruledItem  `json:"items"`
	More   []*ruledItem `json:"more"`
	Next   *ruled
	Text   string
	Photo  *multipart.FileHeader
	Photos []*multipart.FileHeader
}

var ruledCalls atomic.Int64

func (r *ruled) Default() { r.Limit = 20 }

func (r *ruled) Validate() error {
	ruledCalls.Add(1)
	found := wrong{}
	if r.Name == "" {
		found["name"] = "is required"
	}
	if r.Age == 0 {
		found["age"] = "is required"
	}
	if r.Email == "" && r.Phone == "" {
		found["email"], found["phone"] = "or a number", "or an address"
	}
	if r.Limit == 0 {
		found["limit"] = "is required"
	}
	if r.Password == "" {
		found["password"] = "is required"
	}
	if r.Again != r.Password {
		found["again"] = "differs"
	}
	if r.Kind == "company" && r.Company == "" {
		found["company"] = "is required"
	}
	if len(r.Tags) == 0 {
		found["tags"] = "is required"
	}
	if r.Page == 0 {
		found["page"] = "is required"
	}
	if r.Place.City == "" {
		found["place.city"] = "is required"
	}
	if r.Text == "" && r.Photo == nil && len(r.Photos) == 0 {
		found["text"], found["photo"], found["photos"] = "one of them", "one of them", "one of them"
	}
	if len(r.Items) == 0 {
		found["items"] = "is required"
	}
	return found
}

type ruledItem struct {
	Name, Note, Email, Phone string
	Parts                    []ruledItem
	Grid                     [][]*ruledItem
	Of                       *ruled
}

func (i ruledItem) Validate() error {
	found := wrong{}
	if i.Name == "" {
		found["name"] = "is required"
	}
	if i.Email == "" && i.Phone == "" {
		found["email"] = "or a number"
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

func TestRequired(t *testing.T) {
	of := reflect.TypeFor[ruled]()
	ask := func(t *testing.T) {
		for key, want := range map[string]bool{
			"name": true, "Age": true, "age": true, "email": false, "phone": false, "limit": false, "password": true, "again": false, "kind": false, "company": false,
			"Tags": true, "page": true, "place.city": true, "away.city": false, "Text": false, "Photo": false, "Photos": false,
			"items.0.name": true, "items.7.Name": true, "items.0.Note": false, "items.0.Email": false, "items.3.parts.2.name": true, "items.3.parts.2.email": false, "items.0.parts.0.parts.0.name": false,
			"more.1.Grid.2.3.Name": true, "Next.name": false,
		} {
			if got := requires(t, of, key); got != want {
				t.Errorf("%s: required is %v, want %v", key, got, want)
			}
		}
	}
	var all sync.WaitGroup // the race detector looks on
	for range 8 {
		all.Go(func() { ask(t) })
	}
	all.Wait()
	is := is.New(t)
	calls := ruledCalls.Load()
	is.True(calls > 0)
	ask(t)
	is.Equal(ruledCalls.Load(), calls) // once for each type
}

// These say nothing of what is required.
type (
	panicsOnEmpty struct{ Name string }
	fails         struct{ Name string }
	odd           struct{ Name string }

	defaultPanics struct{ Name string }

	silent struct{ Name string }
	unsure struct {
		Name string
		Next *struct{ Name string }
	}
)

func (p *panicsOnEmpty) Validate() error { panic("secret") }
func (fails) Validate() error            { return errors.New("secret") }
func (odd) Validate() error              { return wrong{"": "x", "nmae": "x", "name.x": "x", Unknown: "x"} }

func (d *defaultPanics) Default()        { panic("secret") }
func (d *defaultPanics) Validate() error { return wrong{"name": "is required"} }

func (u *unsure) Validate() error {
	if u.Name == "" && u.Next != nil {
		panic("secret")
	}
	return wrong{"name": "is required"}
}

func TestRequiredUnknown(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[panicsOnEmpty](), reflect.TypeFor[defaultPanics](), reflect.TypeFor[unsure](), reflect.TypeFor[fails](), reflect.TypeFor[silent](), reflect.TypeFor[odd]()} {
		t.Run(of.Name(), func(t *testing.T) {
			is := is.New(t)
			is.True(!requires(t, of, "Name"))
		})
	}
}

// These lead to each other, as the models of a database do. A path through them may have each of them
// twice, so that there are very many.
type (
	person struct {
		Name    string
		Club    *club
		Friends []person
		Trips   []trip
		Letters []letter
		Home    *town
	}
	club struct {
		Members []person
		Town    *town
		Trips   []trip
		Shops   []shop
	}
	trip struct {
		Guests []person
		Of     *club
		To     *town
		Mail   []letter
		Shops  []shop
	}
	letter struct {
		From, To *person
		Club     *club
		Sent     *town
		Trip     *trip
	}
	town struct {
		Clubs  []club
		People []person
		Trips  []trip
		Shops  []shop
	}
	shop struct {
		Owner *person
		Town  *town
		Club  *club
		Trips []trip
		Last  *hour
	}
	hour struct{ N int }
)

var hours atomic.Int64

func (p *person) Validate() error {
	if p.Name == "" {
		return wrong{"Name": "is required"}
	}
	return nil
}

func (h *hour) Validate() error {
	hours.Add(1)
	return nil
}

func TestRequiredOfTypesThatLeadToEachOther(t *testing.T) {
	is := is.New(t)
	of := reflect.TypeFor[person]()
	is.True(requires(t, of, "Name"))
	is.True(!requires(t, of, "Home.Clubs.0.Members.0.Name")) // only a form that has a home
	is.True(hours.Load() < 10_000)                           // structs that Validate was called for
}
