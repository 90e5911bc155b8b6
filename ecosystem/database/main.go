package main

import (
	"context"
	"flag"
	"os"

	"example.com/flow"
	"example.com/notes/app"
	"example.com/notes/store"
)

var file = flag.String("db", "notes.db", "`file` of the database")

func main() { os.Exit(flow.Run(context.Background(), build)) }

func build(context.Context) (*flow.Router, error) {
	s, err := store.Open(*file)
	if err != nil {
		return nil, err
	}
	r := app.New(s)
	r.OnStart(s.Migrate)
	r.OnStop(func(context.Context) error { return s.Close() })
	return r, nil
}
