package zoo

import (
	"html/template"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
)

// Data returns random data of a type, the same for the same seed.
func Data(root reflect.Type, seed uint64) any {
	v := reflect.New(root).Elem()
	filler{rand.New(rand.NewPCG(seed, 4))}.fill(v, 3)
	return v.Interface()
}

// bagTypes are the types of the values of a bag.
var bagTypes = map[string]reflect.Type{
	"Name": reflect.TypeFor[string](), "Rec": reflect.TypeFor[Person](), "RecP": reflect.TypeFor[*Person](),
	"Recs": reflect.TypeFor[[]Person](), "N": reflect.TypeFor[int](), "Label": reflect.TypeFor[Label](),
	"HTML": reflect.TypeFor[template.HTML](), "Map": reflect.TypeFor[map[string]string](), "Tags": reflect.TypeFor[[]string](),
	"Ok": reflect.TypeFor[bool](), "Any": reflect.TypeFor[any](),
}

// keyNames are the keys of random maps, and names of keys in random templates.
var keyNames = []string{"a", "b", "Name", "Title", "Owner"}

// texts are those of random data.
var texts = append([]string{"plain", "Ada", "x y", "", "Ada <Lovelace> & \"Co\"", "/a?b=c&d", "https://a.example/é"}, Hard...)

// dynamic are the types of what random interfaces hold.
var dynamic = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[Label](), reflect.TypeFor[Level](), reflect.TypeFor[*loud](),
	reflect.TypeFor[*oops](), reflect.TypeFor[Person](), reflect.TypeFor[*Person](), reflect.TypeFor[template.HTML](), reflect.TypeFor[template.URL](),
	reflect.TypeFor[[]string](), reflect.TypeFor[counts](), reflect.TypeFor[coded](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
	reflect.TypeFor[template.JS](), reflect.TypeFor[Word](), reflect.TypeFor[bag](), reflect.TypeFor[loud](), reflect.TypeFor[base](),
	reflect.TypeFor[*box](), reflect.TypeFor[box](), reflect.TypeFor[uint8](), reflect.TypeFor[[]any](), reflect.TypeFor[[]Person](),
	reflect.TypeFor[func(string) *Person](), reflect.TypeFor[Page](),
}

// sorted returns the names of a map.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// A filler makes random data.
type filler struct{ *rand.Rand }

// value returns a random value of a type.
func (f filler) value(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	f.fill(v, depth)
	return v
}

// fill gives v a random value.
func (f filler) fill(v reflect.Value, depth int) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.String:
		v.SetString(texts[min(f.IntN(len(texts)), f.IntN(len(texts)))])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, 1.5, -2, 1e21, 0.1}[f.IntN(6)])
	case reflect.Complex128:
		v.SetComplex(complex(float64(f.IntN(2)), float64(f.IntN(2))))
	case reflect.Pointer:
		if depth > 0 && f.IntN(12) > 0 {
			v.Set(f.value(t.Elem(), depth-1).Addr())
		}
	case reflect.Slice:
		if n := f.IntN(4); n > 0 && depth > 0 {
			v.Set(reflect.MakeSlice(t, n, n))
			for i := range n {
				f.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.Interface:
		for range 30 {
			if d := dynamic[f.IntN(len(dynamic))]; depth > 0 && d.Implements(t) && f.IntN(8) > 0 {
				v.Set(f.value(d, depth-1))
				return
			}
		}
	case reflect.Chan:
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 3)
		for range f.IntN(4) {
			c.Send(f.value(t.Elem(), depth-1))
		}
		c.Close()
		v.Set(c.Convert(t))
	case reflect.Func:
		if t.NumOut() > 0 {
			f.fillFunc(v, depth)
		} else {
			f.fillIterator(v, depth)
		}
	case reflect.Struct:
		f.fillStruct(v, depth)
	default:
		if v.CanInt() {
			v.SetInt([]int64{0, 1, 2, 3, -1, 5}[f.IntN(6)])
		} else {
			v.SetUint([]uint64{0, 1, 2, 200}[f.IntN(4)])
		}
	}
}

