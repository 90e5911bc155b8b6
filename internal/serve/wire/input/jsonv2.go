//go:build go1.27 && goexperiment.jsonv2

package input

import (
	"encoding/json/v2"
	"reflect"
)

// Since Go 1.27, encoding/json also calls the method UnmarshalJSONFrom.
func init() { jsonDecoders = append(jsonDecoders, reflect.TypeFor[json.UnmarshalerFrom]()) }
