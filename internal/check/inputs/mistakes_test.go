package inputs

import (
	"database/sql"
	"encoding/json"
	"io"
	"math/big"
	"mime/multipart"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
)

// mistakesIn returns the mistakes in a type, one on each line.
func mistakesIn(t reflect.Type) string {
	var lines []string
	for _, m := range Mistakes(t) {
		lines = append(lines, m.Text)
	}
	return strings.Join(lines, "\n")
}

// Structs with fields that no request fills, and with those that one does.
type (
	key      struct{ X int }
	decodes  struct{ Done chan int }
	tree     []tree
	page     struct{ Page int }
	unfilled struct {
		Chan    chan int
		Func    *func()
		Lists   []map[string]func()
		Complex complex128
		Reader  io.Reader
		Err     error
		Keys    map[key]int
		Locked  *sync.Mutex
		Page    struct{ Done [2]chan int }
		Out     io.Reader `json:"-"`
		Other   chan int  `form:"-"`
	}
	fillable struct {
		Any      any
		Map      map[string]any
		Numbers  map[int]string
		Times    map[time.Time]bool
		Raw      json.RawMessage
		Bytes    []byte
		Time     time.Time
		Price    *big.Int
		When     *time.Time
		Null     sql.NullString
		Addr     netip.Addr
		URL      url.URL // with a Userinfo, which nothing fills
		Nothing  struct{}
		Set      map[string]struct{}
		Tree     tree
		Array    [2]int
		Duration time.Duration
		Number   json.Number
		IP       net.IP
		Own      decodes
		_        chan int
	}
	ofURL struct {
		Any    any               `param:"id" json:"any"`
		Map    map[string]string `query:"map"`
		Struct page              `query:"page" json:"page"`
		Array  [2]int            `query:"array"`
		Lists  [][]string        `query:"lists"`
		Chan   *chan int         `query:"chan"`
	}
	ofURLRight struct {
		ID     *int        `param:"id"`
		List   []string    `query:"list"`
		Ptrs   []*int      `query:"ptrs"`
		Time   time.Time   `query:"time"`
		Bytes  []byte      `query:"bytes"`
		IP     *netip.Addr `query:"ip"`
		Floats []float64   `query:"floats"`
		ListP  *[]string   `query:"listp"`
	}
	byID struct {
		ID int `param:"id"`
	}
	byTicket struct {
		Ticket int `param:"id"`
	}
	twiceDeep struct {
		byID
		byTicket
	}
	shadowed struct {
		ID int `param:"id"`
		byTicket
		byID
	}
	sameName struct {
		page
		Other other
		other
	}
	other   struct{ Page int }
	circleA *circleB
	circleB *circleA
	circles struct {
		ID    circleA   `param:"id"`
		Query []circleB `query:"query"`
		JSON  *circleA  `json:"json"`
	}
	uploads struct {
		Photo  *multipart.FileHeader
		Photos []*multipart.FileHeader `form:"photos"`
		photoOf
		Value  multipart.FileHeader `json:"value"`
		Values []multipart.FileHeader
		Named  map[string]*multipart.FileHeader
		Twice  **multipart.FileHeader
		File   multipart.File
		Query  *multipart.FileHeader `query:"photo"`
		Rows   []struct {
			Scan *multipart.FileHeader
			photoOf
		}
		Scan struct{ Scans []*multipart.FileHeader }
	}
	photoOf struct{ Other *multipart.FileHeader }
)

func (o *decodes) UnmarshalJSON([]byte) error { return nil }

