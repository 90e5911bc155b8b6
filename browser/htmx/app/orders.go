package app

import (
	"slices"
	"strings"
	"sync"

	"example.com/flow"
)

func init() {
	flow.GET().Name("orders").Do(showOrders)
	flow.POST().Do(changeOrder)
}

// ordersPage renders the page of this file.
var ordersPage = flow.PageOf[ordersData]()

type ordersData struct {
	Orders []order
	Form   flow.Form[orderForm]
	Rows   []row
}

// An order is what is stored.
type order struct {
	Customer string `form:"customer"`
	Lines    []line `form:"lines"`
}

type line struct {
	Article string `json:"article"`
	Count   int    `json:"count"`
}

// An orderForm is what the form sends: an order, and the button if it is not the one to order.
type orderForm struct {
	order
	Add    bool `form:"add"`
	Remove int  `form:"remove"` // the Number of a row, or 0
}

// A row is a line of the form. Lines that were removed have none.
type row struct {
	Index  int // in the Lines of the form
	Number int // on the page, from 1
	New    bool
}

// Validate is called before changeOrder.
func (o *order) Validate() error {
	wrong := flow.Invalid{}
	if o.Customer = strings.TrimSpace(o.Customer); o.Customer == "" {
		wrong["customer"] = "is required"
	}
	if len(o.Lines) == 0 {
		wrong["lines"] = "has at least one line"
	}
	if len(o.Lines) > 50 {
		wrong["lines"] = "has at most 50 lines"
	}
	return wrong
}

// Validate is called for each line. Its messages are those of "lines.0.article" and so on.
func (l *line) Validate() error {
	wrong := flow.Invalid{}
	if l.Article = strings.TrimSpace(l.Article); l.Article == "" {
		wrong["article"] = "is required"
	}
	if l.Count < 1 {
		wrong["count"] = "must be at least 1"
	}
	return wrong
}

func showOrders(req *flow.Request) (flow.Response, error) {
	return pageOrPart(req, ordersPage(ordersData{Orders: orders.all(), Rows: []row{{Number: 1}}}), "order"), nil
}

func changeOrder(req *flow.Request, in flow.Form[orderForm]) (flow.Response, error) {
	change := in.Value.Add || in.Value.Remove > 0
	if in.Wrong != nil || change {
		data := ordersData{orders.all(), in, rowsOf(in.Value)}
		if change {
			data.Form.Wrong = nil // nobody has asked yet whether it is right
			return pageOrPart(req, ordersPage(data), "order"), nil
		}
		return pageOrPart(req, ordersPage(data), "order").Status(422), nil
	}
	orders.add(in.Value.order)
	if wantsPart(req) {
		return showOrders(req)
	}
	return flow.RedirectTo("orders"), nil
}

// rowsOf returns the rows to show: those that were sent, after what the button does.
func rowsOf(form orderForm) (rows []row) {
	for i := range form.Lines {
		if i+1 != form.Remove {
			rows = append(rows, row{Index: i, Number: len(rows) + 1})
		}
	}
	if form.Add {
		rows = append(rows, row{Index: len(form.Lines), Number: len(rows) + 1, New: true})
	}
	return rows
}

// orders stands for a database.
var orders orderStore

type orderStore struct {
	mu   sync.Mutex
	list []order
}

func (s *orderStore) add(o order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, o)
}

func (s *orderStore) all() []order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}
