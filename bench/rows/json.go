package rows

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-playground/validator/v10"
	"github.com/labstack/echo/v4"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

var jsonRows = []Row{
	{"json/create", "POST of JSON: two fields bound and validated, 201 with JSON", jsonCreate},
}

// account is what is created. gin and echo read rules from its tags; flow and net/http
// have the same ones in Go.
type account struct {
	Name  string `json:"name" binding:"required,min=2" validate:"required,min=2"`
	Email string `json:"email" binding:"required,contains=@" validate:"required,contains=@"`
}

// Validate is asked by flow.Request.Bind.
func (a *account) Validate() error {
	wrong := flow.Invalid{}
	if len(a.Name) < 2 {
		wrong["name"] = "must have two letters"
	}
	if !strings.Contains(a.Email, "@") {
		wrong["email"] = "must be an address"
	}
	return wrong
}

const accountJSON = `{"name":"Ada Lovelace","email":"ada@example.com"}`

func jsonCalls() []measure.Call {
	return []measure.Call{{
		Method: "POST", Path: "/accounts", Body: accountJSON, Header: jsonHeader,
		Want: measure.Answer{Status: 201, Body: accountJSON, Header: map[string]string{"Content-Type": ""}},
	}}
}

var jsonHeader = map[string]string{"Content-Type": "application/json"}

// echoValidator is the validator of echo's documentation.
type echoValidator struct{ validator *validator.Validate }

func (v *echoValidator) Validate(i any) error {
	if err := v.validator.Struct(i); err != nil {
		return echo.NewHTTPError(http.StatusUnprocessableEntity, err.Error())
	}
	return nil
}

func jsonCreate() measure.Group {
	f := flow.New(tree.New(map[string]string{"router/accounts.http": ""}, time.Time{}))
	f.At("accounts").POST().Do(func(req *flow.Request) (flow.Response, error) {
		var a account
		if err := req.Bind(&a); err != nil {
			return flow.Response{}, err
		}
		return flow.JSON(a).Status(http.StatusCreated), nil
	})

	g := newGin()
	g.POST("/accounts", func(c *gin.Context) {
		var a account
		if err := c.ShouldBindJSON(&a); err != nil {
			c.JSON(http.StatusUnprocessableEntity, gin.H{"error": err.Error()})
			return
		}
		c.JSON(http.StatusCreated, a)
	})

	e := newEcho()
	e.Validator = &echoValidator{validator.New()}
	e.POST("/accounts", func(c echo.Context) error {
		var a account
		if err := c.Bind(&a); err != nil {
			return err
		}
		if err := c.Validate(&a); err != nil {
			return err
		}
		return c.JSON(http.StatusCreated, a)
	})

	mux := http.NewServeMux()
	mux.HandleFunc("POST /accounts", func(w http.ResponseWriter, r *http.Request) {
		var a account
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if len(a.Name) < 2 || !strings.Contains(a.Email, "@") {
			http.Error(w, "name and email are required", http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(a)
	})

	return measure.Group{Base: ginName, Calls: jsonCalls(), Contestants: []measure.Contestant{
		{Name: flowName, Handler: ready(f)},
		{Name: ginName, Handler: g},
		{Name: echoName, Handler: e},
		{Name: muxName, Handler: recovered(mux)},
	}}
}