func TestFieldsThatNoRequestFills(t *testing.T) {
	for _, tt := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[unfilled](), `inputs.unfilled.Chan is of type chan int, and no request can fill a channel: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Func is of type *func(), and no request can fill a function: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Lists is of type []map[string]func(), and no request can fill a function: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Complex is of type complex128, and no request can fill a complex number: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Reader is of type io.Reader, and no request can fill an interface with methods: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Err is of type error, and no request can fill an interface with methods: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Keys is of type map[inputs.key]int, and no request can fill a map by inputs.key: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Locked is of type *sync.Mutex, and no request can fill a struct without exported fields: give it another type, or the tag json:"-" if it is not for requests
struct{…}.Done is of type [2]chan int, and no request can fill a channel: give it another type, or the tag json:"-" if it is not for requests`},
		{reflect.TypeFor[[]unfilled](), `inputs.unfilled.Chan is of type chan int, and no request can fill a channel: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Func is of type *func(), and no request can fill a function: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Lists is of type []map[string]func(), and no request can fill a function: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Complex is of type complex128, and no request can fill a complex number: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Reader is of type io.Reader, and no request can fill an interface with methods: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Err is of type error, and no request can fill an interface with methods: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Keys is of type map[inputs.key]int, and no request can fill a map by inputs.key: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Locked is of type *sync.Mutex, and no request can fill a struct without exported fields: give it another type, or the tag json:"-" if it is not for requests
inputs.unfilled.Other is of type chan int, and no request can fill a channel: give it another type, or the tag json:"-" if it is not for requests
struct{…}.Done is of type [2]chan int, and no request can fill a channel: give it another type, or the tag json:"-" if it is not for requests`},
		{reflect.TypeFor[fillable](), ``},
		{reflect.TypeFor[circles](), `inputs.circles.ID has the tag param:"id", and no text converts to inputs.circleA: give it a type such as string or int, or one with UnmarshalText
inputs.circles.Query has the tag query:"query", and no text converts to []inputs.circleB: give it a type such as string or int, or one with UnmarshalText
inputs.circles.JSON is of type *inputs.circleA, and no request can fill a pointer without end: give it another type, or the tag json:"-" if it is not for requests`},
		{reflect.TypeFor[ofURL](), `inputs.ofURL.Any has the tag param:"id", and no text converts to any: give it a type such as string or int, or one with UnmarshalText
inputs.ofURL.Map has the tag query:"map", and no text converts to map[string]string: give it a type such as string or int, or one with UnmarshalText
inputs.ofURL.Struct has the tag query:"page", and no text converts to inputs.page: give it a type such as string or int, or one with UnmarshalText
inputs.ofURL.Array has the tag query:"array", and no text converts to [2]int: give it a type such as string or int, or one with UnmarshalText
inputs.ofURL.Lists has the tag query:"lists", and no text converts to [][]string: give it a type such as string or int, or one with UnmarshalText
inputs.ofURL.Chan has the tag query:"chan", and no text converts to *chan int: give it a type such as string or int, or one with UnmarshalText`},
		{reflect.TypeFor[ofURLRight](), ``},
		{reflect.TypeFor[twiceDeep](), `inputs.twiceDeep.ID and Ticket both have the tag param:"id", so neither is filled: keep one`},
		{reflect.TypeFor[shadowed](), ``},
		{reflect.TypeFor[sameName](), ``},
		{reflect.TypeFor[uploads](), `inputs.uploads.Query has the tag query:"photo", and no text converts to *multipart.FileHeader: give it a type such as string or int, or one with UnmarshalText
inputs.uploads.Value is of type multipart.FileHeader, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader
inputs.uploads.Values is of type []multipart.FileHeader, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader
inputs.uploads.Named is of type map[string]*multipart.FileHeader, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader
inputs.uploads.Twice is of type **multipart.FileHeader, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader
inputs.uploads.File is of type multipart.File, which no request fills: make it a *multipart.FileHeader, or for all files of a key a []*multipart.FileHeader
struct{…}.Scan is of type *multipart.FileHeader inside of another struct, where no file is filled: move it into the struct that the handler takes
struct{…}.Other is of type *multipart.FileHeader inside of another struct, where no file is filled: move it into the struct that the handler takes
struct{…}.Scans is of type []*multipart.FileHeader inside of another struct, where no file is filled: move it into the struct that the handler takes`},
		{reflect.TypeFor[decodes](), ``},
		{reflect.TypeFor[map[string]any](), ``},
		{reflect.TypeFor[tree](), ``},
	} {
		t.Run(tt.t.String(), func(t *testing.T) {
			is := is.New(t)
			is.Equal(mistakesIn(tt.t), tt.want)
		})
	}
}

