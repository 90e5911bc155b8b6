package rows

import (
	"net/http"
	"strconv"
	"time"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

// signup is what the form has.
type signup struct {
	Name  string `form:"name"`
	Email string `form:"email"`
	Age   int    `form:"age"`
	Terms bool   `form:"terms"`
}

const (
	signupForm = "name=Ada+Lovelace&email=ada%40example.com&age=36&terms=on"
	signupText = "Ada Lovelace ada@example.com 36 true"
)

func (s signup) String() string {
	return s.Name + " " + s.Email + " " + strconv.Itoa(s.Age) + " " + strconv.FormatBool(s.Terms)
}

// formBound sends a form of four fields to typed handlers, and to a handler that reads them
// from PostForm.
func formBound() measure.Group {
	f := flow.New(tree.New(map[string]string{"router/people.http": "", "router/shown.http": ""}, time.Time{}))
	f.At("people").POST().Do(func(_ *flow.Request, s signup) (string, error) { return s.String(), nil })
	f.At("shown").POST().Do(func(_ *flow.Request, s flow.Form[signup]) (string, error) { return s.Value.String(), nil })

	read := func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		age, err := strconv.Atoi(r.PostForm.Get("age"))
		if err != nil {
			http.Error(w, "age must be a whole number", http.StatusUnprocessableEntity)
			return
		}
		s := signup{r.PostForm.Get("name"), r.PostForm.Get("email"), age, r.PostForm.Get("terms") == "on"}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte(s.String()))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /people", read)
	mux.HandleFunc("POST /shown", read)

	call := func(path string) measure.Call {
		return measure.Call{
			Method: "POST", Path: path, Body: signupForm, Header: formHeader,
			Want: measure.Answer{Status: 200, Body: signupText, Header: map[string]string{"Content-Type": ""}},
		}
	}
	return measure.Group{Base: muxName, Calls: []measure.Call{call("/people"), call("/shown")}, Contestants: []measure.Contestant{
		{Name: flowName, Handler: ready(f)},
		{Name: muxName, Handler: recovered(mux)},
	}}
}

var formHeader = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