func (f filler) fillMap(v reflect.Value, depth int) {
	t := v.Type()
	if depth <= 0 || f.IntN(10) == 0 {
		return
	}
	v.Set(reflect.MakeMap(t))
	if t == reflect.TypeFor[bag]() {
		for _, name := range sorted(bagTypes) {
			if e := f.value(bagTypes[name], depth-1); f.IntN(15) > 0 {
				v.SetMapIndex(reflect.ValueOf(name), e)
			}
		}
		return
	}
	for range f.IntN(5) {
		k, e := reflect.New(t.Key()).Elem(), f.value(t.Elem(), depth-1)
		switch t.Key().Kind() {
		case reflect.String:
			k.SetString(keyNames[f.IntN(len(keyNames))])
		case reflect.Interface:
			k.Set(reflect.ValueOf([]any{1, "a", true, 1.5, Word("w"), Level(2)}[f.IntN(6)]))
		default:
			f.fill(k, 0)
		}
		v.SetMapIndex(k, e)
	}
}

func (f filler) fillStruct(v reflect.Value, depth int) {
	switch v := v.Addr().Interface().(type) {
	case *cursor:
		*v = cursor{[]string{"a", "<b>", "c"}, 0, f.IntN(8), f.IntN(4)}
		return
	case *reflect.Value:
		*v = []reflect.Value{{}, reflect.ValueOf(1), reflect.ValueOf(&Person{Name: "value"})}[f.IntN(3)]
		return
	case *Person:
		v.secret = "secret"
	}
	for i := range v.NumField() {
		switch field := v.Field(i); {
		case v.Type().Field(i).Anonymous:
			f.fillEmbedded(reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), depth)
		case field.CanSet():
			f.fill(field, depth-1)
		}
	}
}

// fillEmbedded gives an embedded struct random fields, at any depth.
func (f filler) fillEmbedded(v reflect.Value, depth int) {
	switch {
	case v.Kind() == reflect.Struct:
		f.fillStruct(v, depth)
	case f.IntN(20) > 0:
		v.Set(f.value(v.Type().Elem(), depth).Addr())
	}
}

// fillFunc makes a function. It returns its argument, if that is of the right type, or else
// always the same, and rarely fails.
func (f filler) fillFunc(v reflect.Value, depth int) {
	t := v.Type()
	name := t.String()
	var same []reflect.Value
	for out := range t.Outs() {
		same = append(same, f.value(out, depth-1))
	}
	v.Set(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		results := slices.Clone(same)
		if t.IsVariadic() && args[0].Len() > 0 {
			args[0] = args[0].Index(0)
		}
		Log.call(name, len(args))
		if len(args) > 0 && args[0].Type() == t.Out(0) {
			results[0] = args[0]
		}
		if last := len(results) - 1; t.Out(last) == reflect.TypeFor[error]() {
			results[last] = reflect.New(t.Out(last)).Elem()
			if err := sometimes(); err != nil {
				results[last].Set(reflect.ValueOf(err))
			}
		}
		return results
	}))
}

// fillIterator makes an iterator, which is never nil: text/template panics when it ranges over
// nil. Half of them give the same each time; the others are empty the second time, and sometimes
// panic.
func (f filler) fillIterator(v reflect.Value, depth int) {
	t := v.Type()
	name := t.String()
	var items [][]reflect.Value
	for range f.IntN(4) {
		var item []reflect.Value
		for in := range t.In(0).Ins() {
			item = append(item, f.value(in, depth-1))
		}
		items = append(items, item)
	}
	once, panics := f.IntN(2) == 0, f.IntN(20)
	v.Set(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		left := items
		if once {
			items = nil
		}
		for i, item := range left {
			Log.call(name, i)
			if once && i == panics {
				panic("an iterator <>")
			}
			if !args[0].Call(item)[0].Bool() {
				Log.call(name, "stopped")
				break
			}
		}
		return nil
	}))
}