func TestTagsThatAreMisspelt(t *testing.T) {
	for _, tt := range []struct{ tag, want string }{
		{`parm:"id"`, `struct{…}.ID has the tag parm:"id", which nothing reads: did you mean "param"?`},
		{`Param:"id"`, `struct{…}.ID has the tag Param:"id", which nothing reads: did you mean "param"?`},
		{`params:"id"`, `struct{…}.ID has the tag params:"id", which nothing reads: did you mean "param"?`},
		{`praam:"id"`, `struct{…}.ID has the tag praam:"id", which nothing reads: did you mean "param"?`},
		{`qurey:"id"`, `struct{…}.ID has the tag qurey:"id", which nothing reads: did you mean "query"?`},
		{`Query:"id"`, `struct{…}.ID has the tag Query:"id", which nothing reads: did you mean "query"?`},
		{`jsn:"id"`, `struct{…}.ID has the tag jsn:"id", which nothing reads: did you mean "json"?`},
		{`josn:"id"`, `struct{…}.ID has the tag josn:"id", which nothing reads: did you mean "json"?`},
		{`JSON:"id"`, `struct{…}.ID has the tag JSON:"id", which nothing reads: did you mean "json"?`},
		{`from:"id"`, `struct{…}.ID has the tag from:"id", which nothing reads: did you mean "form"?`},
		{`fom:"id"`, `struct{…}.ID has the tag fom:"id", which nothing reads: did you mean "form"?`},
		{`forms:"id" json:"id"`, `struct{…}.ID has the tag forms:"id", which nothing reads: did you mean "form"?`},
		{`forms:"id" form:"id"`, ``},
		{`json:"-" parm:"id"`, `struct{…}.ID has the tag parm:"id", which nothing reads: did you mean "param"?`},
		{`param: "id"`, `struct{…}.ID has the tag param: "id", which Go cannot read: write pairs such as param:"…", with quotes and without a space behind the colon`},
		{`param:id`, `struct{…}.ID has the tag param:id, which Go cannot read: write pairs such as param:"…", with quotes and without a space behind the colon`},
		{`query="id"`, `struct{…}.ID has the tag query="id", which Go cannot read: write pairs such as query:"…", with quotes and without a space behind the colon`},
		{`form 'id'`, `struct{…}.ID has the tag form 'id', which Go cannot read: write pairs such as form:"…", with quotes and without a space behind the colon`},
		{`param`, `struct{…}.ID has the tag param, which Go cannot read: write pairs such as param:"…", with quotes and without a space behind the colon`},
		{`praam:id`, `struct{…}.ID has the tag praam:id, which Go cannot read: write pairs such as param:"…", with quotes and without a space behind the colon`},
		{`db: "id" json:"id"`, `struct{…}.ID has the tag db: "id" json:"id", which Go cannot read: write pairs such as json:"…", with quotes and without a space behind the colon`},
		{`json:"id`, `struct{…}.ID has the tag json:"id, which Go cannot read: write pairs such as json:"…", with quotes and without a space behind the colon`},
		{`json:"\d" param:"id"`, `struct{…}.ID has the tag json:"\d", which Go cannot read: write pairs such as json:"…", with quotes and without a space behind the colon`},
		{`pattern:"^\d+$" json:"id"`, ``},
		{`pattern:"^\"\d form: $" json:"id"`, ``},
		{`json:" id"`, `struct{…}.ID has the tag json:" id", whose name begins or ends with a space: no key is called so`},
		{`param:"id "`, `struct{…}.ID has the tag param:"id ", whose name begins or ends with a space: no key is called so`},
		{`json:"id"query:"id"`, ``},
		{`json:"id, omitempty"`, ``},
		{`the id of the query that was sent`, ``},
		{`db: "id"`, ``},
		{``, ``},
		{`json:"id" form:"id" query:"id" param:"id"`, ``},
	} {
		t.Run(tt.tag, func(t *testing.T) {
			is := is.New(t)
			f := reflect.StructField{Name: "ID", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tt.tag)}
			is.Equal(mistakesIn(reflect.StructOf([]reflect.StructField{f})), tt.want)
		})
	}
}

// TestTagsOfOthers: a tag that another package reads is no mistake.
func TestTagsOfOthers(t *testing.T) {
	for tag := range strings.FieldsSeq(popularTags) {
		t.Run(tag, func(t *testing.T) {
			is := is.New(t)
			f := reflect.StructField{Name: "ID", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag + `:"id" json:"id"`)}
			is.Equal(mistakesIn(reflect.StructOf([]reflect.StructField{f})), "")
		})
	}
}

// popularTags are keys that well-known packages read.
const popularTags = `
	yaml toml xml bson cbor msgpack msg protobuf protobuf_oneof avro thrift asn1 hcl ini csv tsv gob ion plist
	db sql gorm xorm orm norm borm pg bun ent sqlx rel storm boltholdKey badgerhold bigquery spanner datastore firestore
	dynamodbav dynamo redis gocql cql neo4j elastic es surreal
	uri header cookie binding validate valid validator v form schema url path body in multipart
	default env envconfig envDefault envPrefix flag cli arg long short description help required kong conf config viper koanf mapstructure structs
	jsonb hjson ejson jsonapi jsonschema jsonschema_description openapi swagger doc example format enum enums minimum maximum pattern
	graphql gql fake faker copier deepcopier mapper conform mod sanitize reform scrub redact log zap slog
	inject wire fx name optional group dig fig tfsdk mapper sheet xlsx excel parquet arrow
	k8s patchStrategy patchMergeKey listType protobuf3 json5 uuid id key index unique size min max len`

