package scaffold

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/matryer/is"
)

func TestProvided(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"func New(a *App) *flow.Router { return flow.New(files).Provide(a) }", "f, a *App"},
		{"func New(a *App) *flow.Router {\n\tr := flow.New(files).Provide(a)\n\treturn r\n}", "f, a *App"},
		{"func (s *Site) Router() *flow.Router { return flow.New(files).Provide(s) }", "f, s *Site"},
		{"func New() *flow.Router {\n\tapp := &App{}\n\treturn flow.New(files).Provide(app)\n}", "f, app *App"},
		{"func New() *flow.Router {\n\tvar app = new(App)\n\treturn flow.New(files).Provide(app)\n}", "f, app *App"},
		{"var site *Site\n\nvar Router = flow.New(files).Provide(site)", "f, site *Site"},
		{"var Router = flow.New(files).Provide(&Site{})", "f, s *Site"},
		{"func New(f *Form) *flow.Router { return flow.New(files).Provide(f) }", "file, f *Form"},
		{"func New(req *App) *flow.Router { return flow.New(files).Provide(req) }", "f, a *App"},
		{"func New(db *sql.DB, a *App) *flow.Router { return flow.New(files).Provide(db, a) }", "f, a *App"},
		{"func New(a *App) *flow.Router { return flow.New(files).Provide(a, &App{}) }", "f, a *App"},
		{"func New(a *App) *flow.Router { return flow.New(files).Provide(a) }\n\nfunc other(a *Account) {}", "f, a *App"},
		{"func New() *flow.Router { return flow.New(files).Provide(newApp()) }\n\nfunc newApp() *App { return nil }", "f, a *App"},
		// What cannot be told.
		{"func New(a *App) *flow.Router { return flow.New(files) }", ""},
		{"func New(a *App, s *Site) *flow.Router { return flow.New(files).Provide(a, s) }", ""},
		{"func New(a App) *flow.Router { return flow.New(files).Provide(a) }", ""},
		{"func New(s *store.Store) *flow.Router { return flow.New(files).Provide(s) }", ""},
		{"func New() *flow.Router { return flow.New(files).Provide(newApp()) }", ""},
		{"type Box[T any] struct{}\n\nfunc New(b *Box[int]) *flow.Router { return flow.New(files).Provide(b) }", ""},
		{"func New() *flow.Router { type local struct{}; l := &local{}; return flow.New(files).Provide(l) }", ""},
		{"func New(e *error) *flow.Router { return flow.New(files).Provide(e) }", ""},
	} {
		t.Run(tt.src, func(t *testing.T) {
			is := is.New(t)
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "", "package app\n\ntype (\n\tApp struct{}\n\tSite struct{}\n\tForm struct{}\n\tAccount struct{}\n)\n\n"+tt.src, parser.SkipObjectResolution)
			is.NoErr(err)
			files := []*ast.File{f}
			got := ""
			if s := provided(files, typesOf(fset, files)); s != nil {
				got = s.file + ", " + s.name + " *" + s.typ
			}
			is.Equal(got, tt.want)
		})
	}
}