func TestTagsOfUnexportedFields(t *testing.T) {
	for _, tt := range []struct{ tag, want string }{
		{`json:"name"`, `struct{…}.name has the tag json:"name", and nothing can fill it, since its name begins with a small letter`},
		{`param:"name"`, `struct{…}.name has the tag param:"name", and nothing can fill it, since its name begins with a small letter`},
		{`query:"name"`, `struct{…}.name has the tag query:"name", and nothing can fill it, since its name begins with a small letter`},
		{`form:"name"`, `struct{…}.name has the tag form:"name", and nothing can fill it, since its name begins with a small letter`},
		{`json:"-"`, ``},
		{`json:",omitempty"`, ``},
		{`db:"name"`, ``},
		{``, ``},
	} {
		t.Run(tt.tag, func(t *testing.T) {
			is := is.New(t)
			f := reflect.StructField{Name: "name", PkgPath: "example.com/x", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tt.tag)}
			is.Equal(mistakesIn(reflect.StructOf([]reflect.StructField{f})), tt.want)
		})
	}
}

// TestFormTagsInside: forms name what is inside of another struct as JSON does.
func TestFormTagsInside(t *testing.T) {
	const want = `struct{…}.FullName has the tag form:"name", which does not count inside of another struct: forms use the names of JSON there, as messages do, so write json:"name"`
	for _, tt := range []struct{ tag, want string }{
		{`form:"name"`, want},
		{`form:"name" json:"full"`, want},
		{`form:"name" json:"-"`, want},
		{`form:"fullname" json:"-"`, strings.ReplaceAll(want, `"name"`, `"fullname"`)},
		{`form:"fullname"`, ``}, // its name in another case
		{`form:"name" json:"name"`, ``},
		{`json:"name"`, ``},
		{`form:"-"`, ``},
		{`form:",omitempty"`, ``},
	} {
		t.Run(tt.tag, func(t *testing.T) {
			is := is.New(t)
			inner := reflect.StructOf([]reflect.StructField{{Name: "FullName", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tt.tag)}})
			is.Equal(mistakesIn(inner), "")
			for _, of := range []reflect.Type{inner, reflect.PointerTo(inner), reflect.SliceOf(inner), reflect.MapOf(reflect.TypeFor[string](), inner)} {
				is.Equal(mistakesIn(reflect.StructOf([]reflect.StructField{{Name: "V", Type: of}})), tt.want)
			}
		})
	}
}

func TestTwoFieldsOfOneKey(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{`param:"id"`, `param:"id"`, `struct{…}.A and B both have the tag param:"id", so neither is filled: keep one`},
		{`query:"id"`, `query:"id"`, `struct{…}.A and B both have the tag query:"id", so neither is filled: keep one`},
		{`json:"id"`, `form:"id"`, `struct{…}.A and B have the same key, "id", so neither is filled: keep one`},
		{`json:"id"`, `json:"id"`, `struct{…}.A and B have the same key, "id", so neither is filled: keep one`},
		{`param:"id"`, `query:"id"`, ``},
		{`param:"id"`, `json:"id"`, ``},
		{`json:"id" form:"a"`, `json:"id" form:"b"`, ``},
		{`json:"a"`, ``, ``},
		{``, `json:"A"`, ``},
	} {
		t.Run(tt.a+" "+tt.b, func(t *testing.T) {
			is := is.New(t)
			of := func(name, tag string) reflect.StructField {
				return reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}
			}
			is.Equal(mistakesIn(reflect.StructOf([]reflect.StructField{of("A", tt.a), of("B", tt.b)})), tt.want)
		})
	}
}

// FuzzParseTag compares with reflect, which reads the tags of all others.
func FuzzParseTag(f *testing.F) {
	for _, tag := range []string{`json:"a" param:"id"`, `json: "a"`, `json:"a"param:"b"`, `param`, "json:`a`", `a:"\"" b:"c`, ` x:"y" `, `x:"\d" json:"a"`, `json:"\d" json:"a"`} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		read, rest := parseTag(tag)
		for _, key := range read {
			if _, ok := reflect.StructTag(tag).Lookup(key); !ok {
				t.Errorf("%q: reflect finds no %q", tag, key)
			}
		}
		for _, key := range append(ourTags, "x") { // reflect stops at the first mistake, too
			if _, ok := reflect.StructTag(tag).Lookup(key); ok && !slices.Contains(read, key) {
				t.Errorf("%q has %q, and parseTag has %q and leaves %q", tag, key, read, rest)
			}
		}
	})
}
